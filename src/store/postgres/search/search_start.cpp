#include "store/postgres/search/search_start.h"

#include "store/postgres/search/find_candidates.h"
#include "store/postgres/search/term_counts.h"
#include "store/text/word_rank.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

// A search within a time range walks over up to so many rows of it, however rare its words are: the word index would read the
// rows outside the range, too, and the time that takes would tell whether there are any.
constexpr std::int64_t kWalkedInRange = 20'000;
constexpr Statement kCountInRange{R"(
  SELECT count(*) FROM (SELECT FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS s(stream_no, low, high),
    LATERAL (SELECT FROM words WHERE stream_no = s.stream_no AND place >= s.low AND place <= s.high LIMIT $4::bigint) AS w
    LIMIT $4::bigint) AS r)"};

constexpr Statement kBeginView{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
// A GIN index can only be read through a bitmap.
constexpr Statement kSearchSettings{R"(
  SELECT set_config('statement_timeout', ($1::bigint)::text, true), set_config('enable_bitmapscan', 'on', true),
         set_config('work_mem', '32MB', true), set_config('max_parallel_workers_per_gather', '0', true))"};
// Every write of a record, and every step of making the index, changes its stream's row, and with it xmin.
constexpr Statement kStreamFacts{
    "SELECT stream_no, record_count, max_version, word_generation, has_texts, xmin FROM streams"
    " WHERE stream_no = ANY ($1::bigint[])"};

std::vector<StreamFacts> read_facts(const Rows& rows) {
  std::vector<StreamFacts> facts;
  facts.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    const char* const writer = rows.bytes(row, 5).data();
    facts.push_back({.no = rows.int8(row, 0),
                     .records = rows.int8(row, 1),
                     .max_version = rows.int8(row, 2),
                     .word_generation = rows.int8(row, 3),
                     .has_texts = rows.boolean(row, 4),
                     .written_by = get_big_endian<std::uint32_t>(writer)});
  }
  std::ranges::sort(facts, {}, &StreamFacts::no);
  return facts;
}

class Start {
 public:
  explicit Start(SearchState& state) : state_(state) {}

  Status run() {
    LADDER_CHECK(make_groups());
    const Int8Array streams = all_streams();
    const std::string name(streams.bytes());
    const std::vector<StreamFacts> guess = state_.known.last_facts(name);
    take_facts(guess);
    for (SearchGroup& group : state_.groups) group.guess = group.state;

    Batch opening(state_.connection);
    opening.ask(kBeginView);
    opening.ask(kSearchSettings, std::max<std::int64_t>(1, std::min(state_.search.deadline.left(), kStatementTimeout).count()));
    const Answer rows_of_streams = opening.ask(kStreamFacts, streams);
    const Ahead ahead = ask_ahead(opening);
    LADDER_CHECK(opening.run());

    std::vector<StreamFacts> facts = read_facts(rows_of_streams.rows());
    const bool as_guessed = facts == guess;
    if (!as_guessed) {
      state_.known.keep_facts(name, facts);
      take_facts(std::move(facts));
    }
    if (ahead == Ahead::kCandidates && as_guessed) {
      read_newest(state_);
      return {};
    }
    const bool probed = ahead == Ahead::kProbes;  // which takes weights that depend on nothing that was read
    if (!probed || !as_guessed) {
      LADDER_CHECK(learn_forms());
      if (!probed) LADDER_CHECK(weigh(state_, whole_));
      std::erase_if(state_.groups, [&](SearchGroup& group) { return !find_by(group); });
    }
    if (!probed) {
      Batch batch(state_.connection);
      ask_probes(batch);
      LADDER_CHECK(batch.run());
    }
    return read_probes();
  }

 private:
  // The last step that goes along with the view; its answer holds as far as the streams are as they were.
  enum class Ahead : std::uint8_t { kNothing, kForms, kProbes, kCandidates };

  Status make_groups() {
    LADDER_TRY(const auto owners, state_.known.owners(state_.connection, state_.search.scopes));
    for (WordGroup& group : group_scopes(state_.search, owners)) state_.groups.emplace_back().words = std::move(group);
    for (SearchGroup& group : state_.groups) {
      LADDER_TRY(group.owner_records, state_.known.records(state_.connection, group.words.owner));
    }
    return {};
  }

  bool find_by(SearchGroup& group) { return group.words.find_by(*state_.search.query, state_.weights); }

  // --- the streams ---

  Int8Array all_streams() const {
    std::vector<StreamNo> numbers;
    numbers.reserve(state_.search.scopes.size());
    for (const WordScope& scope : state_.search.scopes) numbers.push_back(scope.stream);
    std::ranges::sort(numbers);
    Int8Array streams;
    for (const StreamNo number : numbers) streams.add(number);
    return streams;
  }

