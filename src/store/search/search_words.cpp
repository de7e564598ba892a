#include "store/search/search_words.h"

#include "base/text/bytes.h"
#include "store/checksums/row_sums.h"
#include "store/search/top_hits.h"
#include "store/search/word_hits.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <unordered_map>

namespace ladder::store {
namespace {

struct KeyedCandidate {
  text::HitSortKey sort_key;
  std::int64_t number = 0;
  std::shared_ptr<FoundRecord> hit;  // set once read; a pointer, since thousands of candidates are sorted
  bool in_head = false;              // its group needs no further lookup
  std::int64_t more = 0, alike = 0;  // hits that it represents
};

class WordSearcher {
 public:
  WordSearcher(SearchRows& rows, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges)
      : rows_(rows),
        search_(search),
        ranges_(std::move(ranges)),
        query_(*search.query),
        terms_(query_),
        index_(rows.postings()) {}

  Result<WordPage> run();

 private:
  Status check_interrupted() const;
  // Walks the rows that match an expression, and calls `take` regularly and at the end.
  using Take = std::function<Status()>;
  Status walk(const WordExpression& expression, std::span<const RowRange> ranges, HitSink& sink, const Take& take);
  Status look_up();
  HitContext context() const { return {query_, weights_, search_.scopes}; }

  Status weigh();
  Result<std::int64_t> records_of_whole_scopes();
  Result<std::int64_t> count_records(std::size_t term);
  Result<TermCount> count_again(std::size_t term);
  void set_count_keys();
  bool needs_only_known_counts() const;

  Status search_single();
  Status search_texts();
  Result<std::vector<TextNo>> texts_with(const WordExpression& expression);
  template <class Candidate>
  Status to_records(std::vector<Candidate>& texts);

  Status take(std::vector<CountedCandidate>& records);
  template <class Candidate>
  Status keep_granted(std::vector<Candidate>& candidates);
  Status check_candidates(std::span<const WordCandidate> unknown);
  Status check_times(std::span<const WordCandidate> unknown);
  Status check_records(std::span<const WordCandidate> unknown);

  Result<std::vector<std::optional<RecordSortKey>>> sort_keys_of(std::span<const RecordNo> numbers);
  Result<std::vector<KeyedCandidate>> with_sort_keys(std::span<const WordCandidate> candidates);
  Status read_records(std::span<KeyedCandidate* const> candidates);
  struct HeadRecord {
    SearchCache::HeadRecord known;
    std::shared_ptr<FoundRecord> hit;  // if it was read
  };
  Result<std::vector<HeadRecord>> head_records(std::span<const CountedCandidate> candidates);
  Result<std::vector<KeyedCandidate>> measured();
  Result<std::vector<KeyedCandidate>> first_in_order(std::vector<KeyedCandidate>& rest, WordPage& page);
  void fold(std::vector<KeyedCandidate>& first);
  Result<std::vector<KeyedCandidate>> candidates(WordPage& page);
  Result<WordPage> page();
  Status take_hits(std::vector<KeyedCandidate>& best, WordPage& page);
  Status add_passages(std::span<KeyedCandidate* const> chosen, WordPage& page);

