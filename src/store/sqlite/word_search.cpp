// A search: one walk over the records that have their words in one row, one over those that need several, and then the page. What
// the scopes leave out is left out before anything is counted.
#include "store/sqlite/reader.h"
#include "store/sqlite/word_ranking.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

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
  std::optional<ReadHit> hit = {};  // when the page has room for all that were placed with it
};

class WordSearcher {
 public:
  WordSearcher(Connection& connection, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges)
      : connection_(connection), search_(search), ranges_(std::move(ranges)), terms_(*search.query), ranking_(search) {}

  Result<WordPage> run();

 private:
  Status still_wanted() const;
  // Walks the rows that an expression finds, and calls `take` now and then, and at the end.
  using Take = std::function<Status()>;
  Status walk(const std::string& expression, const PartRanges& ranges, CountingSink& sink, const Take& take);

  Status search_single();
  Status search_texts();
  Result<std::optional<std::vector<TextNo>>> few_texts(std::span<const ScopeBlock> blocks, std::span<const PartRanges> parts);
  Status take_texts(std::vector<WordCandidate>& texts);

  Status take(std::vector<WordCandidate>& records);
  Result<bool> in_time(const WordCandidate& candidate);
  Result<bool> accepted(const WordCandidate& candidate);

  Result<std::vector<PlacedCandidate>> placed(std::span<const WordCandidate> candidates);
  Result<WordPage> page();
  Result<WordHit> hit(PlacedCandidate& candidate);
  Result<std::vector<WordPassage>> passages(RecordNo record, const WordScope& scope);

  Connection& connection_;
  const WordSearch& search_;
  const std::shared_ptr<const SearchRanges> ranges_;
  const WordTerms terms_;
  WordRanking ranking_;
};

Status WordSearcher::still_wanted() const {
  if (search_.stop.stop_requested()) return fail(Code::kCancelled, "the search was stopped because its caller went away");
  if (!search_.deadline.passed()) return {};
  return fail(Code::kDeadline, "the search took too long: ask for fewer streams, or for words that are less common");
}

// Whom the connection shows its hits to, while it lives.
class ShownTo {
 public:
  ShownTo(Connection& connection, HitSink& sink) : connection_(connection) { connection_.show_hits_to(&sink); }
  ~ShownTo() { connection_.show_hits_to(nullptr); }
  ShownTo(const ShownTo&) = delete;
  ShownTo& operator=(const ShownTo&) = delete;

 private:
  Connection& connection_;
};

Status WordSearcher::walk(const std::string& expression, const PartRanges& ranges, CountingSink& sink, const Take& take) {
  const ShownTo shown(connection_, sink);
  Statement rows = use_part(connection_, PartSql::kHits, ranges.part);
  for (const RowRange& range : ranges.rows) {
    rows.reset();
    rows.text(1, expression).integer(2, range.first).integer(3, range.last);
    for (bool row = true; row;) {
      LADDER_TRY(row, rows.step());
      LADDER_CHECK(still_wanted());
      LADDER_CHECK(take());
      if (sink.full()) return {};
    }
  }
  return {};
}

Status WordSearcher::search_single() {
  SingleHits hits(terms_, search_.scopes, ranges_->record_blocks);
  Status paused;
  for (const PartRanges& part : ranges_->record_parts) {
    // One term over most of a part: what lies outside is not worth a statement that leaves it out.
    const bool alone = terms_.any.end_excluded == 1 && part.most_of_it;
    SingleHits::Pause pause;
    if (alone) {
      pause = [&] {
        paused = still_wanted();
        if (paused) paused = take(hits.found);
        return paused.has_value();
      };
    }
    hits.walk_alone(std::move(pause), part.rows.size() > 1);
    LADDER_CHECK(walk(terms_.all.text, part, hits, [&] { return take(hits.found); }));
    LADDER_CHECK(paused);
  }
  return {};
}

Status WordSearcher::search_texts() {
  const std::vector<ScopeBlock>& blocks = ranges_->text_blocks;
  if (blocks.empty()) return {};
  std::span<const PartRanges> parts = ranges_->text_parts;
  std::vector<PartRanges> of_few;
  if (terms_.any.end_excluded > 1 && ranges_->shared.empty()) {
    LADDER_TRY(const std::optional<std::vector<TextNo>> few, few_texts(blocks, parts));
    if (few) {
      for (const TextNo text : *few) of_few.push_back(text_rows(text));
      parts = of_few;
    }
  }
  TextHits hits(terms_, search_.scopes, blocks, ranges_->shared);
  for (const PartRanges& part : parts) {
    LADDER_CHECK(walk(terms_.any.text, part, hits, [&] { return take_texts(hits.found); }));
  }
  hits.end_text();
  LADDER_CHECK(take_texts(hits.found));
  std::vector<WordCandidate> records = hits.shared_found();
  return take(records);
}

// If one of the terms is in few texts, only these need to be looked at.
Result<std::optional<std::vector<TextNo>>> WordSearcher::few_texts(std::span<const ScopeBlock> blocks,
                                                                   std::span<const PartRanges> parts) {
  std::optional<std::vector<TextNo>> fewest;
  for (const std::string& term : terms_.each) {
    FewTexts few(search_.scopes, blocks);
    for (const PartRanges& part : parts) {
      if (few.full()) break;
      LADDER_CHECK(walk(term, part, few, [] { return Status{}; }));
    }
    if (few.full() || (fewest && fewest->size() <= few.texts.size())) continue;
    fewest = std::move(few.texts);
  }
  return fewest;
}