  // `facts` are by number. The state of a group names everything that a change of its words changes.
  void take_facts(std::vector<StreamFacts> facts) {
    state_.facts = std::move(facts);
    for (SearchGroup& group : state_.groups) {
      group.texts_there = false;
      group.records = 0;
      group.state.clear();
      for (const WordStream& stream : group.words.streams) {
        const StreamFacts* const found = state_.facts_of(stream.no);
        if (found == nullptr) continue;
        group.texts_there = group.texts_there || found->has_texts;
        group.records += found->records;
        for (const std::int64_t number : {found->no, found->max_version, found->word_generation}) {
          put_big_endian(group.state, number);
        }
        put_big_endian(group.state, found->written_by);
      }
    }
    whole_ = 0;
    for (const WordScope& scope : state_.search.scopes) {
      if (const StreamFacts* const found = is_restricted(scope) ? nullptr : state_.facts_of(scope.stream))
        whole_ += found->records;
    }
  }

  // --- what comes with the view ---

  Ahead ask_ahead(Batch& batch) {
    if (ask_forms(batch)) return Ahead::kForms;
    if (state_.groups.empty()) return Ahead::kNothing;
    apply_forms();
    if (!weigh_by_known(state_, whole_)) return Ahead::kNothing;
    for (SearchGroup& group : state_.groups) {
      if (!find_by(group)) return Ahead::kNothing;
    }
    if (!state_.facts.empty() && ask_candidates(batch)) return Ahead::kCandidates;
    // The weights of a single term, and those of a page that follows, depend on nothing that is read here.
    if (!state_.search.weights && state_.search.query->terms.size() > 1) return Ahead::kNothing;
    for (SearchGroup& group : state_.groups) group.counts.clear();  // what is asked for depends on no guess
    ask_probes(batch);
    return Ahead::kProbes;
  }

  bool ask_candidates(Batch& batch) {
    for (SearchGroup& group : state_.groups) {
      const auto share = known_share(state_, group);
      if (!share || group.texts_there || state_.is_time_range(group)) return false;
      group.share = *share;
    }
    return ask_newest(state_, batch);
  }

  // --- the forms of words ---

  // Asks for those that are not known, as far as the streams are as they were. True: something is asked for.
  bool ask_forms(Batch& batch) {
    bool asks = false;
    for (SearchGroup& group : state_.groups) {
      // The time that the word index takes would tell of rows outside the range.
      if (state_.is_time_range(group)) continue;
      group.forms.emplace(*state_.search.query, group.words);
      if (group.forms->recall(state_.known, group.guess)) continue;
      group.asked.forms = group.forms->ask(batch);
      asks = true;
    }
    return asks;
  }

  // Takes the forms out of the answers, and asks again where the streams are not as they were.
  Status learn_forms() {
    Batch again(state_.connection);
    for (SearchGroup& group : state_.groups) {
      if (!group.forms) continue;
      read_forms(group);
      if (group.state == group.guess || group.forms->recall(state_.known, group.state)) continue;
      group.asked.forms = group.forms->ask(again);
    }
    LADDER_CHECK(again.run());
    for (SearchGroup& group : state_.groups) read_forms(group);
    apply_forms();
    return {};
  }

  void read_forms(SearchGroup& group) {
    const Answer answer = std::exchange(group.asked.forms, Answer());
    if (answer.is_asked()) group.forms->read(answer.rows(), state_.known, group.state);
  }

  void apply_forms() {
    for (SearchGroup& group : state_.groups) {
      if (group.forms) group.forms->apply(group.words);
    }
  }

  // --- how common the words are ---

  // Asks for what is not known.
  void ask_probes(Batch& batch) {
    for (SearchGroup& group : state_.groups) {
      if (state_.is_time_range(group)) group.asked.in_range = ask_range_count(batch, group);
      if (!known_share(state_, group)) group.asked.probe = ask_probe(batch, group.words);
    }
  }

  Status read_probes() {
    for (SearchGroup& group : state_.groups) {
      const auto known = known_share(state_, group);
      group.share = known ? *known : read_probe(group.asked.probe.rows());
      if (group.asked.in_range.is_asked()) {
        const std::int64_t in_range = group.asked.in_range.rows().int8(0, 0);
        group.walked = in_range <= kWalkedInRange;
        if (group.walked) group.records = in_range, group.share = 1;
      }
      LADDER_CHECK(state_.may_go_on());
      if (!group.texts_there) continue;
      LADDER_TRY(group.texts, state_.texts.find(state_.scoring(), group.words));
      std::ranges::sort(group.texts, comes_by_time);
    }
    return {};
  }

  Answer ask_range_count(Batch& batch, const SearchGroup& group) const {
    Int8Array low, high;
    for (const WordStream& stream : group.words.streams) {
      low.add(stream.low);
      high.add(stream.high);
    }
    return batch.ask(kCountInRange, group.words.stream_numbers(), low, high, kWalkedInRange + 1);
  }

  SearchState& state_;
  std::int64_t whole_ = 0;  // records of the scopes that are seen whole
};

}  // namespace

Status start_search(SearchState& state) { return Start(state).run(); }

}  // namespace ladder::store::postgres