  SearchRows& rows_;
  const WordSearch& search_;
  const std::shared_ptr<const SearchRanges> ranges_;
  text::WordQuery query_;  // after lookup and counting, without forms that occur nowhere
  const WordTerms terms_;
  PostingIndex index_;
  text::WordWeights weights_;
  std::vector<std::string> count_keys_;              // per term, for the cache; empty: records are checked one by one
  std::vector<std::int64_t> counts_;                 // per term, once counted
  std::unordered_map<std::int64_t, bool> verdicts_;  // by number, for checked records
  std::optional<WordRanking> ranking_;
  TopHits head_{search_};
};

Status WordSearcher::check_interrupted() const {
  if (search_.stop.stop_requested()) return fail(Code::kCancelled, "the search was canceled because the client disconnected");
  if (!search_.deadline.passed()) return {};
  return fail(Code::kDeadline, "the search took too long: ask for fewer streams, or for words that are less common");
}

// Looks up all words of the query together, and drops forms that no segment contains: a rare word has hundreds of
// spellings. A form that only records outside the scopes contain stays, and matches nothing.
Status WordSearcher::look_up() {
  LADDER_CHECK(index_.load());
  std::vector<std::string> words = words_of(query_);
  ranges_->cache.drop_absent(words);
  LADDER_CHECK(index_.look_up(words));
  std::erase_if(words, [&](const std::string& word) { return index_.has(word); });
  ranges_->cache.put_absent(words);
  const auto is_present = [&](const std::string& word) { return index_.has(word); };
  for (text::WordTerm& term : query_.terms) {
    std::erase_if(term.forms, [&](const std::string& form) { return !std::ranges::all_of(words_of_form(form), is_present); });
  }
  return {};
}

Status WordSearcher::walk(const WordExpression& expression, std::span<const RowRange> ranges, HitSink& sink, const Take& take) {
  PostingWalk postings(index_, expression);
  for (const RowRange& range : ranges) {
    for (WordRowId from = range.first;;) {
      const std::optional<WordRowId> row = postings.next(from, range.last);
      const bool pause = !row || sink.see(postings, *row);
      if (pause) {
        LADDER_CHECK(index_.status());
        LADDER_CHECK(check_interrupted());
        LADDER_CHECK(take());
        if (sink.full()) return {};
      }
      if (!row) break;
      from = *row + 1;
    }
  }
  return {};
}

// --- weights ---

Result<std::int64_t> WordSearcher::records_of_whole_scopes() {
  std::vector<StreamNo> streams;
  for (const WordScope& scope : search_.scopes) {
    if (!scope.is_restricted()) streams.push_back(scope.stream);
  }
  return rows_.records_of(streams);
}

// Returns whether records count without a check of time or content.
bool shows_all(const WordScope& scope) { return !scope.since && !scope.until && !scope.checked; }

// The term as it was asked, before look_up() drops forms, and the columns where it counts.
std::string count_key(const text::WordTerm& term, std::size_t number, std::span<const WordScope> scopes) {
  std::string key;
  put_varint(key, term.words.size() << 1 | (term.prefix ? 1 : 0));
  for (const std::string& word : term.words) put_sized(key, word);
  put_varint(key, term.forms.size());
  for (const std::string& form : term.forms) put_sized(key, form);
  for (const WordScope& scope : scopes) put_varint(key, scope.of_term(number));
  return key;
}

void WordSearcher::set_count_keys() {
  if (!std::ranges::all_of(search_.scopes, shows_all)) return;
  for (std::size_t i = 0; i < query_.terms.size(); ++i) {
    count_keys_.push_back(count_key(query_.terms[i], i, search_.scopes));
  }
}

// A search for counts alone, of terms that were counted before, reads nothing. A word with near or compound words causes
// several of them.
bool WordSearcher::needs_only_known_counts() const {
  const auto is_known = [&](const std::string& key) { return ranges_->cache.count(key).has_value(); };
  return !count_keys_.empty() && std::ranges::any_of(query_.terms, text::is_absent_term) &&
         std::ranges::all_of(count_keys_, is_known);
}

// The number of granted records with the term, up to kCountedRecords. Drops forms that a complete walk did not find:
// looking up a missing form costs as much as an existing one.
Result<std::int64_t> WordSearcher::count_records(std::size_t term) {
  TermCount count;
  if (const auto known = count_keys_.empty() ? std::nullopt : ranges_->cache.count(count_keys_[term])) {
    count = *known;
  } else {
    LADDER_TRY(count, count_again(term));
    if (!count_keys_.empty()) ranges_->cache.put_count(count_keys_[term], count);
  }
  if (count.records < text::kCountedRecords) query_.terms[term].forms = count.forms;
  return count.records;
}

// `phrases`: bits as NumbersWith sets them; bit 0 is the word itself.
std::vector<std::string> forms_in(const std::vector<std::string>& forms, std::uint32_t phrases) {
  std::vector<std::string> found;
  for (std::size_t form = 0; form < forms.size(); ++form) {
    if (phrases >> std::min<std::size_t>(form + 1, 31) & 1) found.push_back(forms[form]);
  }
  return found;
}

Result<TermCount> WordSearcher::count_again(std::size_t term) {
  const WordExpression expression = terms_.one(term);
  const std::vector<std::string>& forms = query_.terms[term].forms;
  std::int64_t count = 0;
  std::uint32_t phrases = 0;
  {
    NumbersWith numbers(query_, expression, search_.scopes, ranges_->record_blocks);
    const auto take = [&]() -> Status {
      LADDER_CHECK(keep_granted(numbers.found));
      count += std::ssize(numbers.found);
      numbers.found.clear();
      if (count >= text::kCountedRecords) numbers.end();
      return {};
    };
    LADDER_CHECK(walk(expression, ranges_->record_rows, numbers, take));
    phrases = numbers.phrases;
  }
  if (count >= text::kCountedRecords) return TermCount{text::kCountedRecords};
  if (ranges_->text_blocks.empty()) return TermCount{count, forms_in(forms, phrases)};
  std::set<RecordNo> records;  // a record may have several texts
  NumbersWith texts(query_, expression, search_.scopes, ranges_->text_blocks);
  const auto take = [&]() -> Status {
    LADDER_CHECK(to_records(texts.found));
    LADDER_CHECK(keep_granted(texts.found));
    for (const WordCandidate& candidate : texts.found) records.insert(candidate.number);
    texts.found.clear();
    if (count + std::ssize(records) >= text::kCountedRecords) texts.end();
    return {};
  };
  LADDER_CHECK(walk(expression, ranges_->text_rows, texts, take));
  return TermCount{std::min(count + std::ssize(records), text::kCountedRecords), forms_in(forms, phrases | texts.phrases)};
}

Status WordSearcher::weigh() {
  if (search_.weights) {
    weights_ = *search_.weights;
    ranking_.emplace(search_, weights_.measured_above, false);
    return {};
  }
  const std::size_t terms = query_.terms.size();
  counts_.assign(terms, 0);
  if (terms > 1) {
    for (std::size_t term = 0; term < terms; ++term) {
      LADDER_TRY(counts_[term], count_records(term));
    }
  }
  LADDER_TRY(const std::int64_t records, records_of_whole_scopes());
  weights_ = text::weigh_terms(query_, records, counts_);
  weights_.measured_above = text::kNothingMeasured;
  ranking_.emplace(search_, weights_.measured_above, search_.reading && terms > 1 && search_.order == text::WordOrder::kScore);
  return {};
}

// --- candidates ---

Status WordSearcher::search_single() {
  const WordExpression expression = terms_.candidates(weights_);
  SingleHits hits(context(), expression, ranges_->record_blocks);
  return walk(expression, ranges_->record_rows, hits, [&] { return take(hits.found); });
}

constexpr std::size_t kFewTexts = 32;  // checked one by one

Status WordSearcher::search_texts() {
  const std::vector<ScopeBlock>& blocks = ranges_->text_blocks;
  if (blocks.empty()) return {};
  std::span<const RowRange> ranges = ranges_->text_rows;
  std::vector<RowRange> of_few;
  const WordExpression any = terms_.any();
  TextHits hits(context(), any, blocks, ranges_->shared);
  std::vector<TextNo> texts;
  if (any.phrases.size() > 1 && ranges_->shared.empty()) {
    LADDER_TRY(texts, texts_with(terms_.finders(weights_)));
    if (texts.empty()) return {};
    hits.look_at(texts);
    if (texts.size() <= kFewTexts) {
      for (const TextNo text : texts) of_few.push_back({first_row(text), last_row(text)});
      ranges = of_few;
    }
  }
  const auto take_found = [&]() -> Status {
    LADDER_CHECK(to_records(hits.found));
    return take(hits.found);
  };
  LADDER_CHECK(walk(any, ranges, hits, take_found));
  hits.end_text();
  LADDER_CHECK(take_found());
  std::vector<CountedCandidate> records = hits.shared_found();
  return take(records);
}

Result<std::vector<TextNo>> WordSearcher::texts_with(const WordExpression& expression) {
  std::vector<TextNo> texts;
  NumbersWith numbers(query_, expression, search_.scopes, ranges_->text_blocks);
  const auto take_numbers = [&]() -> Status {
    for (const WordCandidate& text : numbers.found) texts.push_back(text.number);
    numbers.found.clear();
    return {};
  };
  LADDER_CHECK(walk(expression, ranges_->text_rows, numbers, take_numbers));
  return texts;
}

// Replaces text numbers by the numbers of their records. Drops other passages: they are staged or wait for the sweep.
template <class Candidate>
Status WordSearcher::to_records(std::vector<Candidate>& texts) {
  if (texts.empty()) return {};
  std::vector<TextNo> numbers;
  numbers.reserve(texts.size());
  for (const Candidate& text : texts) numbers.push_back(text.number);
  LADDER_TRY(const std::vector<RecordNo> records, rows_.records_of_texts(numbers));
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].number = records[i];
  std::erase_if(texts, [](const Candidate& text) { return text.number == 0; });
  return {};
}

constexpr std::size_t kMaxVerdicts = 200'000;  // entries kept
constexpr std::size_t kCheckedAtOnce = 64;     // records of checked scopes are read in batches
constexpr std::size_t kSortKeysAtOnce = 4096;

// Drops candidates whose time or content is outside the scope.
template <class Candidate>
Status WordSearcher::keep_granted(std::vector<Candidate>& candidates) {
  const auto is_shown = [&](const WordCandidate& candidate) { return shows_all(search_.scopes[candidate.scope]); };
  if (std::ranges::all_of(candidates, is_shown)) return {};
  if (verdicts_.size() >= kMaxVerdicts) verdicts_.clear();
  std::vector<WordCandidate> unknown;
  for (const Candidate& candidate : candidates) {
    if (!is_shown(candidate) && !verdicts_.contains(candidate.number)) unknown.push_back(candidate);
  }
  for (std::span<const WordCandidate> rest = unknown; !rest.empty();) {
    const std::size_t some = std::min(rest.size(), kCheckedAtOnce);
    LADDER_CHECK(check_interrupted());
    LADDER_CHECK(check_candidates(rest.first(some)));
    rest = rest.subspan(some);
  }
  std::erase_if(candidates, [&](const Candidate& candidate) { return !is_shown(candidate) && !verdicts_.at(candidate.number); });
  return {};
}

Status WordSearcher::check_candidates(std::span<const WordCandidate> unknown) {
  for (const WordCandidate& candidate : unknown) verdicts_[candidate.number] = true;
  std::vector<WordCandidate> timed, checked;
  for (const WordCandidate& candidate : unknown) {
    const WordScope& scope = search_.scopes[candidate.scope];
    if (scope.since || scope.until) timed.push_back(candidate);
  }
  LADDER_CHECK(check_times(timed));
  for (const WordCandidate& candidate : unknown) {
    if (search_.scopes[candidate.scope].checked && verdicts_[candidate.number]) checked.push_back(candidate);
  }
  return check_records(checked);
}

std::vector<std::int64_t> numbers_of(std::span<const WordCandidate> candidates) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(candidates.size());
  for (const WordCandidate& candidate : candidates) numbers.push_back(candidate.number);
  return numbers;
}

