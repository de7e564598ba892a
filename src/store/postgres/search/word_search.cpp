#include "store/postgres/search/word_search.h"

#include "store/postgres/records/record_rows.h"
#include "store/postgres/search/find_candidates.h"
#include "store/postgres/search/search_start.h"
#include "store/postgres/search/search_state.h"
#include "store/text/word_head.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kEndView{"COMMIT"};
constexpr Statement kBodiesByNumber{kBodiesByNumberSql};
constexpr std::string_view kTimedOut = "57014";

std::optional<TimePlace> place_of(const std::optional<WordHorizon>& horizon) {
  if (!horizon) return std::nullopt;
  return TimePlace{word_place(horizon->time), horizon->key, horizon->scope};
}

WordPlace place_in_order(const WordCandidate& candidate) {
  return {candidate.score, time_of_place(candidate.place), candidate.key, candidate.scope};
}

WordCandidate candidate_at(const WordPlace& place) {
  WordCandidate candidate;
  candidate.score = place.score;
  candidate.place = word_place(place.time);
  candidate.key = place.key;
  candidate.scope = place.scope;
  return candidate;
}

// Ranks the candidates and makes the page.
class Search {
 public:
  Search(Connection& connection, KnownStreams& known, const WordSearch& search, std::int64_t ranked)
      : state_{.connection = connection, .known = known, .search = search, .most_ranked = ranked},
        search_(search),
        weights_(state_.weights) {}

  Result<WordPage> run() {
    LADDER_CHECK(state_.may_go_on());
    LADDER_CHECK(start_search(state_));
    WordPage page;
    if (search_.after && search_.after->score == kUnrankedScore) {
      LADDER_CHECK(follow(page, TimePlace{word_place(search_.after->time), search_.after->key, search_.after->scope}));
      page.exact = page.all_ranked = false;
      page.horizon = search_.horizon;
    } else {
      LADDER_CHECK(rank(page));
    }
    page.weights = weights_;
    page.counts = state_.counts;
    if (page.counts.size() == 1) page.counts = {std::min(page.matches, kCountedRecords)};
    if (leaves_out_terms(*search_.query, weights_)) page.exact = false;
    LADDER_CHECK(complete(page));
    return page;
  }

 private:
  // --- the ranked part ---

  Status rank(WordPage& page) {
    const std::optional<TimePlace> horizon = place_of(search_.horizon);
    const std::int64_t most = state_.most();
    WordCandidates candidates;
    page.horizon = search_.horizon;
    if (horizon) {
      LADDER_TRY(candidates, find_by_time(state_, std::nullopt, horizon, std::numeric_limits<std::size_t>::max()));
    } else {
      LADDER_TRY(candidates, find_newest(state_, most));
      if (std::ssize(candidates) > most) {
        std::ranges::nth_element(candidates, candidates.begin() + most - 1, comes_by_time);
        candidates.resize(static_cast<std::size_t>(most));
        const WordCandidate& last = candidates.back();
        page.horizon = WordHorizon{.time = time_of_place(last.place), .key = last.key, .scope = last.scope};
      }
    }
    page.ranked = page.matches = std::ssize(candidates);
    page.exact = page.all_ranked = !page.horizon;
    page.matches_all = std::ranges::count_if(candidates, &WordCandidate::all);
    LADDER_CHECK(measure(candidates, page.all_ranked));
    if (folds(search_)) LADDER_CHECK(fold(candidates, page));
    LADDER_CHECK(take_best(candidates, page));
    if (!page.horizon || page.more) return {};
    return follow(page, *place_of(page.horizon));
  }

  // The best by their first score get another, which their text decides, too (word_head.h).
  Status measure(WordCandidates& candidates, bool all_ranked) {
    if (state_.measures && all_ranked) weights_.measured_above = measured_above(candidates);
    if (weights_.measured_above == kNothingMeasured) return {};
    const auto rest = std::ranges::partition(
        candidates, [&](const WordCandidate& candidate) { return candidate.score > weights_.measured_above; });
    LADDER_CHECK(read_head({candidates.begin(), rest.begin()}));
    head_.rank(weights_, state_.measures);
    for (std::size_t i = 0; i < in_head_.size(); ++i) in_head_[i]->score = head_.score(i);
    return {};
  }

