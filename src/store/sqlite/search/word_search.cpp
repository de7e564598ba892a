// A search: how common each term is, one walk over the records that have their words in one row, one over those that need
// several, and then the page. What the scopes leave out is left out before anything is counted.
#include "base/text/format.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/search/posting_rows.h"
#include "store/sqlite/search/word_hits.h"
#include "store/text/word_head.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <thread>
#include <unordered_map>

namespace ladder::store::sqlite {
namespace {

// Columns of kRecordByNo behind those of record_of.
constexpr int kKeyOfRecord = kRecordColumns, kStreamOfRecord = kRecordColumns + 1, kTextOfRecord = kRecordColumns + 2,
              kTimeOfRecord = kRecordColumns + 3;

struct ReadHit {
  RecordRow record;
  bool several = false;  // rows of the index
};

ReadHit hit_of(const Statement& row) {
  return {record_of(row, row.integer_at(kStreamOfRecord), row.bytes_at(kKeyOfRecord)), row.integer_at(kTextOfRecord) != 0};
}

struct PlacedCandidate {
  WordPlace place;
  std::int64_t number = 0;
  std::shared_ptr<ReadHit> hit;      // where it has been read already; apart, since thousands of others are put in order
  bool in_head = false;              // so that nothing is left to ask about its group
  std::int64_t more = 0, alike = 0;  // hits that it stands for
};

class WordSearcher {
 public:
  WordSearcher(Connection& connection, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges)
      : connection_(connection),
        search_(search),
        ranges_(std::move(ranges)),
        query_(*search.query),
        terms_(query_),
        rows_(connection, ranges_->owner),
        index_(rows_) {}

  Result<WordPage> run();

 private:
  Status still_wanted() const;
  // Walks the rows that an expression finds, and calls `take` now and then, and at the end.
  using Take = std::function<Status()>;
  Status walk(const WordExpression& expression, std::span<const RowRange> ranges, HitSink& sink, const Take& take);
  Status look_up();
  HitContext context() const { return {query_, weights_, search_.scopes}; }

  Status weigh();
  Result<std::int64_t> records_of_whole_scopes();
  Result<std::int64_t> count_records(std::size_t term);
  Result<SearchRanges::TermCount> count_anew(const WordExpression& expression);
  std::optional<std::string> count_key(const WordExpression& expression, std::size_t term) const;
  void drop_forms(std::size_t term, std::uint32_t phrases);

  Status search_single();
  Status search_texts();
  Result<std::vector<TextNo>> texts_with(const WordExpression& expression);
  template <class Candidate>
  Status to_records(std::vector<Candidate>& texts);

  Status take(std::vector<CountedCandidate>& records);
  Result<bool> is_granted(const WordCandidate& candidate);
  Result<bool> in_time(const WordCandidate& candidate);
  Result<bool> accepted(const WordCandidate& candidate);

  Result<std::optional<SearchRanges::Place>> place_of(RecordNo number);
  Result<std::vector<PlacedCandidate>> placed(std::span<const WordCandidate> candidates);
  Status read_record(PlacedCandidate& candidate);
  Result<std::vector<PlacedCandidate>> measured();
  Result<std::vector<PlacedCandidate>> first_in_order(std::vector<PlacedCandidate>& rest, WordPage& page);
  void fold(std::vector<PlacedCandidate>& first);
  Result<std::vector<PlacedCandidate>> candidates(WordPage& page);
  Result<WordPage> page();
  Status take_hits(std::vector<PlacedCandidate>& best, WordPage& page);
  Result<WordHit> hit(PlacedCandidate& candidate);
  Result<std::vector<WordPassage>> passages(RecordNo record, const WordScope& scope);