Status WordSearcher::check_times(std::span<const WordCandidate> unknown) {
  if (unknown.empty()) return {};
  LADDER_TRY(const auto times, rows_.times(numbers_of(unknown)));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const WordScope& scope = search_.scopes[unknown[i].scope];
    const std::optional<Instant>& time = times[i];
    verdicts_[unknown[i].number] = time && (!scope.since || *time >= *scope.since) && (!scope.until || *time < *scope.until);
  }
  return {};
}

Status WordSearcher::check_records(std::span<const WordCandidate> unknown) {
  if (unknown.empty()) return {};
  LADDER_TRY(const auto records, rows_.records(numbers_of(unknown)));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    bool& verdict = verdicts_[unknown[i].number];
    verdict = records[i].has_value();
    if (!verdict) continue;
    if (records[i]->record.damaged) return std::unexpected(damaged_record(unknown[i].number));
    LADDER_TRY(verdict, search_.accept(unknown[i].scope, records[i]->record));
  }
  return {};
}

Status WordSearcher::take(std::vector<CountedCandidate>& records) {
  LADDER_CHECK(keep_granted(records));
  for (const CountedCandidate& candidate : records) ranking_->add(candidate);
  records.clear();
  return {};
}

// An element is empty if a record was damaged when it was deleted and left its words in the index.
Result<std::vector<std::optional<RecordSortKey>>> WordSearcher::sort_keys_of(std::span<const RecordNo> numbers) {
  std::vector<std::optional<RecordSortKey>> sort_keys;
  sort_keys.reserve(numbers.size());
  std::vector<RecordNo> unknown;
  for (const RecordNo number : numbers) {
    if (!sort_keys.emplace_back(ranges_->cache.sort_key(number))) unknown.push_back(number);
  }
  if (unknown.empty()) return sort_keys;
  LADDER_TRY(auto found, rows_.sort_keys(unknown));
  for (std::size_t i = 0, next = 0; i < sort_keys.size(); ++i) {
    if (sort_keys[i]) continue;
    sort_keys[i] = std::move(found[next++]);
    if (sort_keys[i]) ranges_->cache.put_sort_key(numbers[i], *sort_keys[i]);
  }
  return sort_keys;
}

