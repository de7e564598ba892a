#include "store/search/search_ranges.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::size_t kMaxRanges = 16;  // each costs a lookup for every list
constexpr std::size_t kMaxCachedCounts = 1'000;
constexpr std::size_t kMaxCachedSortKeys = 8'192;
constexpr std::size_t kMaxAbsentWords = 8'192;
constexpr std::size_t kMaxHeadRecords = 4'096;
constexpr std::size_t kMaxHeadWords = 500'000;  // four bytes each

}  // namespace

std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks) {
  if (blocks.empty()) return {};
  std::vector<std::int64_t> gaps;  // before each block except the first
  for (std::size_t i = 1; i < blocks.size(); ++i) gaps.push_back(blocks[i].first - blocks[i - 1].end);
  // Keep only the widest gaps as boundaries, and no empty gaps.
  std::int64_t widest = 1;
  if (gaps.size() >= kMaxRanges) {
    std::vector<std::int64_t> sorted = gaps;
    std::ranges::nth_element(sorted, sorted.begin() + kMaxRanges - 1, std::greater<>{});
    widest = std::max<std::int64_t>(sorted[kMaxRanges - 1] + 1, 1);
  }
  std::vector<RowRange> ranges = {{first_row(blocks[0].first), last_row(blocks[0].end - 1)}};
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (gaps[i - 1] >= widest) ranges.push_back({first_row(blocks[i].first), 0});
    ranges.back().last = last_row(blocks[i].end - 1);
  }
  return ranges;
}

// --- cache ---

std::optional<TermCount> SearchCache::count(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto known = counts_.find(key);
  return known == counts_.end() ? std::nullopt : std::optional(known->second);
}

void SearchCache::put_count(const std::string& key, const TermCount& count) {
  const MutexLock lock(mutex_);
  if (counts_.size() >= kMaxCachedCounts) counts_.clear();
  counts_.insert_or_assign(key, count);
}

std::optional<RecordSortKey> SearchCache::sort_key(RecordNo record) const {
  const MutexLock lock(mutex_);
  const auto known = sort_keys_.find(record);
  return known == sort_keys_.end() ? std::nullopt : std::optional(known->second);
}

void SearchCache::put_sort_key(RecordNo record, const RecordSortKey& sort_key) {
  const MutexLock lock(mutex_);
  if (sort_keys_.size() >= kMaxCachedSortKeys) sort_keys_.clear();
  sort_keys_.insert_or_assign(record, sort_key);
}

std::optional<SearchCache::HeadRecord> SearchCache::head_record(RecordNo record, std::uint64_t reading_key) const {
  const MutexLock lock(mutex_);
  const auto known = head_records_.find({record, reading_key});
  return known == head_records_.end() ? std::nullopt : std::optional(known->second);
}

void SearchCache::put_head_record(RecordNo record, std::uint64_t reading_key, HeadRecord head_record) {
  const std::size_t words = head_record.text->words.size();
  const MutexLock lock(mutex_);
  if (head_records_.size() >= kMaxHeadRecords || head_words_ + words > kMaxHeadWords) {
    head_records_.clear();
    head_words_ = 0;
  }
  head_words_ += words;
  head_records_.insert_or_assign({record, reading_key}, std::move(head_record));
}

void SearchCache::drop_absent(std::vector<std::string>& words) const {
  const MutexLock lock(mutex_);
  std::erase_if(words, [this](const std::string& word) LADDER_REQUIRES(mutex_) { return absent_.contains(word); });
}

void SearchCache::put_absent(const std::vector<std::string>& words) {
  const MutexLock lock(mutex_);
  if (absent_.size() + words.size() > kMaxAbsentWords) absent_.clear();
  absent_.insert(words.begin(), words.end());
}

// --- streams of which a part is granted ---