// Those that belong to a record become candidates; the others are staged, or wait to be swept.
Status WordSearcher::take_texts(std::vector<WordCandidate>& texts) {
  std::vector<WordCandidate> records;
  {
    Statement row = connection_.use(Sql::kTextRecord);
    for (WordCandidate candidate : texts) {
      row.reset();
      LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
      candidate.number = found ? row.integer_at(0) : 0;
      if (candidate.number != 0) records.push_back(candidate);
    }
  }
  texts.clear();
  return take(records);
}

Status WordSearcher::take(std::vector<WordCandidate>& records) {
  std::int64_t checked = 0;
  for (const WordCandidate& candidate : records) {
    const WordScope& scope = search_.scopes[candidate.scope];
    if (scope.since || scope.until) {
      LADDER_TRY(const bool inside, in_time(candidate));
      if (!inside) continue;
    }
    if (scope.checked) {
      if (++checked % 64 == 0) LADDER_CHECK(still_wanted());
      LADDER_TRY(const bool yes, accepted(candidate));
      if (!yes) continue;
    }
    ranking_.add(candidate);
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

Result<std::vector<PlacedCandidate>> WordSearcher::placed(std::span<const WordCandidate> candidates) {
  std::vector<PlacedCandidate> places;
  places.reserve(candidates.size());
  const bool all_are_hits = std::ssize(candidates) <= search_.limit;
  Statement row = connection_.use(all_are_hits ? Sql::kRecordByNo : Sql::kPlaceOfRecord);
  for (const WordCandidate& candidate : candidates) {
    if (places.size() % CountingSink::kLooks == CountingSink::kLooks - 1) LADDER_CHECK(still_wanted());
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
    if (!found) continue;  // words of a record that was damaged when it was deleted
    auto time = row.maybe_integer_at(all_are_hits ? kTimeOfRecord : 0);
    if (!search_.scopes[candidate.scope].timed) time.reset();
    const int key = all_are_hits ? kKeyOfRecord : 1;
    PlacedCandidate& placed = places.emplace_back();
    placed.place = {candidate.score, time, row.string_at(key), candidate.scope};
    placed.number = candidate.number;
    if (all_are_hits) placed.hit = hit_of(row);
  }
  return places;
}

Result<WordPage> WordSearcher::page() {
  WordPage page;
  page.matches = page.ranked = ranking_.matches();
  LADDER_TRY(std::vector<PlacedCandidate> best, placed(ranking_.beside()));
  if (search_.after) {
    std::erase_if(best, [&](const PlacedCandidate& candidate) { return !comes_before(*search_.after, candidate.place); });
  }
  if (std::ssize(best) <= search_.limit) {
    LADDER_TRY(std::vector<PlacedCandidate> behind, placed(ranking_.behind()));
    std::ranges::move(behind, std::back_inserter(best));
  }
  page.more = std::ssize(best) > search_.limit;
  std::vector<PlacedCandidate*> order;  // they are heavy to move
  order.reserve(best.size());
  for (PlacedCandidate& candidate : best) order.push_back(&candidate);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min<std::int64_t>(search_.limit, std::ssize(order)));
  const auto place_of = [](const PlacedCandidate* candidate) -> const WordPlace& { return candidate->place; };
  std::ranges::partial_sort(order, end, comes_before, place_of);
  page.hits.reserve(static_cast<std::size_t>(end - order.begin()));
  for (auto candidate = order.begin(); candidate != end; ++candidate) {
    LADDER_CHECK(still_wanted());
    LADDER_TRY(WordHit found, hit(**candidate));
    found.place = std::move((*candidate)->place);
    page.hits.push_back(std::move(found));
  }
  return page;
}

Result<WordHit> WordSearcher::hit(PlacedCandidate& candidate) {
  if (!candidate.hit) {
    Statement row = connection_.use(Sql::kRecordByNo);
    LADDER_TRY(const bool found, row.integer(1, candidate.number).step());
    if (!found) return fail(Code::kInternal, "the word index has words of a record that is not there");
    candidate.hit = hit_of(row);
  }
  WordHit hit;
  hit.record = std::move(candidate.hit->record);
  if (candidate.hit->several) {
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
  BestRows rows(terms_, scope);
  for (const TextNo text : texts) {
    LADDER_CHECK(walk(terms_.any.text, text_rows(text), rows, [] { return Status{}; }));
  }
  std::vector<WordPassage> passages;
  for (const WordRowId id : rows.choose()) {
    Statement row = connection_.use(Sql::kPassage);
    LADDER_TRY(const bool found, row.integer(1, id).step());
    if (!found) return fail(Code::kInternal, "the word index has a row of which nobody knows where its words are");
    passages.push_back({static_cast<int>(row.integer_at(0)), row.integer_at(1), row.integer_at(2)});
  }
  return passages;
}

// FTS5 passes over the rows of a word that are not granted, some 0.1 us each. A search in a part of a stream answers at whole
// ticks only, so that this shows for thousands of rows at the earliest, and not for some.
constexpr std::chrono::microseconds kTick{1'000};

bool is_partial(const WordScope& scope) { return scope.since || scope.until || !scope.keys.empty(); }

void wait_for_tick(std::chrono::steady_clock::time_point begun) {
  const auto took = std::chrono::steady_clock::now() - begun;
  std::this_thread::sleep_until(begun + (took / kTick + 1) * kTick);
}

Result<WordPage> WordSearcher::run() {
  LADDER_CHECK(still_wanted());
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