  Connection& connection_;
  const WordSearch& search_;
  const std::shared_ptr<const SearchRanges> ranges_;
  WordQuery query_;  // without forms of words that are nowhere, once the words are looked up and counted
  const WordTerms terms_;
  PostingRows rows_;
  PostingIndex index_;
  WordWeights weights_;
  std::vector<std::int64_t> counts_;                 // of each term, when they were counted
  std::unordered_map<std::int64_t, bool> verdicts_;  // of records that were checked
  std::optional<WordRanking> ranking_;
  WordHead head_{search_};
};

Status WordSearcher::still_wanted() const {
  if (search_.stop.stop_requested()) return fail(Code::kCancelled, "the search was stopped because its caller went away");
  if (!search_.deadline.passed()) return {};
  return fail(Code::kDeadline, "the search took too long: ask for fewer streams, or for words that are less common");
}

// Looks all words of the query up together, and drops the forms that no segment has: a word that no record has comes with hundreds
// of spellings. A form that only records outside the scopes have stays, and finds nothing.
Status WordSearcher::look_up() {
  LADDER_CHECK(index_.load());
  LADDER_CHECK(index_.look_up(words_of(query_)));
  const auto is_present = [&](const std::string& word) { return index_.has(word); };
  for (WordTerm& term : query_.terms) {
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
        LADDER_CHECK(still_wanted());
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
  std::int64_t records = 0;
  Statement row = connection_.use(Sql::kRecordsOfStream);
  for (const WordScope& scope : search_.scopes) {
    if (is_restricted(scope)) continue;
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, scope.stream).step());
    if (found) records += row.integer_at(0);
  }
  return records;
}

// Under this a count may be kept for the next search; nothing where records are looked at one by one before they count.
std::optional<std::string> WordSearcher::count_key(const WordExpression& expression, std::size_t term) const {
  std::string key = expression.name();
  for (const WordScope& scope : search_.scopes) {
    if (scope.since || scope.until || scope.checked) return std::nullopt;
    key += format(" {}", term_columns(scope, term));
  }
  return key;
}

// Granted records that have the term, up to kCountedRecords.
Result<std::int64_t> WordSearcher::count_records(std::size_t term) {
  const WordExpression expression = terms_.one(term);
  const std::optional<std::string> key = count_key(expression, term);
  SearchRanges::TermCount count;
  if (const auto known = key ? ranges_->counts.find(*key) : ranges_->counts.end(); known != ranges_->counts.end()) {
    count = known->second;
  } else {
    LADDER_TRY(count, count_anew(expression));
    if (ranges_->counts.size() >= kMaxKeptCounts) ranges_->counts.clear();
    if (key) ranges_->counts.emplace(*key, count);
  }
  if (count.records < kCountedRecords) drop_forms(term, count.phrases);
  return count.records;
}

Result<SearchRanges::TermCount> WordSearcher::count_anew(const WordExpression& expression) {
  std::int64_t count = 0;
  std::uint32_t phrases = 0;
  {
    NumbersWith numbers(query_, expression, search_.scopes, ranges_->record_blocks);
    const auto take = [&]() -> Status {
      for (const WordCandidate& candidate : numbers.found) {
        LADDER_TRY(const bool granted, is_granted(candidate));
        count += granted ? 1 : 0;
        if (count >= kCountedRecords) break;
      }
      numbers.found.clear();
      if (count >= kCountedRecords) numbers.end();
      return {};
    };
    LADDER_CHECK(walk(expression, ranges_->record_rows, numbers, take));
    phrases = numbers.phrases;
  }
  if (count >= kCountedRecords) return SearchRanges::TermCount{kCountedRecords, 0};
  if (ranges_->text_blocks.empty()) return SearchRanges::TermCount{count, phrases};
  std::set<RecordNo> records;  // one may have several texts
  NumbersWith texts(query_, expression, search_.scopes, ranges_->text_blocks);
  const auto take = [&]() -> Status {
    LADDER_CHECK(to_records(texts.found));
    for (const WordCandidate& candidate : texts.found) {
      LADDER_TRY(const bool granted, is_granted(candidate));
      if (granted) records.insert(candidate.number);
    }
    texts.found.clear();
    if (count + std::ssize(records) >= kCountedRecords) texts.end();
    return {};
  };
  LADDER_CHECK(walk(expression, ranges_->text_rows, texts, take));
  return SearchRanges::TermCount{std::min(count + std::ssize(records), kCountedRecords), phrases | texts.phrases};
}

// Forms that were not met when everything was walked over are nowhere: each costs as much to ask for as one that is there.
void WordSearcher::drop_forms(std::size_t term, std::uint32_t phrases) {
  std::vector<std::string> there;
  const std::vector<std::string>& forms = query_.terms[term].forms;
  for (std::size_t form = 0; form < forms.size(); ++form) {
    const std::size_t bit = std::min<std::size_t>(form + 1, 31);  // the word itself comes before them
    if ((phrases >> bit & 1) != 0) there.push_back(forms[form]);
  }
  query_.terms[term].forms = std::move(there);
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
  weights_ = weigh_terms(query_, records, counts_);
  weights_.measured_above = kNothingMeasured;
  ranking_.emplace(search_, weights_.measured_above, search_.reading && terms > 1 && search_.order == WordOrder::kScore);
  return {};
}

// --- candidates ---

Status WordSearcher::search_single() {
  const WordExpression expression = terms_.candidates(weights_);
  SingleHits hits(context(), expression, ranges_->record_blocks);
  return walk(expression, ranges_->record_rows, hits, [&] { return take(hits.found); });
}

constexpr std::size_t kFewTexts = 32;  // that are looked at one by one

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

// Keeps passages that belong to a record, under its number; the others are staged, or wait to be swept.
template <class Candidate>
Status WordSearcher::to_records(std::vector<Candidate>& texts) {
  Statement row = connection_.use(Sql::kTextRecord);
  std::vector<Candidate> records;
  for (Candidate candidate : texts) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
    candidate.number = found ? row.integer_at(0) : 0;
    if (candidate.number != 0) records.push_back(candidate);
  }
  texts = std::move(records);
  return {};
}