namespace {

// Listing the records of a time range takes some milliseconds, once after each commit. For a larger range the whole
// stream is searched, and the time of each matching record is checked.
constexpr std::int64_t kMaxListed = 16'384;

// Without bounds the interval covers all records with a time, and narrows nothing.
bool is_bounded(const WordScope& scope) { return scope.interval && (scope.since || scope.until); }

// The granted records of a scope; nullopt when the whole stream is granted or they are too many to list.
Result<std::optional<std::vector<RecordNo>>> granted_numbers(SearchRows& rows, const WordScope& scope) {
  if (scope.keys.empty() && !is_bounded(scope)) return std::nullopt;
  LADDER_TRY(std::vector<RecordNo> numbers,
             scope.keys.empty() ? rows.numbers_in(scope, kMaxListed + 1) : rows.numbers_of_keys(scope));
  if (std::ssize(numbers) > kMaxListed) return std::nullopt;
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

Result<std::vector<TextNo>> texts_of(SearchRows& rows, std::span<const RecordNo> records) {
  std::vector<TextNo> texts;
  LADDER_TRY(const auto found, rows.texts_of(records));
  texts.reserve(found.size());
  for (const auto& [record, text] : found) texts.push_back(text);
  std::ranges::sort(texts);
  return texts;
}

// Replaces the scope's blocks by the runs of the ascending numbers.
void narrow_blocks(std::vector<ScopeBlock>& blocks, std::uint32_t scope, std::span<const std::int64_t> numbers) {
  std::erase_if(blocks, [&](const ScopeBlock& block) { return block.scope == scope; });
  const std::size_t others = blocks.size();
  for (const std::int64_t number : numbers) {
    if (blocks.size() > others && blocks.back().end == number) ++blocks.back().end;
    else blocks.push_back({number, number + 1, scope});
  }
}

// Narrows the blocks of every scope that is only partly granted.
Status narrow_scopes(SearchRows& rows, std::span<const WordScope> scopes, SearchRanges& ranges) {
  for (std::uint32_t scope = 0; scope < scopes.size(); ++scope) {
    LADDER_TRY(const auto numbers, granted_numbers(rows, scopes[scope]));
    if (!numbers) continue;
    narrow_blocks(ranges.record_blocks, scope, *numbers);
    if (std::ranges::find(ranges.text_blocks, scope, &ScopeBlock::scope) == ranges.text_blocks.end()) continue;
    LADDER_TRY(const std::vector<TextNo> texts, texts_of(rows, *numbers));
    narrow_blocks(ranges.text_blocks, scope, texts);
  }
  return {};
}

SearchRanges::ScopeKey key_of(const WordScope& scope) {
  return {scope.stream, is_bounded(scope) ? scope.interval : std::nullopt, scope.keys};
}

}  // namespace

bool SearchRanges::is_for(std::span<const WordScope> scopes) const {
  return std::ranges::equal(scopes, scope_keys, [](const WordScope& scope, const ScopeKey& one) { return key_of(scope) == one; });
}

Result<std::shared_ptr<const SearchRanges>> make_search_ranges(SearchRows& rows, std::span<const WordScope> scopes) {
  auto made = std::make_shared<SearchRanges>();
  for (const WordScope& scope : scopes) made->scope_keys.push_back(key_of(scope));
  LADDER_TRY(made->record_blocks, rows.blocks(scopes, NumberKind::kRecords));
  LADDER_TRY(made->text_blocks, rows.blocks(scopes, NumberKind::kTexts));
  LADDER_CHECK(narrow_scopes(rows, scopes, *made));
  std::ranges::sort(made->record_blocks, {}, &ScopeBlock::first);
  std::ranges::sort(made->text_blocks, {}, &ScopeBlock::first);
  made->record_rows = row_ranges(made->record_blocks);
  made->text_rows = row_ranges(made->text_blocks);
  if (!made->text_blocks.empty()) {
    LADDER_TRY(made->shared, rows.shared_texts());
  }
  return made;
}

const ScopeBlock* BlockFinder::find(std::int64_t number) {
  if (blocks_.empty()) return nullptr;
  const ScopeBlock& last = blocks_[at_];
  if (number < last.first || number >= last.end) {
    const auto after = std::ranges::upper_bound(blocks_, number, {}, &ScopeBlock::first);
    if (after == blocks_.begin()) return nullptr;
    at_ = static_cast<std::size_t>(after - blocks_.begin()) - 1;
  }
  return number < blocks_[at_].end ? &blocks_[at_] : nullptr;
}

}  // namespace ladder::store
