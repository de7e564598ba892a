#include "store/postgres/search/word_search.h"

#include "base/text/format.h"
#include "store/postgres/records/record_rows.h"
#include "store/postgres/search/present_forms.h"
#include "store/postgres/search/time_order.h"
#include "store/postgres/search/word_texts.h"
#include "store/text/word_head.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kUnrankedScore = -1;  // of those that follow by time
constexpr std::size_t kCheckedAtOnce = 500;

// In microseconds, about: a row that is walked over, and one that the word index finds.
constexpr double kWalkedCost = 0.6, kFoundCost = 1.3;
// A search within a time range walks over up to so many rows of it, however rare its words are: the word index would read the
// rows outside the range, too, and the time that takes would tell whether there are any.
constexpr std::int64_t kWalkedInRange = 20'000;
constexpr Statement kCountInRange{R"(
  SELECT count(*) FROM (SELECT FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s(stream_no, low, high),
    LATERAL (SELECT FROM words WHERE stream_no = s.stream_no AND place >= s.low AND place <= s.high LIMIT $4::bigint) AS w
    LIMIT $4::bigint) AS r)"};

constexpr Statement kBeginView{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Statement kEndView{"COMMIT"};
// A GIN index can only be read through a bitmap.
constexpr Statement kSearchSettings{R"(
  SELECT set_config('statement_timeout', ($1::bigint)::text, true), set_config('enable_bitmapscan', 'on', true),
         set_config('work_mem', '32MB', true), set_config('max_parallel_workers_per_gather', '0', true))"};
constexpr Statement kRecordsOfStreams{
    "SELECT coalesce(sum(record_count), 0)::bigint FROM streams WHERE stream_no = ANY ($1::bigint[])"};
// True if there are records of several rows; how many records there are; and the state of the streams' words: every write of a
// record, and every step of making the index, changes its stream's row, and with it xmin.
constexpr Statement kStreamState{
    "SELECT coalesce(bool_or(has_texts), false), coalesce(sum(record_count), 0)::bigint,"
    " coalesce(string_agg(concat_ws(' ', stream_no, xmin, max_version, word_generation), ',' ORDER BY stream_no), '')"
    " FROM streams WHERE stream_no = ANY ($1::bigint[])"};
constexpr Statement kRecordsByNumber{kRecordsByNumberSql};
constexpr std::string_view kTimedOut = "57014";

std::unexpected<Error> took_too_long() {
  return fail(Code::kDeadline, "the search took longer than it may: ask for rarer words or fewer streams");
}

std::optional<TimePlace> place_of(const std::optional<WordHorizon>& horizon) {
  if (!horizon) return std::nullopt;
  return TimePlace{word_place(horizon->time), horizon->key, horizon->scope};
}

class Search {
 public:
  Search(Connection& connection, KnownStreams& known, const WordSearch& search, std::int64_t ranked)
      : connection_(connection), known_(known), search_(search), most_ranked_(ranked), texts_(connection, *search.query) {}

  Result<WordPage> run() {
    LADDER_CHECK(may_go_on());
    LADDER_CHECK(prepare());
    WordPage page;
    if (search_.after && search_.after->score == kUnrankedScore) {
      LADDER_CHECK(follow(page, TimePlace{word_place(search_.after->time), search_.after->key, search_.after->scope}));
      page.exact = page.all_ranked = false;
      page.horizon = search_.horizon;
    } else {
      LADDER_CHECK(rank(page));
    }
    page.weights = weights_;
    page.counts = counts_;
    if (counts_.size() == 1) page.counts = {std::min(page.matches, kCountedRecords)};
    if (leaves_out_terms(*search_.query, weights_)) page.exact = false;
    LADDER_CHECK(complete(page));
    return page;
  }

 private:
  enum class End : std::uint8_t { kNo, kYes };  // of the view

  struct Group {
    WordGroup words;
    bool texts_there = false;  // there are records of several rows
    std::int64_t records = 0;  // of its streams; of a range that is walked, within it
    double share = 0;          // of them that match, about
    std::string guess, state;  // of its streams: as it was last time, and in this view
    std::optional<PresentForms> forms;
    bool forms_asked = false;
    std::vector<std::int64_t> counts;  // of each term, in records of one row; empty: unknown
    bool walked = false;               // it is a time range, small enough to be walked over whatever the words are
    std::int64_t owner_records = 0;
    WordCandidates texts;  // records of several rows, by time
  };

  Status may_go_on() const {
    if (search_.stop.stop_requested()) return fail(Code::kCancelled, "the search was cancelled");
    if (search_.deadline.passed()) return took_too_long();
    return {};
  }

  // --- weights ---

  bool is_checked(const Group& group) const {
    return std::ranges::any_of(group.words.streams,
                               [&](const WordStream& stream) { return search_.scopes[stream.scope].checked; });
  }

  // `records`: of the scopes that are seen whole.
  Status weigh(std::int64_t records) {
    if (search_.weights) {
      weights_ = *search_.weights;
      return {};
    }
    const std::size_t terms = search_.query->terms.size();
    counts_.assign(terms, 0);
    if (terms > 1) LADDER_CHECK(count_terms());
    weights_ = weigh_terms(*search_.query, records, counts_);
    weights_.measured_above = kNothingMeasured;
    measures_ = search_.reading && terms > 1 && search_.order == WordOrder::kScore;
    return {};
  }

  Int8Array whole_streams() const {
    Int8Array streams;
    for (const WordScope& scope : search_.scopes) {
      if (!is_restricted(scope)) streams.add(scope.stream);
    }
    return streams;
  }

  // Under this a count holds until somebody writes to one of the streams. The query names the owner, columns and forms.
  static std::string count_key(const Group& group, std::string_view kind, std::size_t term) {
    std::string key(kind);
    for (const WordStream& stream : group.words.streams) key += format(" {}:{}", stream.low, stream.high);
    return key + "\n" + group.state + "\n" + *group.words.terms[term];
  }

  // Granted records that have each term, up to kCountedRecords.
  Status count_terms() {
    struct Asked {
      std::size_t term;
      std::string key;
    };
    for (Group& group : groups_) {
      std::vector<Asked> unknown;
      std::vector<std::int64_t> counts(counts_.size(), 0);
      for (std::size_t term = 0; term < counts_.size(); ++term) {
        if (!group.words.terms[term]) continue;
        if (is_checked(group)) {
          LADDER_TRY(auto found, find_records(connection_, group.words, *group.words.terms[term]));
          LADDER_CHECK(keep_accepted(found));
          counts_[term] += std::ssize(found);
          continue;
        }
        std::string key = count_key(group, "rows", term);
        if (const auto known = known_.count(key)) counts[term] = *known;
        else unknown.push_back({term, std::move(key)});
      }
      for (const Asked& one : unknown) {
        queue_count(connection_, group.words, *group.words.terms[one.term], kCountedRecords);
      }
      if (!unknown.empty()) {
        LADDER_TRY(const auto answers, connection_.run());
        for (std::size_t i = 0; i < unknown.size(); ++i) {
          counts[unknown[i].term] = answers[i].int8(0, 0);
          known_.keep_count(std::move(unknown[i].key), answers[i].int8(0, 0));
        }
      }
      if (is_checked(group)) continue;
      for (std::size_t term = 0; term < counts_.size(); ++term) counts_[term] += counts[term];
      group.counts = std::move(counts);
    }
    LADDER_CHECK(may_go_on());
    for (const Group& group : groups_) {
      if (!group.texts_there) continue;
      for (std::size_t term = 0; term < counts_.size(); ++term) {
        if (!group.words.terms[term] || counts_[term] >= kCountedRecords) continue;
        std::string key = count_key(group, "texts", term);
        const auto known = is_checked(group) ? std::nullopt : known_.count(key);
        if (known) {
          counts_[term] += *known;
          continue;
        }
        LADDER_TRY(auto found, texts_.find_records(group.words, *group.words.terms[term]));
        LADDER_CHECK(keep_accepted(found));
        counts_[term] += std::ssize(found);
        if (!is_checked(group)) known_.keep_count(std::move(key), std::ssize(found));
      }
    }
    for (std::int64_t& count : counts_) count = std::min(count, kCountedRecords);
    return {};
  }

  WordScoring scoring() const { return {*search_.query, weights_, search_.scopes}; }

  // Opens the view in which everything is read, and looks around. A search that has been made before, of streams that nobody has
  // written to since, needs one round trip for that.
  Status prepare() {
    LADDER_TRY(const auto owners, known_.owners(connection_, search_.scopes));
    for (WordGroup& group : group_scopes(search_, owners)) groups_.emplace_back().words = std::move(group);
    for (Group& group : groups_) {
      LADDER_TRY(group.owner_records, known_.records(connection_, group.words.owner));
    }
    connection_.add(kBeginView);
    connection_.add(kSearchSettings, std::max<std::int64_t>(1, std::min(search_.deadline.left(), kStatementTimeout).count()));
    for (const Group& group : groups_) connection_.add(kStreamState, group.words.stream_numbers());
    connection_.add(kRecordsOfStreams, whole_streams());
    const bool asks = queue_forms();
    // The weights of a single term, and those of a page that follows, depend on nothing that is read here.
    bool probed = !asks && !groups_.empty() && (search_.weights || search_.query->terms.size() == 1);
    if (probed) {
      LADDER_CHECK(weigh(0));
      apply_forms();
      for (Group& group : groups_) probed = group.words.find_by(*search_.query, weights_) && probed;
      if (probed) (void)queue_probes();
    }
    LADDER_TRY(const auto opened, connection_.run());
    std::size_t at = 2;
    bool as_guessed = true;
    for (Group& group : groups_) {
      group.texts_there = opened[at].boolean(0, 0);
      group.records = opened[at].int8(0, 1);
      group.state = opened[at++].text(0, 2);
      as_guessed = as_guessed && group.state == group.guess;
      known_.keep_state(group.words.name_of_streams(), group.state);
    }
    const std::int64_t whole = opened[at++].int8(0, 0);
    if (!probed || !as_guessed) {
      LADDER_CHECK(learn_forms(opened, at));
      if (!probed) LADDER_CHECK(weigh(whole));
      std::erase_if(groups_, [&](Group& group) { return !group.words.find_by(*search_.query, weights_); });
    }
    if (probed) return read_probes(opened, at);
    std::vector<Rows> answers;
    if (queue_probes()) {
      LADDER_TRY(answers, connection_.run());
    }
    return read_probes(answers, 0);
  }

  // --- the forms of words ---

  // Asks for those that are not known, as far as the streams are as they were. True: something is asked for.
  bool queue_forms() {
    bool asks = false;
    for (Group& group : groups_) {
      group.guess = known_.last_state(group.words.name_of_streams());
      // The time that the word index takes would tell of rows outside the range.
      if (is_time_range(group)) continue;
      group.forms.emplace(*search_.query, group.words);
      group.forms_asked = !group.forms->recall(known_, group.guess);
      if (group.forms_asked) group.forms->queue(connection_);
      asks = asks || group.forms_asked;
    }
    return asks;
  }

  // From the answers at `at` on, which is moved past them; asks again where the streams are not as they were.
  Status learn_forms(const std::vector<Rows>& opened, std::size_t at) {
    bool again = false;
    for (Group& group : groups_) {
      if (!group.forms) continue;
      if (group.forms_asked) group.forms->read(opened[at++], known_, group.state);
      group.forms_asked = group.state != group.guess && !group.forms->recall(known_, group.state);
      if (group.forms_asked) group.forms->queue(connection_);
      again = again || group.forms_asked;
    }
    if (again) {
      LADDER_TRY(const auto answers, connection_.run());
      std::size_t next = 0;
      for (Group& group : groups_) {
        if (group.forms_asked) group.forms->read(answers[next++], known_, group.state);
      }
    }
    apply_forms();
    return {};
  }

  void apply_forms() {
    for (Group& group : groups_) {
      if (group.forms) group.forms->apply(group.words);
    }
  }

  // --- how common the words are ---

  // By the counts of words that are in few records.
  std::optional<double> known_share(const Group& group) const {
    if (group.counts.empty() || group.records == 0) return std::nullopt;
    const auto& terms = search_.query->terms;
    const bool must = std::ranges::any_of(terms, &WordTerm::must);
    std::int64_t expected = must ? kCountedRecords : 0;
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if (must && terms[term].must) expected = std::min(expected, group.counts[term]);
      if (must || (weights_.finders >> term & 1) == 0) continue;
      if (group.counts[term] >= kCountedRecords) return std::nullopt;
      expected += group.counts[term];
    }
    if (must && expected >= kCountedRecords) return std::nullopt;
    return std::max(static_cast<double>(expected), 1.0) / static_cast<double>(group.records);
  }

  // False: everything is known.
  bool queue_probes() {
    bool asks = false;
    for (const Group& group : groups_) {
      const bool ranged = is_time_range(group), unknown = !known_share(group);
      if (ranged) queue_range_count(group);
      if (unknown) queue_probe(connection_, group.words);
      asks = asks || ranged || unknown;
    }
    return asks;
  }

  Status read_probes(const std::vector<Rows>& answers, std::size_t at) {
    for (Group& group : groups_) {
      std::optional<std::int64_t> in_range;
      if (is_time_range(group)) in_range = answers[at++].int8(0, 0);
      const auto known = known_share(group);
      group.share = known ? *known : read_probe(answers[at++]);
      group.walked = in_range && *in_range <= kWalkedInRange;
      if (group.walked) group.records = *in_range, group.share = 1;
      LADDER_CHECK(may_go_on());
      if (!group.texts_there) continue;
      LADDER_TRY(group.texts, texts_.find(scoring(), group.words));
      std::ranges::sort(group.texts, comes_by_time);
    }
    return {};
  }

  bool is_time_range(const Group& group) const {
    return std::ranges::all_of(group.words.streams, [&](const WordStream& stream) {
      return search_.scopes[stream.scope].since || search_.scopes[stream.scope].until;
    });
  }
  void queue_range_count(const Group& group) {
    Int8Array low, high;
    for (const WordStream& stream : group.words.streams) {
      low.add(stream.low);
      high.add(stream.high);
    }
    connection_.add(kCountInRange, group.words.stream_numbers(), low, high, kWalkedInRange + 1);
  }

  // --- the ranked part ---

  Status rank(WordPage& page) {
    const std::optional<TimePlace> horizon = place_of(search_.horizon);
    // A walk that began with everything ranked goes on like that, however many come meanwhile.
    const std::int64_t most = search_.after || search_.order != WordOrder::kScore ? kNoLimit : most_ranked_;
    WordCandidates candidates;
    page.horizon = search_.horizon;
    if (horizon) {
      LADDER_TRY(candidates, by_time(std::nullopt, horizon, std::numeric_limits<std::size_t>::max()));
    } else {
      LADDER_TRY(candidates, newest(most));
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

  // All candidates; or, past `most`, the newest `most` and some more.
  Result<WordCandidates> newest(std::int64_t most) {
    // Somewhat more than can be ranked cost less than their order.
    const std::int64_t limit = most < kNoLimit ? 2 * most : most;
    WordCandidates all;
    bool too_many = may_be_more_than(limit);
    for (std::size_t i = 0; i < groups_.size() && !too_many; ++i) {
      LADDER_TRY(auto found, in_no_order(groups_[i], limit));
      LADDER_CHECK(may_go_on());
      too_many = most < kNoLimit && std::ssize(found) >= limit;
      std::ranges::move(found, std::back_inserter(all));
      std::ranges::copy(groups_[i].texts, std::back_inserter(all));
    }
    if (too_many) return by_time(std::nullopt, std::nullopt, static_cast<std::size_t>(most) + 1);
    LADDER_CHECK(keep_accepted(all));
    return all;
  }

  // The best by their first score get another, which their text decides, too (word_head.h).
  Status measure(WordCandidates& candidates, bool all_ranked) {
    if (measures_ && all_ranked) weights_.measured_above = measured_above(candidates);
    if (weights_.measured_above == kNothingMeasured) return {};
    const auto rest = std::ranges::partition(
        candidates, [&](const WordCandidate& candidate) { return candidate.score > weights_.measured_above; });
    const bool all =
        rest.empty() || (!folds(search_) && !search_.after && std::ssize(candidates) - std::ssize(rest) >= search_.limit);
    const bool one_row_each = std::ranges::none_of(groups_, &Group::texts_there);
    LADDER_CHECK(read_head({candidates.begin(), rest.begin()}, all && one_row_each && all_ranked ? End::kYes : End::kNo));
    head_.rank(weights_, measures_);
    for (std::size_t i = 0; i < in_head_.size(); ++i) in_head_[i]->score = head_.score(i);
    return {};
  }

  // They stay where they are until they are folded.
  Status read_head(std::span<WordCandidate> candidates, End end) {
    LADDER_CHECK(read_rows(candidates, end));
    for (WordCandidate& candidate : candidates) {
      const auto row = rows_.find(candidate.record);
      if (row == rows_.end()) continue;
      head_.add(place_in_order(candidate), row->second, candidate.counts);
      in_head_.push_back(&candidate);
    }
    return {};
  }

  static WordPlace place_in_order(const WordCandidate& candidate) {
    return {candidate.score, time_of_place(candidate.place), candidate.key, candidate.scope};
  }
  static WordCandidate candidate_at(const WordPlace& place) {
    WordCandidate candidate;
    candidate.score = place.score;
    candidate.place = word_place(place.time);
    candidate.key = place.key;
    candidate.scope = place.scope;
    return candidate;
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
    return read_head({candidates.begin(), end}, End::kNo);
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
        if (folds(search_)) LADDER_CHECK(read_rows({begin, end}, End::kNo));
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
    LADDER_TRY(auto rest, by_time(from, std::nullopt, room + 1));
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

  // The next accepted ones in the order of time.
  Result<WordCandidates> by_time(const std::optional<TimePlace>& from, const std::optional<TimePlace>& last, std::size_t count) {
    TimeOrder order(connection_, scoring(), from);
    for (const Group& group : groups_) {
      order.add_candidates(group.texts);
      if (walk_is_cheaper(group, std::min(count, static_cast<std::size_t>(most_ranked_)))) order.add_walks(group.words);
      else order.add_lookup(group.words);
    }
    const bool checked = std::ranges::any_of(search_.scopes, &WordScope::checked);
    WordCandidates all;
    while (all.size() < count) {
      // Without a bound to what is asked for, in steps: a cancelled search shall end.
      const std::size_t wanted =
          std::min(count - all.size(), checked ? kCheckedAtOnce : static_cast<std::size_t>(most_ranked_) + 1);
      LADDER_TRY(auto found, order.next(wanted, last));
      LADDER_CHECK(may_go_on());
      const bool end = found.size() < wanted;
      LADDER_CHECK(keep_accepted(found));
      std::ranges::move(found, std::back_inserter(all));
      if (end) break;
    }
    return all;
  }

  // --- which way ---

  bool may_be_more_than(std::int64_t limit) const {
    double expected = 0;
    for (const Group& group : groups_) {
      expected += group.share * static_cast<double>(group.records) + static_cast<double>(group.texts.size());
    }
    return limit < kNoLimit && expected > 0.75 * static_cast<double>(limit);
  }
  // All rows of the group by time, beside those of the owner that match by the word index.
  static bool scan_is_cheaper(const Group& group) {
    return group.walked ||
           static_cast<double>(group.records) * kWalkedCost < group.share * static_cast<double>(group.owner_records) * kFoundCost;
  }
  static bool walk_is_cheaper(const Group& group, std::size_t count) {
    if (group.walked) return true;
    const double walked = std::min(static_cast<double>(group.records), static_cast<double>(count) / group.share);
    return walked * kWalkedCost < group.share * static_cast<double>(group.owner_records) * kFoundCost;
  }

  Result<WordCandidates> in_no_order(const Group& of, std::int64_t limit) {
    const WordGroup& group = of.words;
    if (!scan_is_cheaper(of)) return find_words(connection_, scoring(), group, limit);
    WordCandidates all;
    for (const bool timed : {true, false}) {
      std::vector<WordWalk> walks;
      for (const WordStream& stream : group.streams) {
        if (stream.timed == timed) walks.push_back({&stream, {std::numeric_limits<std::int64_t>::min(), {}, 0}});
      }
      if (walks.empty()) continue;
      LADDER_TRY(auto found, walk_words(connection_, scoring(), group, walks, limit));
      std::ranges::move(found, std::back_inserter(all));
    }
    return all;
  }

  // --- records ---

  Result<std::unordered_map<RecordNo, RecordRow>> records(std::span<const WordCandidate> candidates) {
    Int8Array numbers;
    for (const WordCandidate& candidate : candidates) numbers.add(candidate.record);
    std::unordered_map<RecordNo, RecordRow> found;
    if (numbers.empty()) return found;
    LADDER_TRY(const Rows rows, connection_.run_last(kRecordsByNumber, numbers));
    for (RecordRow& record : read_page(rows)) found.emplace(record.no, std::move(record));
    return found;
  }

  // Reads those that have not been read; afterwards the view may end.
  Status read_rows(std::span<const WordCandidate> candidates, End end) {
    Int8Array numbers;
    for (const WordCandidate& candidate : candidates) {
      if (!rows_.contains(candidate.record)) numbers.add(candidate.record);
    }
    if (!numbers.empty()) connection_.add(kRecordsByNumber, numbers);
    if (end == End::kYes) connection_.add(kEndView);
    if (numbers.empty() && end == End::kNo) return {};
    LADDER_TRY(const auto answers, connection_.run());
    ended_ = end == End::kYes;
    if (numbers.empty()) return {};
    for (RecordRow& record : read_page(answers.front())) rows_.emplace(record.no, std::move(record));
    return {};
  }

  // Drops candidates of checked scopes that are not accepted.
  Status keep_accepted(WordCandidates& candidates) {
    if (std::ranges::none_of(search_.scopes, &WordScope::checked)) return {};
    WordCandidates kept;
    for (std::size_t begin = 0; begin < candidates.size(); begin += kCheckedAtOnce) {
      LADDER_CHECK(may_go_on());
      const std::span some = std::span(candidates).subspan(begin, std::min(kCheckedAtOnce, candidates.size() - begin));
      LADDER_TRY(const auto rows, records(some));
      for (WordCandidate& candidate : some) {
        bool accepted = true;
        if (search_.scopes[candidate.scope].checked) {
          const auto row = rows.find(candidate.record);
          if (row == rows.end()) continue;
          if (row->second.damaged) return std::unexpected(damaged_record(candidate.record));
          LADDER_TRY(accepted, search_.accept(candidate.scope, row->second));
        }
        if (accepted) kept.push_back(std::move(candidate));
      }
    }
    candidates = std::move(kept);
    return {};
  }

  // Everything about the chosen ones.
  Status complete(WordPage& page) {
    std::vector<std::vector<WordPassage>> passages(chosen_.size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (chosen_[i].text == 0) continue;
      LADDER_TRY(passages[i], texts_.passages(chosen_[i].text));
    }
    if (!ended_) LADDER_CHECK(read_rows(chosen_, End::kYes));
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

  Connection& connection_;
  KnownStreams& known_;
  const WordSearch& search_;
  const std::int64_t most_ranked_;
  WordTexts texts_;
  WordWeights weights_;
  bool measures_ = false;             // the best are to be measured, and what is usual among them found
  std::vector<std::int64_t> counts_;  // of each term, on the first page
  std::vector<Group> groups_;
  WordHead head_{search_};
  std::vector<WordCandidate*> in_head_;           // of the candidates, as they were added to it
  std::unordered_map<RecordNo, RecordRow> rows_;  // that were read of the head and of the chosen
  bool ended_ = false;                            // the view
  WordCandidates chosen_;
};

}  // namespace

Result<WordPage> search_words(Pool& pool, KnownStreams& known, const WordSearch& search, std::int64_t ranked) {
  return pool.run([&](Connection& connection) -> Result<WordPage> {
    auto page = Search(connection, known, search, ranked).run();
    if (!page && connection.sqlstate() == kTimedOut && search.deadline.passed()) return took_too_long();
    return page;
  });
}

}  // namespace ladder::store::postgres