constexpr std::size_t kMaxVerdicts = 200'000;  // that are kept

// No record has to be looked at before it counts.
bool shows_all(const WordScope& scope) { return !scope.since && !scope.until && !scope.checked; }

Result<bool> WordSearcher::is_granted(const WordCandidate& candidate) {
  const WordScope& scope = search_.scopes[candidate.scope];
  const bool timed = scope.since || scope.until;
  if (shows_all(scope)) return true;
  if (const auto known = verdicts_.find(candidate.number); known != verdicts_.end()) return known->second;
  bool granted = true;
  if (timed) {
    LADDER_TRY(granted, in_time(candidate));
  }
  if (granted && scope.checked) {
    if (verdicts_.size() % 64 == 63) LADDER_CHECK(still_wanted());
    LADDER_TRY(granted, accepted(candidate));
  }
  if (verdicts_.size() >= kMaxVerdicts) verdicts_.clear();
  verdicts_.emplace(candidate.number, granted);
  return granted;
}

Status WordSearcher::take(std::vector<CountedCandidate>& records) {
  for (const CountedCandidate& candidate : records) {
    if (!shows_all(search_.scopes[candidate.scope])) {
      LADDER_TRY(const bool granted, is_granted(candidate));
      if (!granted) continue;
    }
    ranking_->add(candidate);
  }
  records.clear();
  return {};
}

Result<bool> WordSearcher::in_time(const WordCandidate& candidate) {
  const WordScope& scope = search_.scopes[candidate.scope];
  Statement row = connection_.use(Sql::kConsentTime);
  LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
  const std::optional<Instant> time = found ? row.maybe_integer_at(0) : std::nullopt;
  return time && (!scope.since || *time >= *scope.since) && (!scope.until || *time < *scope.until);
}

Result<bool> WordSearcher::accepted(const WordCandidate& candidate) {
  RecordRow record;
  {
    Statement row = connection_.use(Sql::kRecordByNo);
    LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
    if (!found) return false;
    record = record_of(row, row.integer_at(kStreamOfRecord), row.bytes_at(kKeyOfRecord));
  }
  if (record.damaged) return std::unexpected(damaged_record(record.no));
  return search_.accept(candidate.scope, record);
}