Result<std::vector<KeyedCandidate>> WordSearcher::with_sort_keys(std::span<const WordCandidate> candidates) {
  std::vector<KeyedCandidate> keyed_candidates;
  keyed_candidates.reserve(candidates.size());
  const auto add = [&](const WordCandidate& candidate, RecordSortKey&& at) -> KeyedCandidate& {
    if (!search_.scopes[candidate.scope].timed) at.time.reset();
    KeyedCandidate& keyed = keyed_candidates.emplace_back();
    keyed.number = candidate.number;
    keyed.sort_key = {candidate.score, at.time, std::move(at.key), candidate.scope};
    return keyed;
  };
  if (std::ssize(candidates) <= search_.limit) {  // all are hits
    LADDER_TRY(auto records, rows_.records(numbers_of(candidates)));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!records[i]) continue;
      KeyedCandidate& keyed = add(candidates[i], {records[i]->time, records[i]->record.key});
      keyed.hit = std::make_shared<FoundRecord>(*std::move(records[i]));
    }
    return keyed_candidates;
  }
  for (std::span<const WordCandidate> rest = candidates; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kSortKeysAtOnce));
    LADDER_CHECK(check_interrupted());
    LADDER_TRY(auto found, sort_keys_of(numbers_of(some)));
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (found[i]) add(some[i], *std::move(found[i]));
    }
    rest = rest.subspan(some.size());
  }
  return keyed_candidates;
}

