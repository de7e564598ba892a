#include "store/sqlite/search/word_ranges.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {

namespace {

using Blocks = Connection::NumberBlocks;

constexpr std::size_t kFewScopes = 16;  // asked for one by one; for more, all blocks there are are kept at hand

Status ask_for_blocks(Connection& connection, std::span<const WordScope> scopes, NumberKind kind,
                      std::vector<ScopeBlock>& blocks) {
  Statement rows = connection.use(Sql::kBlocksOfStream);
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    rows.reset();
    rows.integer(1, scopes[scope].stream).integer(2, static_cast<std::int64_t>(kind));
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const std::int64_t first = rows.integer_at(0);
      blocks.push_back({first, first + rows.integer_at(1), static_cast<std::uint32_t>(scope)});
    }
  }
  return {};
}

Result<const Blocks*> all_blocks(Connection& connection) {
  Blocks& kept = connection.number_blocks();
  std::int64_t taken = 0;
  {
    Statement numbers = connection.use(Sql::kNumbersTaken);
    LADDER_TRY(const bool row, numbers.step());
    if (row) taken = numbers.integer_at(0);
  }
  if (kept.taken == taken) return &kept;
  Blocks fresh{taken, {}};
  Statement rows = connection.use(Sql::kAllBlocks);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    const std::int64_t first = rows.integer_at(2);
    fresh.blocks.push_back({rows.integer_at(0), rows.integer_at(1), first, first + rows.integer_at(3)});
  }
  kept = std::move(fresh);
  return &kept;
}

void pick_blocks(const Blocks& all, std::span<const WordScope> scopes, NumberKind kind, std::vector<ScopeBlock>& blocks) {
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    const std::pair wanted(scopes[scope].stream, static_cast<std::int64_t>(kind));
    const auto of = [](const Blocks::Block& block) { return std::pair(block.stream, block.kind); };
    for (const Blocks::Block& block : std::ranges::equal_range(all.blocks, wanted, {}, of)) {
      blocks.push_back({block.first, block.end, static_cast<std::uint32_t>(scope)});
    }
  }
}

}  // namespace

Result<std::vector<ScopeBlock>> scope_blocks(Connection& connection, std::span<const WordScope> scopes, NumberKind kind) {
  std::vector<ScopeBlock> blocks;
  if (scopes.size() <= kFewScopes) {
    LADDER_CHECK(ask_for_blocks(connection, scopes, kind, blocks));
  } else {
    LADDER_TRY(const Blocks* const all, all_blocks(connection));
    pick_blocks(*all, scopes, kind, blocks);
  }
  std::ranges::sort(blocks, {}, &ScopeBlock::first);
  return blocks;
}

namespace {

constexpr std::size_t kMaxRanges = 16;  // each costs a look-up for every list

}  // namespace

std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks) {
  if (blocks.empty()) return {};
  std::vector<std::int64_t> gaps;  // before each block but the first
  for (std::size_t i = 1; i < blocks.size(); ++i) gaps.push_back(blocks[i].first - blocks[i - 1].end);
  // A gap is left out when it is one of the widest; none that is empty.
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

namespace {

constexpr std::size_t kMaxKeptShared = 1024;  // texts; with more, what is found is used once

Result<SharedTexts> shared_texts(Connection& connection) {
  SharedTexts shared;
  Statement rows = connection.use(Sql::kSharedTexts);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return shared;
    shared.emplace(rows.integer_at(0), rows.integer_at(1));
  }
}

}  // namespace

namespace {

// Of the records of a time range: listing them takes some milliseconds, once after each commit. A larger range is searched like
// all of its stream, and each record that has the words is looked at for its time.
constexpr std::int64_t kMaxListed = 16'384;
constexpr std::size_t kAboveAllBytes = 34;  // of 0xFF: an entry's value begins with 33 at most, and no ordering key with any

Result<std::vector<RecordNo>> numbers_in(Connection& connection, const WordScope& scope) {
  const WordStretch& stretch = *scope.stretch;
  const std::string above_all(kAboveAllBytes, '\xFF');
  std::vector<RecordNo> numbers;
  Statement rows = connection.use(stretch.index == 0 ? Sql::kNumbersInOrder : Sql::kNumbersInIndex);
  rows.integer(1, stretch.index == 0 ? scope.stream : stretch.index).blob(2, stretch.from);
  rows.blob(3, stretch.to.empty() ? above_all : stretch.to).integer(4, kMaxListed + 1);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return numbers;
    numbers.push_back(rows.integer_at(0));
  }
}