// Nothing: a record that was damaged when it was deleted left its words behind.
Result<std::optional<SearchRanges::Place>> WordSearcher::place_of(RecordNo number) {
  if (const auto known = ranges_->places.find(number); known != ranges_->places.end()) return known->second;
  Statement row = connection_.use(Sql::kPlaceOfRecord);
  LADDER_TRY(const bool found, row.integer(1, number).step());
  if (!found) return std::nullopt;
  SearchRanges::Place place{row.maybe_integer_at(0), row.string_at(1)};
  if (ranges_->places.size() >= kMaxKeptPlaces) ranges_->places.clear();
  ranges_->places.emplace(number, place);
  return place;
}

Result<std::vector<PlacedCandidate>> WordSearcher::placed(std::span<const WordCandidate> candidates) {
  std::vector<PlacedCandidate> places;
  places.reserve(candidates.size());
  const bool all_are_hits = std::ssize(candidates) <= search_.limit;
  for (const WordCandidate& candidate : candidates) {
    if (places.size() % HitSink::kLooks == HitSink::kLooks - 1) LADDER_CHECK(still_wanted());
    PlacedCandidate placed;
    placed.number = candidate.number;
    std::optional<SearchRanges::Place> place;
    if (all_are_hits) {
      Statement row = connection_.use(Sql::kRecordByNo);
      LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
      if (found) {
        place = {row.maybe_integer_at(kTimeOfRecord), row.string_at(kKeyOfRecord)};
        placed.hit = std::make_shared<ReadHit>(hit_of(row));
      }
    } else {
      LADDER_TRY(place, place_of(candidate.number));
    }
    if (!place) continue;
    if (!search_.scopes[candidate.scope].timed) place->time.reset();
    placed.place = {candidate.score, place->time, std::move(place->key), candidate.scope};
    places.push_back(std::move(placed));
  }
  return places;
}

Status WordSearcher::read_record(PlacedCandidate& candidate) {
  if (candidate.hit) return {};
  Statement row = connection_.use(Sql::kRecordByNo);
  LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
  if (!found) return fail(Code::kInternal, "the word index has words of a record that is not there");
  candidate.hit = std::make_shared<ReadHit>(hit_of(row));
  return {};
}

// Reads the candidates over the threshold and puts them into order.
Result<std::vector<PlacedCandidate>> WordSearcher::measured() {
  std::vector<PlacedCandidate> places;
  Statement row = connection_.use(Sql::kRecordByNo);
  for (const CountedCandidate& candidate : ranking_->measured()) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
    if (!found) continue;
    PlacedCandidate& placed = places.emplace_back();
    auto time = row.maybe_integer_at(kTimeOfRecord);
    if (!search_.scopes[candidate.scope].timed) time.reset();
    placed.place = {candidate.score, time, row.string_at(kKeyOfRecord), candidate.scope};
    placed.number = candidate.number;
    placed.hit = std::make_shared<ReadHit>(hit_of(row));
    head_.add(placed.place, placed.hit->record, candidate.counts);
  }
  head_.rank(weights_, !search_.weights);
  for (std::size_t i = 0; i < places.size(); ++i) places[i].place.score = head_.score(i);
  return places;
}

// Moves the first ones in the order out of `rest`, where nothing is measured but hits are folded.
Result<std::vector<PlacedCandidate>> WordSearcher::first_in_order(std::vector<PlacedCandidate>& rest, WordPage& page) {
  std::vector<PlacedCandidate> first;
  page.head_end = search_.head_end;
  if (search_.weights) {
    const auto behind = [&](const PlacedCandidate& candidate) {
      return search_.head_end && comes_before(search_.order, *search_.head_end, candidate.place);
    };
    if (search_.order == WordOrder::kScore) {
      LADDER_TRY(first, placed(ranking_->head()));
    } else {
      first = rest;
    }
    std::erase_if(first, behind);
    std::erase_if(rest, [&](const PlacedCandidate& candidate) { return !behind(candidate); });
  } else {
    const auto by_place = [&](const PlacedCandidate& a, const PlacedCandidate& b) {
      return comes_before(search_.order, a.place, b.place);
    };
    const auto end = rest.begin() + static_cast<std::ptrdiff_t>(std::min(rest.size(), kMeasuredRecords));
    std::ranges::partial_sort(rest, end, by_place);
    first.assign(std::make_move_iterator(rest.begin()), std::make_move_iterator(end));
    rest.erase(rest.begin(), end);
    if (!rest.empty()) page.head_end = first.back().place;
  }
  for (PlacedCandidate& candidate : first) {
    LADDER_CHECK(read_record(candidate));
    head_.add(candidate.place, candidate.hit->record);
  }
  return first;
}