// Reads the candidates that have not been read yet.
Status WordSearcher::read_records(std::span<KeyedCandidate* const> candidates) {
  std::vector<KeyedCandidate*> missing;
  std::vector<RecordNo> numbers;
  for (KeyedCandidate* const candidate : candidates) {
    if (candidate->hit) continue;
    missing.push_back(candidate);
    numbers.push_back(candidate->number);
  }
  if (missing.empty()) return {};
  LADDER_TRY(auto records, rows_.records(numbers));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!records[i]) return fail(Code::kInternal, "the word index has words of a missing record: run `ladder doctor`");
    missing[i]->hit = std::make_shared<FoundRecord>(*std::move(records[i]));
  }
  return {};
}

// Returns what ranking needs of the records over the threshold, from the cache or else by reading them. An element without a
// text has no record: a damaged record was deleted and left its words in the index.
Result<std::vector<WordSearcher::HeadRecord>> WordSearcher::head_records(std::span<const CountedCandidate> candidates) {
  std::vector<HeadRecord> head(candidates.size());
  std::vector<std::size_t> unknown;
  std::vector<RecordNo> numbers;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t reading_key = search_.scopes[candidates[i].scope].reading_key;
    if (auto known = reading_key == 0 ? std::nullopt : ranges_->cache.head_record(candidates[i].number, reading_key);
        known && (known->text->has_words || !head_.needs_words())) {
      head[i].known = *std::move(known);
      continue;
    }
    unknown.push_back(i);
    numbers.push_back(candidates[i].number);
  }
  if (unknown.empty()) return head;
  LADDER_TRY(auto records, rows_.records(numbers));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    if (!records[i]) continue;
    const CountedCandidate& candidate = candidates[unknown[i]];
    HeadRecord& read = head[unknown[i]];
    read.hit = std::make_shared<FoundRecord>(*std::move(records[i]));
    const RecordRow& record = read.hit->record;
    read.known = {{read.hit->time, record.key}, std::make_shared<const TopHitText>(head_.read(candidate.scope, record))};
    const std::uint64_t reading_key = search_.scopes[candidate.scope].reading_key;
    if (reading_key != 0 && !record.damaged) ranges_->cache.put_head_record(candidate.number, reading_key, read.known);
  }
  return head;
}