  // Reads their texts, and nothing else of them, as far as they are not known. They stay where they are until they are folded.
  Status read_head(std::span<WordCandidate> candidates) {
    std::vector<HeadTexts::Key> keys;
    for (const WordCandidate& candidate : candidates) keys.push_back(key_of(candidate));
    std::vector<HeadTexts::Text> texts = state_.known.head_texts().find(keys, head_.needs_words());
    LADDER_CHECK(read_texts(candidates, keys, texts));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!texts[i]) continue;
      head_.add(place_in_order(candidates[i]), std::move(texts[i]), candidates[i].counts);
      in_head_.push_back(&candidates[i]);
    }
    return {};
  }

  // Fills in the texts that are missing, and keeps them.
  Status read_texts(std::span<const WordCandidate> candidates, std::span<const HeadTexts::Key> keys,
                    std::span<HeadTexts::Text> texts) {
    Int8Array numbers;
    std::unordered_map<RecordNo, std::size_t> missing;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (texts[i]) continue;
      numbers.add(candidates[i].record);
      missing.emplace(candidates[i].record, i);
    }
    if (missing.empty()) return {};
    LADDER_TRY(const Rows rows, state_.connection.run_last(kBodiesByNumber, numbers));
    std::vector<HeadTexts::Key> read_keys;
    std::vector<HeadTexts::Text> read;
    RecordRow record;
    for (int row = 0; row < rows.size(); ++row) {
      record.no = rows.int8(row, 0);
      const std::size_t at = missing.at(record.no);
      const WordCandidate& candidate = candidates[at];
      record.stream = search_.scopes[candidate.scope].stream;
      record.key = candidate.key;
      const bool intact =
          read_body(rows, row, 1, 3, record.body) && body_holds(rows.maybe_int8(row, 2), record.no, record.key, record.body);
      if (!intact) record.body.clear();
      texts[at] = std::make_shared<const HeadText>(head_.read(candidate.scope, record));
      if (!intact || keys[at].record == 0) continue;  // key_of: it is not kept
      read_keys.push_back(keys[at]);
      read.push_back(texts[at]);
    }
    state_.known.head_texts().keep(read_keys, read);
    return {};
  }

  // A key that nothing is kept under, for a stream with groups or bulk mail: another caller may have read its texts without
  // these.
  HeadTexts::Key key_of(const WordCandidate& candidate) const {
    const WordScope& scope = search_.scopes[candidate.scope];
    if (scope.grouped || scope.tells_bulk) return {};
    const StreamFacts* const facts = state_.facts_of(scope.stream);
    return {candidate.record, scope.columns, scope.context, scope.copies,
            facts == nullptr ? StreamFacts::State() : facts->state()};
  }

  // Of each group and wording one stands for the others. What was measured is the head; else the first in the order are.
  Status fold(WordCandidates& candidates, WordPage& page) {
    if (weights_.measured_above == kNothingMeasured) LADDER_CHECK(read_first(candidates, page));
    page.all_in_head = in_head_.size() == candidates.size() && page.all_ranked;
    head_.fold();
    for (std::size_t i = 0; i < in_head_.size(); ++i) {
      in_head_[i]->in_head = true;
      in_head_[i]->folded = !head_.is_shown(i);
      in_head_[i]->more = head_.more(i);
      in_head_[i]->alike = head_.alike(i);
    }
    return {};
  }

  Status read_first(WordCandidates& candidates, WordPage& page) {
    auto end = candidates.begin();
    if (search_.weights) {
      page.head_end = search_.head_end;
      const WordCandidate last = search_.head_end ? candidate_at(*search_.head_end) : WordCandidate();
      const auto in_head = [&](const WordCandidate& candidate) {
        return !search_.head_end || !comes_before(search_.order, last, candidate);
      };
      end = std::ranges::partition(candidates, in_head).begin();
    } else {
      end += static_cast<std::ptrdiff_t>(std::min(candidates.size(), kMeasuredRecords));
      std::ranges::partial_sort(
          candidates, end, [&](const WordCandidate& a, const WordCandidate& b) { return comes_before(search_.order, a, b); });
      if (end != candidates.end()) page.head_end = place_in_order(*(end - 1));
    }
    return read_head({candidates.begin(), end});
  }

  // The best of them after the place where the last page ended, without those whose group the head shows.
  Status take_best(WordCandidates& candidates, WordPage& page) {
    const auto comes_first = [&](const WordCandidate& a, const WordCandidate& b) { return comes_before(search_.order, a, b); };
    std::erase_if(candidates, &WordCandidate::folded);
    if (search_.after) {
      const WordCandidate end = candidate_at(*search_.after);
      std::erase_if(candidates, [&](const WordCandidate& candidate) { return !comes_first(end, candidate); });
    }
    const auto limit = static_cast<std::size_t>(search_.limit);
    std::size_t sorted = 0, passed_over = 0;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
      page.more = chosen_.size() == limit || passed_over > kMaxPassedOver;
      if (page.more) return {};
      if (at == sorted) {
        sorted = std::min(candidates.size(), sorted + limit);
        const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(sorted);
        std::partial_sort(begin, end, candidates.end(), comes_first);
        if (folds(search_)) LADDER_CHECK(read_behind_head({begin, end}));
      }
      WordCandidate& candidate = candidates[at];
      page.last = place_in_order(candidate);
      const auto row = rows_.find(candidate.record);
      if (!candidate.in_head && row != rows_.end() && !head_.passes(candidate.scope, row->second)) {
        ++passed_over;
        continue;
      }
      chosen_.push_back(std::move(candidate));
    }
    return {};
  }

  // --- what follows by time ---

  Status follow(WordPage& page, const TimePlace& from) {
    const std::size_t room = static_cast<std::size_t>(search_.limit) - chosen_.size();
    LADDER_TRY(auto rest, find_by_time(state_, from, std::nullopt, room + 1));
    page.more = rest.size() > room;
    if (page.more) rest.resize(room);
    page.matches += std::ssize(rest);
    for (WordCandidate& candidate : rest) {
      candidate.score = kUnrankedScore;
      page.last = place_in_order(candidate);
      chosen_.push_back(std::move(candidate));
    }
    return {};
  }

  // --- records ---

  // Asks for whole rows that have not been read, if there are any.
  Answer ask_rows(Batch& batch, std::span<const WordCandidate> candidates) const {
    Int8Array numbers;
    for (const WordCandidate& candidate : candidates) {
      if (!rows_.contains(candidate.record)) numbers.add(candidate.record);
    }
    return numbers.empty() ? Answer() : batch.ask(kRecordsByNumber, numbers);
  }
  void take_rows(const Answer& answer) {
    if (!answer.is_asked()) return;
    for (RecordRow& record : read_page(answer.rows())) rows_.emplace(record.no, std::move(record));
  }
  // Their text tells if the head shows their group or wording; of those in the head it is known.
  Status read_behind_head(std::span<const WordCandidate> candidates) {
    WordCandidates behind;
    std::ranges::copy_if(candidates, std::back_inserter(behind), [](const auto& candidate) { return !candidate.in_head; });
    Batch batch(state_.connection);
    const Answer rows = ask_rows(batch, behind);
    LADDER_CHECK(batch.run());
    take_rows(rows);
    return {};
  }

  // Everything about the chosen ones.
  Status complete(WordPage& page) {
    std::vector<std::vector<WordPassage>> passages(chosen_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i].text == 0 || !search_.passages) continue;
      LADDER_TRY(passages[i], state_.texts.passages(chosen_[i].text));
    }
    Batch last(state_.connection);
    const Answer rows = ask_rows(last, chosen_);
    last.ask(kEndView);
    LADDER_CHECK(last.run());
    take_rows(rows);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      WordCandidate& candidate = chosen_[i];
      const auto row = rows_.find(candidate.record);
      if (row == rows_.end())
        return fail(Code::kInternal, "the word index names a record that is not there: run `ladder doctor`");
      page.hits.push_back({.place = {.score = candidate.score,
                                     .time = time_of_place(candidate.place),
                                     .key = std::move(candidate.key),
                                     .scope = candidate.scope},
                           .record = std::move(row->second),
                           .passages = std::move(passages[i]),
                           .more = candidate.more,
                           .alike = candidate.alike});
    }
    return {};
  }

  SearchState state_;
  const WordSearch& search_;
  WordWeights& weights_;
  WordHead head_{search_};
  std::vector<WordCandidate*> in_head_;           // of the candidates, as they were added to it
  std::unordered_map<RecordNo, RecordRow> rows_;  // whole, that were read of the chosen and of those passed over
  WordCandidates chosen_;
};

}  // namespace

Result<WordPage> search_words(Pool& pool, KnownStreams& known, const WordSearch& search, std::int64_t ranked) {
  return pool.read([&](Connection& connection) -> Result<WordPage> {
    auto page = Search(connection, known, search, ranked).run();
    if (!page && connection.sqlstate() == kTimedOut && search.deadline.passed()) return took_too_long();
    return page;
  });
}

}  // namespace ladder::store::postgres