void WordSearcher::fold(std::vector<PlacedCandidate>& first) {
  head_.fold();
  std::vector<PlacedCandidate> shown;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!head_.is_shown(i)) continue;
    shown.push_back(std::move(first[i]));
    shown.back().more = head_.more(i);
    shown.back().alike = head_.alike(i);
  }
  first = std::move(shown);
}

// Every candidate that can be on the page.
Result<std::vector<PlacedCandidate>> WordSearcher::candidates(WordPage& page) {
  const bool folds = store::folds(search_);
  const bool measures = weights_.measured_above != kNothingMeasured;
  const auto drop_shown = [&](std::vector<PlacedCandidate>& from) {
    if (!search_.after) return;
    std::erase_if(
        from, [&](const PlacedCandidate& candidate) { return !comes_before(search_.order, *search_.after, candidate.place); });
  };
  std::vector<PlacedCandidate> best;
  if (measures) {
    LADDER_TRY(best, measured());
    page.all_in_head = page.matches == std::ssize(best);
    if (folds) fold(best);
    for (PlacedCandidate& candidate : best) candidate.in_head = true;
    drop_shown(best);
  }
  LADDER_TRY(std::vector<PlacedCandidate> beside, placed(ranking_->beside()));
  drop_shown(beside);
  std::ranges::move(beside, std::back_inserter(best));
  const bool only_folds = folds && !measures;
  if (std::ssize(best) > search_.limit && !only_folds) return best;
  LADDER_CHECK(ranking_->drop_ties(connection_, search_.scopes));
  LADDER_TRY(std::vector<PlacedCandidate> rest, placed(ranking_->behind()));
  std::ranges::move(rest, std::back_inserter(best));
  if (only_folds) {
    LADDER_TRY(std::vector<PlacedCandidate> first, first_in_order(best, page));
    page.all_in_head = !page.head_end;
    fold(first);
    for (PlacedCandidate& candidate : first) candidate.in_head = true;
    std::ranges::move(first, std::back_inserter(best));
  }
  if (only_folds || search_.order != WordOrder::kScore) drop_shown(best);
  return best;
}

Result<WordPage> WordSearcher::page() {
  WordPage page;
  ranking_->finish();
  weights_.measured_above = ranking_->measured_above();
  page.matches = page.ranked = ranking_->matches();
  page.matches_all = ranking_->matches_all();
  LADDER_TRY(std::vector<PlacedCandidate> best, candidates(page));
  page.weights = weights_;
  page.counts = counts_;
  if (counts_.size() == 1) page.counts = {std::min(page.matches, kCountedRecords)};
  page.exact = !leaves_out_terms(query_, weights_);
  LADDER_CHECK(take_hits(best, page));
  return page;
}