// Ranks the candidates over the threshold.
Result<std::vector<KeyedCandidate>> WordSearcher::measured() {
  std::vector<KeyedCandidate> keyed_candidates;
  const std::vector<CountedCandidate>& candidates = ranking_->measured();
  LADDER_TRY(std::vector<HeadRecord> head, head_records(candidates));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!head[i].known.text) continue;
    const CountedCandidate& candidate = candidates[i];
    KeyedCandidate& keyed = keyed_candidates.emplace_back();
    RecordSortKey& at = head[i].known.sort_key;
    if (!search_.scopes[candidate.scope].timed) at.time.reset();
    keyed.sort_key = {candidate.score, at.time, std::move(at.key), candidate.scope};
    keyed.number = candidate.number;
    keyed.hit = std::move(head[i].hit);
    head_.add(keyed.sort_key, std::move(head[i].known.text), candidate.counts);
  }
  head_.rank(weights_, !search_.weights);
  for (std::size_t i = 0; i < keyed_candidates.size(); ++i) keyed_candidates[i].sort_key.score = head_.score(i);
  return keyed_candidates;
}

std::vector<KeyedCandidate*> pointers_to(std::vector<KeyedCandidate>& candidates) {
  std::vector<KeyedCandidate*> pointers;
  pointers.reserve(candidates.size());
  for (KeyedCandidate& candidate : candidates) pointers.push_back(&candidate);
  return pointers;
}

// Moves the first candidates in order out of `rest`. Used when hits are folded but not measured.
Result<std::vector<KeyedCandidate>> WordSearcher::first_in_order(std::vector<KeyedCandidate>& rest, WordPage& page) {
  std::vector<KeyedCandidate> first;
  page.head_end = search_.head_end;
  if (search_.weights) {
    const auto behind = [&](const KeyedCandidate& candidate) {
      return search_.head_end && text::comes_before(search_.order, *search_.head_end, candidate.sort_key);
    };
    if (search_.order == text::WordOrder::kScore) {
      LADDER_TRY(first, with_sort_keys(ranking_->head()));
    } else {
      first = rest;
    }
    std::erase_if(first, behind);
    std::erase_if(rest, [&](const KeyedCandidate& candidate) { return !behind(candidate); });
  } else {
    const auto by_sort_key = [&](const KeyedCandidate& a, const KeyedCandidate& b) {
      return text::comes_before(search_.order, a.sort_key, b.sort_key);
    };
    const auto end = rest.begin() + static_cast<std::ptrdiff_t>(std::min(rest.size(), text::kMeasuredRecords));
    std::ranges::partial_sort(rest, end, by_sort_key);
    first.assign(std::make_move_iterator(rest.begin()), std::make_move_iterator(end));
    rest.erase(rest.begin(), end);
    if (!rest.empty()) page.head_end = first.back().sort_key;
  }
  LADDER_CHECK(read_records(pointers_to(first)));
  for (const KeyedCandidate& candidate : first) head_.add(candidate.sort_key, candidate.hit->record);
  return first;
}