Result<std::vector<RecordNo>> numbers_of_keys(Connection& connection, const WordScope& scope) {
  std::vector<RecordNo> numbers;
  Statement row = connection.use(Sql::kNumberOfKey);
  for (const std::string& key : scope.keys) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, scope.stream).blob(2, key).step());
    if (found) numbers.push_back(row.integer_at(0));
  }
  return numbers;
}

Result<std::vector<TextNo>> texts_of(Connection& connection, std::span<const RecordNo> records) {
  std::vector<TextNo> texts;
  Statement rows = connection.use(Sql::kTextsOfRecord);
  for (const RecordNo record : records) {
    rows.reset();
    rows.integer(1, record);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      texts.push_back(rows.integer_at(0));
    }
  }
  std::ranges::sort(texts);
  return texts;
}

// Puts the runs of the ascending numbers in the place of the scope's blocks.
void narrow_blocks(std::vector<ScopeBlock>& blocks, std::uint32_t scope, std::span<const std::int64_t> numbers) {
  std::erase_if(blocks, [&](const ScopeBlock& block) { return block.scope == scope; });
  const std::size_t others = blocks.size();
  for (const std::int64_t number : numbers) {
    if (blocks.size() > others && blocks.back().end == number) ++blocks.back().end;
    else blocks.push_back({number, number + 1, scope});
  }
}

// Narrows the blocks of every scope of which a part is granted.
Status narrow_scopes(Connection& connection, std::span<const WordScope> scopes, SearchRanges& ranges) {
  bool any = false;
  for (std::uint32_t scope = 0; scope < scopes.size(); ++scope) {
    LADDER_TRY(const auto numbers, granted_numbers(connection, scopes[scope]));
    if (!numbers) continue;
    any = true;
    narrow_blocks(ranges.record_blocks, scope, *numbers);
    if (std::ranges::find(ranges.text_blocks, scope, &ScopeBlock::scope) == ranges.text_blocks.end()) continue;
    LADDER_TRY(const std::vector<TextNo> texts, texts_of(connection, *numbers));
    narrow_blocks(ranges.text_blocks, scope, texts);
  }
  if (!any) return {};
  std::ranges::sort(ranges.record_blocks, {}, &ScopeBlock::first);
  std::ranges::sort(ranges.text_blocks, {}, &ScopeBlock::first);
  return {};
}

// Without bounds the stretch is all that have a time, and narrows nothing.
bool is_bounded(const WordScope& scope) { return scope.stretch && (scope.since || scope.until); }

// All streams of a search belong to one owner.
Result<OwnerNo> owner_of(Connection& connection, std::span<const WordScope> scopes) {
  if (scopes.empty()) return 0;
  Statement row = connection.use(Sql::kOwnerOfStream);
  LADDER_TRY(const bool found, row.integer(1, scopes.front().stream).step());
  return found ? row.integer_at(0) : 0;
}

SearchRanges::Asked asked_of(const WordScope& scope) {
  return {scope.stream, is_bounded(scope) ? scope.stretch : std::nullopt, scope.keys};
}

}  // namespace

Result<std::optional<std::vector<RecordNo>>> granted_numbers(Connection& connection, const WordScope& scope) {
  if (scope.keys.empty() && !is_bounded(scope)) return std::nullopt;
  LADDER_TRY(std::vector<RecordNo> numbers,
             scope.keys.empty() ? numbers_in(connection, scope) : numbers_of_keys(connection, scope));
  if (std::ssize(numbers) > kMaxListed) return std::nullopt;
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

Result<std::shared_ptr<const SearchRanges>> search_ranges(Connection& connection, std::span<const WordScope> scopes,
                                                          std::optional<std::int64_t> data_version) {
  auto& kept = connection.search_ranges();
  const auto same = [](const WordScope& scope, const SearchRanges::Asked& asked) { return asked_of(scope) == asked; };
  if (kept && data_version == kept->data_version && std::ranges::equal(scopes, kept->asked, same)) return kept;
  kept.reset();
  auto made = std::make_shared<SearchRanges>();
  made->data_version = data_version.value_or(0);
  for (const WordScope& scope : scopes) made->asked.push_back(asked_of(scope));
  LADDER_TRY(made->owner, owner_of(connection, scopes));
  LADDER_TRY(made->record_blocks, scope_blocks(connection, scopes, NumberKind::kRecords));
  LADDER_TRY(made->text_blocks, scope_blocks(connection, scopes, NumberKind::kTexts));
  LADDER_CHECK(narrow_scopes(connection, scopes, *made));
  made->record_rows = row_ranges(made->record_blocks);
  made->text_rows = row_ranges(made->text_blocks);
  if (!made->text_blocks.empty()) {
    LADDER_TRY(made->shared, shared_texts(connection));
  }
  if (data_version && made->shared.size() <= kMaxKeptShared) kept = made;
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

}  // namespace ladder::store::sqlite