// The first of them, without those whose group the head shows.
Status WordSearcher::take_hits(std::vector<PlacedCandidate>& best, WordPage& page) {
  std::vector<PlacedCandidate*> order;  // they are heavy to move
  order.reserve(best.size());
  for (PlacedCandidate& candidate : best) order.push_back(&candidate);
  const auto by_place = [&](const PlacedCandidate* a, const PlacedCandidate* b) {
    return comes_before(search_.order, a->place, b->place);
  };
  const auto limit = static_cast<std::size_t>(search_.limit);
  page.hits.reserve(std::min(limit, order.size()));
  std::size_t sorted = 0, passed_over = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    page.more = page.hits.size() == limit || passed_over > kMaxPassedOver;
    if (page.more) return {};
    if (at == sorted) {  // so many more are wanted in order
      sorted = std::min(order.size(), sorted + limit);
      std::partial_sort(order.begin() + static_cast<std::ptrdiff_t>(at), order.begin() + static_cast<std::ptrdiff_t>(sorted),
                        order.end(), by_place);
    }
    LADDER_CHECK(still_wanted());
    PlacedCandidate& candidate = *order[at];
    LADDER_CHECK(read_record(candidate));
    page.last = candidate.place;
    if (!candidate.in_head && !head_.passes(candidate.place.scope, candidate.hit->record)) {
      ++passed_over;
      continue;
    }
    LADDER_TRY(WordHit found, hit(candidate));
    found.place = std::move(candidate.place);
    page.hits.push_back(std::move(found));
  }
  page.more = passed_over > 0 && !ranking_->kept_all();
  return {};
}

Result<WordHit> WordSearcher::hit(PlacedCandidate& candidate) {
  WordHit hit;
  hit.record = std::move(candidate.hit->record);
  hit.more = candidate.more;
  hit.alike = candidate.alike;
  if (candidate.hit->several && search_.passages) {
    LADDER_TRY(hit.passages, passages(candidate.number, search_.scopes[candidate.place.scope]));
  }
  return hit;
}

Result<std::vector<WordPassage>> WordSearcher::passages(RecordNo record, const WordScope& scope) {
  std::vector<TextNo> texts;
  {
    Statement rows = connection_.use(Sql::kTextsOfRecord);
    rows.integer(1, record);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      texts.push_back(rows.integer_at(0));
    }
  }
  const WordExpression any = terms_.any();
  BestRows rows(context(), any, scope);
  std::vector<RowRange> ranges;
  for (const TextNo text : texts) ranges.push_back({first_row(text), last_row(text)});
  LADDER_CHECK(walk(any, ranges, rows, [] { return Status{}; }));
  std::vector<WordPassage> passages;
  for (const WordRowId id : rows.choose()) {
    Statement row = connection_.use(Sql::kPassage);
    LADDER_TRY(const bool found, row.integer(1, id).step());
    if (!found) return fail(Code::kInternal, "the word index has a row of which nobody knows where its words are");
    passages.push_back({static_cast<int>(row.integer_at(0)), row.integer_at(1), row.integer_at(2)});
  }
  return passages;
}

// A search passes over the rows of a word that are not granted, some nanoseconds each. A search in a part of a stream answers at
// whole ticks only, so that this shows for thousands of rows at the earliest, and not for some.
constexpr std::chrono::microseconds kTick{1'000};

bool is_partial(const WordScope& scope) { return scope.since || scope.until || !scope.keys.empty(); }

void wait_for_tick(std::chrono::steady_clock::time_point begun) {
  const auto took = std::chrono::steady_clock::now() - begun;
  std::this_thread::sleep_until(begun + (took / kTick + 1) * kTick);
}

Result<WordPage> WordSearcher::run() {
  LADDER_CHECK(still_wanted());
  LADDER_CHECK(look_up());
  LADDER_CHECK(weigh());
  LADDER_CHECK(search_single());
  LADDER_CHECK(search_texts());
  return page();
}

}  // namespace

Result<WordPage> SqliteReader::search(const WordSearch& search) {
  LADDER_CHECK(begin());
  LADDER_TRY(auto ranges, search_ranges(*connection_, search.scopes, data_version_));
  const auto begun = std::chrono::steady_clock::now();
  Result<WordPage> page = WordSearcher(*connection_, search, std::move(ranges)).run();
  if (std::ranges::any_of(search.scopes, is_partial)) wait_for_tick(begun);
  if (!page) return page;
  for (const WordHit& hit : page->hits) LADDER_CHECK(pass(hit.record));
  return page;
}

}  // namespace ladder::store::sqlite