void WordSearcher::fold(std::vector<KeyedCandidate>& first) {
  head_.fold();
  std::vector<KeyedCandidate> shown;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!head_.is_shown(i)) continue;
    shown.push_back(std::move(first[i]));
    shown.back().more = head_.more(i);
    shown.back().alike = head_.alike(i);
  }
  first = std::move(shown);
}

// Returns every candidate that can be on the page.
Result<std::vector<KeyedCandidate>> WordSearcher::candidates(WordPage& page) {
  const bool folds = store::folds(search_);
  const bool measures = weights_.measured_above != text::kNothingMeasured;
  const auto drop_shown = [&](std::vector<KeyedCandidate>& from) {
    if (!search_.after) return;
    std::erase_if(from, [&](const KeyedCandidate& candidate) {
      return !text::comes_before(search_.order, *search_.after, candidate.sort_key);
    });
  };
  std::vector<KeyedCandidate> best;
  if (measures) {
    LADDER_TRY(best, measured());
    page.all_in_head = page.matches == std::ssize(best);
    if (folds) fold(best);
    for (KeyedCandidate& candidate : best) candidate.in_head = true;
    drop_shown(best);
  }
  LADDER_TRY(std::vector<KeyedCandidate> ties, with_sort_keys(ranking_->ties()));
  drop_shown(ties);
  std::ranges::move(ties, std::back_inserter(best));
  const bool only_folds = folds && !measures;
  if (std::ssize(best) > search_.limit && !only_folds) return best;
  LADDER_CHECK(ranking_->drop_ties(rows_, search_.scopes));
  LADDER_TRY(std::vector<KeyedCandidate> rest, with_sort_keys(ranking_->rest()));
  std::ranges::move(rest, std::back_inserter(best));
  if (only_folds) {
    LADDER_TRY(std::vector<KeyedCandidate> first, first_in_order(best, page));
    page.all_in_head = !page.head_end;
    fold(first);
    for (KeyedCandidate& candidate : first) candidate.in_head = true;
    std::ranges::move(first, std::back_inserter(best));
  }
  if (only_folds || search_.order != text::WordOrder::kScore) drop_shown(best);
  return best;
}

Result<WordPage> WordSearcher::page() {
  WordPage page;
  ranking_->finish();
  weights_.measured_above = ranking_->measured_above();
  page.matches = page.ranked = ranking_->matches();
  page.matches_all = ranking_->matches_all();
  LADDER_TRY(std::vector<KeyedCandidate> best, candidates(page));
  page.weights = weights_;
  page.counts = counts_;
  if (counts_.size() == 1) page.counts = {std::min(page.matches, text::kCountedRecords)};
  page.exact = !text::leaves_out_terms(query_, weights_);
  LADDER_CHECK(take_hits(best, page));
  return page;
}

// Takes the first hits, without those whose group the head already shows.
Status WordSearcher::take_hits(std::vector<KeyedCandidate>& best, WordPage& page) {
  std::vector<KeyedCandidate*> order = pointers_to(best);  // sort pointers, since candidates are large
  std::vector<KeyedCandidate*> chosen;
  const auto by_sort_key = [&](const KeyedCandidate* a, const KeyedCandidate* b) {
    return text::comes_before(search_.order, a->sort_key, b->sort_key);
  };
  const auto limit = static_cast<std::size_t>(search_.limit);
  std::size_t sorted = 0, skipped = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    page.more = chosen.size() == limit || skipped > text::kMaxSkippedHits;
    if (page.more) break;
    if (at == sorted) {  // so many more must be sorted
      sorted = std::min(order.size(), sorted + limit);
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(at),
                 end = order.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(begin, end, order.end(), by_sort_key);
      LADDER_CHECK(check_interrupted());
      LADDER_CHECK(read_records({begin, end}));
    }
    KeyedCandidate& candidate = *order[at];
    page.last = candidate.sort_key;
    if (!candidate.in_head && !head_.passes(candidate.sort_key.scope, candidate.hit->record)) {
      ++skipped;
      continue;
    }
    chosen.push_back(&candidate);
  }
  if (!page.more) page.more = skipped > 0 && !ranking_->kept_all();
  page.hits.reserve(chosen.size());
  for (KeyedCandidate* const candidate : chosen) {
    WordHit& hit = page.hits.emplace_back();
    hit.record = std::move(candidate->hit->record);
    hit.more = candidate->more;
    hit.alike = candidate->alike;
    hit.sort_key = std::move(candidate->sort_key);
  }
  return search_.passages ? add_passages(chosen, page) : Status{};
}

// Finds the passages of all hits in one walk.
Status WordSearcher::add_passages(std::span<KeyedCandidate* const> chosen, WordPage& page) {
  std::vector<RecordNo> several;
  std::map<RecordNo, std::size_t> hits;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]->hit->several) continue;
    several.push_back(chosen[i]->number);
    hits.emplace(chosen[i]->number, i);
  }
  if (several.empty()) return {};
  LADDER_TRY(const auto texts, rows_.texts_of(several));
  const WordExpression any = terms_.any();
  PassageHits passages(context(), any);
  std::vector<RowRange> ranges;
  for (const auto& [record, text] : texts) {
    const std::size_t hit = hits.at(record);
    passages.expect(text, hit, search_.scopes[page.hits[hit].sort_key.scope]);
    ranges.push_back({first_row(text), last_row(text)});
  }
  std::ranges::sort(ranges, {}, &RowRange::first);
  LADDER_CHECK(walk(any, ranges, passages, [] { return Status{}; }));
  const std::vector<std::pair<std::size_t, WordRowId>> best = passages.choose();
  std::vector<WordRowId> rows;
  rows.reserve(best.size());
  for (const auto& [hit, row] : best) rows.push_back(row);
  if (rows.empty()) return {};
  LADDER_TRY(const auto found, rows_.passages(rows));
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!found[i]) return fail(Code::kInternal, "the word index has a row without a passage: run `ladder doctor`");
    page.hits[best[i].first].passages.push_back(*found[i]);
  }
  return {};
}

// A search skips the rows of a word that are not granted, at some nanoseconds each. Searches in part of a stream return
// only at whole ticks, so that response times reveal thousands of skipped rows at best, not a few.
constexpr std::chrono::microseconds kTick{1'000};

bool is_partial(const WordScope& scope) { return scope.since || scope.until || !scope.keys.empty(); }

void wait_for_tick(std::chrono::steady_clock::time_point begun) {
  const auto took = std::chrono::steady_clock::now() - begun;
  std::this_thread::sleep_until(begun + (took / kTick + 1) * kTick);
}

Result<WordPage> WordSearcher::run() {
  LADDER_CHECK(check_interrupted());
  set_count_keys();
  const bool only_counts = needs_only_known_counts();
  if (!only_counts) LADDER_CHECK(look_up());
  LADDER_CHECK(weigh());
  if (!only_counts) {
    LADDER_CHECK(search_single());
    LADDER_CHECK(search_texts());
  }
  return page();
}

}  // namespace

Result<WordPage> search_words(SearchRows& rows, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges) {
  const auto begun = std::chrono::steady_clock::now();
  Result<WordPage> page = WordSearcher(rows, search, std::move(ranges)).run();
  if (std::ranges::any_of(search.scopes, is_partial)) wait_for_tick(begun);
  return page;
}

}  // namespace ladder::store
