// Measures a search against the engine's own search (its ten best by its own ranking, with an excerpt each), how it
// grows with the number of granted streams and the length of a field, and what an update of one record costs in a large
// index. Ladder and the floor take turns in one loop.
//
//   bench_search [sqlite|postgres] [--quick] [100000|1000000] [words|questions|absent|streams|long-field|updates] [--keep=FOLDER]
//   [--turns=N]
//     --quick: skips the store of a million records; sizes and figures: only these; --keep: keeps the stores in FOLDER and
//     reuses them; --turns: at most N repetitions of each query
#include "report.h"
#include "search_floor.h"
#include "search_store.h"

#include "base/text/format.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace ladder::bench {
namespace {

constexpr std::int64_t kMiddleSize = 100'000, kLargeSize = 1'000'000, kSmallSize = 1'000;
constexpr double kMaxOverBare = 2, kMaxOverOneStream = 3, kMaxGrowth = 1.5, kMaxSpread = 10;
constexpr double kMaxOfLong = 0.5, kMaxSpreadOfLong = 5;
constexpr int kFewestTurns = 5, kMaxTurns = 200;
int most_turns = kMaxTurns;                         // fewer for a profiler
constexpr auto kMaxTime = std::chrono::seconds(4);  // per query
constexpr int kUpdates = 400;
constexpr int kAbsentWords = 300;
constexpr std::int64_t kFirstTypo = 2'000;  // rank: words of four letters, each in a few hundred of 100,000 records
constexpr std::size_t kTypos = 10'000;
constexpr double kMaxAbsentUs = 5'000;
constexpr std::int64_t kLongChars = 100'000'000, kShortChars = 4'000;

using Match = SearchFloor::Match;

struct Question {
  std::string what, words;
  Match match = Match::kAny;  // for both: match=all against the engine's AND, match=any against its OR
  bool in_most = false;       // has a word that is in most records: the bar is lower than the floor
  bool barred = true;
};

std::vector<Question> questions() {
  const std::string rare = zipf_word(kRare), middling = zipf_word(kMiddling), common = zipf_word(kCommon);
  return {
      {"a rare word", rare},
      {"a middling word", middling},
      {"a common word", common, Match::kAny, false, false},
      {"a word in most records", zipf_word(kVeryCommon), Match::kAny, true},
      {"both of two words", middling + " " + common, Match::kAll},
      {"any of two words", middling + " " + common, Match::kAny},
      {"a phrase", common + " " + zipf_word(kCommon + 1), Match::kPhrase},
  };
}

api::SearchPage ask(SearchStore& store, const std::string& q, bool match_all = false) {
  api::SearchRequest request;
  request.q = q;
  request.match_all = match_all;
  request.limit = 10;
  api::SearchPage page = must(store.server().search().find(store.client(), request));
  for (const api::SearchHit& hit : page.hits) {
    if (hit.windows.empty()) give_up("a hit without its evidence");
  }
  return page;
}

api::SearchPage ask(SearchStore& store, const Question& question) {
  return ask(store, question.match == Match::kPhrase ? '"' + question.words + '"' : question.words,
             question.match == Match::kAll);
}

double bar_of(const Question& question, const SearchStore& store) {
  if (!question.in_most) return kMaxOverBare;
  if (store.place().engine() == "postgres") return 0.5;
  return store.records() >= kLargeSize ? 0.15 : 0.2;
}

void take_turns(auto first, auto second) {
  const auto began = std::chrono::steady_clock::now();
  for (int turn = 0; turn < most_turns; ++turn) {
    if (turn >= kFewestTurns && std::chrono::steady_clock::now() - began > kMaxTime) return;
    first();
    second();
  }
}

void beside_bare(SearchStore& store, SearchFloor& floor, Report& report) {
  for (const Question& question : questions()) {
    const api::SearchPage page = ask(store, question);
    if (floor.ten_best(question.words, question.match) == 0 || page.hits.empty()) give_up("nothing was found: " + question.words);
    if (store.place().engine() == "sqlite" && page.recall.truncated) give_up("not every match was ranked");
    Samples ladder, bare;
    take_turns([&] { ladder.time([&] { ask(store, question); }); },
               [&] { bare.time([&] { floor.ten_best(question.words, question.match); }); });
    const std::string what = format("{} {} of {}: {}", store.name(), question.what, store.records(), page.count.value_or(0));
    const double ratio = ladder.p50() / bare.p50();
    if (question.barred) report.at_most(what, ladder.text(), bare.text(), ratio, bar_of(question, store));
    else report.note(what, ladder.text(), bare.text(), ratio);
  }
}

// Queries of 8 to 20 words in natural frequency, common ones included.
std::vector<std::string> long_questions() {
  constexpr int kQuestions = 39, kFewestWords = 8, kMoreWords = 13;
  constexpr std::int64_t kUnwritten = 20'000'000;  // numbers of texts that no store contains
  std::vector<std::string> made;
  for (int i = 0; i < kQuestions; ++i) {
    std::string text = zipf_text(kUnwritten + i);
    std::size_t end = 0;
    for (int words = kFewestWords + i % kMoreWords; words > 0; --words) end = text.find(' ', end + 1);
    text.resize(end);
    made.push_back(std::move(text));
  }
  return made;
}

void beside_any_word(SearchStore& store, SearchFloor& floor, Report& report) {
  const std::vector<std::string> asked = long_questions();
  Samples ladder, bare;
  std::size_t of_ladder = 0, of_bare = 0;
  take_turns([&] { ladder.time([&] { ask(store, asked[of_ladder++ % asked.size()]); }); },
             [&] { bare.time([&] { floor.ten_best(asked[of_bare++ % asked.size()], Match::kAny); }); });
  report.at_most(format("{} questions of 8 to 20 words, of {}", store.name(), store.records()), ladder.text(), bare.text(),
                 ladder.p50() / bare.p50(), kMaxOfLong);
  report.at_most(format("{} the same, p99 over p50", store.name()), format("{:.0f} us", ladder.p99()),
                 format("{:.0f} us", ladder.p50()), ladder.p99() / ladder.p50(), kMaxSpreadOfLong);
}

// A word that no record has: letters at random, or a word of the texts with a typing error, which is also searched
// corrected. Each is asked once, since its absence is remembered.
void absent_words(SearchStore& store, Report& report) {
  std::mt19937_64 random(11);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  const auto letter = [&] { return static_cast<char>('a' + below(26)); };
  Samples letters, typos;
  std::size_t corrected = 0;
  for (int i = 0; i < kAbsentWords; ++i) {
    std::string word(8, ' ');
    for (char& at : word) at = letter();
    letters.time([&] { ask(store, word + "zq"); });
    std::string typo = zipf_word(kFirstTypo + static_cast<std::int64_t>(below(kTypos)));
    typo.insert(1 + below(typo.size() - 1), 1, letter());
    typos.time([&] { corrected += ask(store, typo).hits.empty() ? 0U : 1U; });
  }
  if (corrected * 2 < kAbsentWords) give_up("words with a typing error were not corrected");
  for (const auto& [what, samples] : {std::pair{"random letters", &letters}, std::pair{"a typing error", &typos}}) {
    report.at_most(format("{} an absent word of {}, {}", store.name(), store.records(), what), samples->text(), "5 ms",
                   samples->p50() / kMaxAbsentUs, 1);
  }
}

void over_many_streams(SearchStore& one, SearchStore& many, Report& report) {
  for (const Question& question : questions()) {
    if (ask(one, question).count != ask(many, question).count) give_up("500 streams hold something else");
    Samples in_one, in_many;
    take_turns([&] { in_one.time([&] { ask(one, question); }); }, [&] { in_many.time([&] { ask(many, question); }); });
    report.at_most(format("{} {}, {} streams beside one", one.name(), question.what, kStreamCount), in_many.text(), in_one.text(),
                   in_many.p50() / in_one.p50(), kMaxOverOneStream);
  }
}

void in_a_long_field(SearchStore& store, Report& report) {
  progress(store.name() + ": writing a field of 100 MB");
  const auto around = [](std::int64_t chars, const char* word) {
    return prose(chars / 2, 1) + " " + word + " " + prose(chars / 2, 2);
  };
  store.put("long", around(kLongChars, "needlelong"));
  store.put("short", around(kShortChars, "needleshort"));
  Samples in_long, in_short;
  take_turns([&] { in_long.time([&] { ask(store, "needlelong"); }); },
             [&] { in_short.time([&] { ask(store, "needleshort"); }); });
  report.at_most(store.name() + " the one word in 100 MB beside 4 KB", in_long.text(), in_short.text(),
                 in_long.p50() / in_short.p50(), 2);
}

void updates(SearchStore& small, SearchStore& large, Report& report) {
  progress(large.name() + ": updating");
  std::mt19937_64 random(7);
  // A kept store already contains the texts of earlier runs.
  const std::int64_t first_text = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  Samples in_small, in_large;
  const auto update = [&](SearchStore& store, Samples& samples, int i) {
    const std::string id = format("r{:07}", static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(store.records())));
    samples.time([&] { store.put(id, zipf_text(first_text + i)); });
  };
  for (int i = 0; i < kUpdates; ++i) {
    update(small, in_small, i);
    update(large, in_large, i);
  }
  const std::string what = format("{} one record updated, of {} beside {}", large.name(), large.records(), small.records());
  report.at_most(what, in_large.text(), in_small.text(), in_large.p50() / in_small.p50(), kMaxGrowth);
  report.at_most(large.name() + " one record updated, p99 over p50", format("{:.0f} us", in_large.p99()),
                 format("{:.0f} us", in_large.p50()), in_large.p99() / in_large.p50(), kMaxSpread);
}

// The selection on the command line.
struct Choice {
  std::vector<std::string> words;
  std::string keep;

  bool has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
  // Returns true if another word of this kind was given but not this one.
  bool leaves_out(std::string_view word, const std::vector<std::string>& kind) const {
    return !has(word) && std::ranges::any_of(kind, [&](const std::string& other) { return has(other); });
  }
  bool size(std::int64_t records) const {
    if (has("--quick") && records == kLargeSize) return false;
    return !leaves_out(std::to_string(records), {"100000", "1000000"});
  }
  bool figure(std::string_view name) const {
    return !leaves_out(name, {"words", "questions", "absent", "streams", "long-field", "updates"});
  }
};

void measure_at(const std::string& engine, std::int64_t records, const Choice& choice, Report& report) {
  constexpr auto kOne = SearchStore::Spread::kOneStream;
  SearchStore store(engine, records, kOne, choice.keep);
  if (choice.figure("words") || choice.figure("questions") || choice.figure("absent")) {
    progress(store.name() + ": writing the floor");
    const ScratchLocation bare(engine, choice.keep, format("{}_floor", records));
    const auto floor = search_floor(bare, records);
    if (choice.figure("words")) beside_bare(store, *floor, report);
    if (choice.figure("questions")) beside_any_word(store, *floor, report);
    if (choice.figure("absent")) absent_words(store, report);
  }
  const bool middle = records == kMiddleSize;
  if (middle && choice.figure("streams")) {
    SearchStore many(engine, records, SearchStore::Spread::kManyStreams, choice.keep);
    over_many_streams(store, many, report);
  }
  const bool long_field = middle && choice.figure("long-field") && !choice.has("--quick");
  const bool updated = choice.figure("updates") && middle == !choice.size(kLargeSize);
  if (!long_field && !updated) return;
  std::optional<SearchStore> written;  // one of the kept stores is used for writing
  if (!choice.keep.empty()) written.emplace(engine, records, kOne, choice.keep, "_written");
  if (long_field) in_a_long_field(written ? *written : store, report);
  if (!updated) return;
  SearchStore small(engine, kSmallSize, kOne);
  updates(small, written ? *written : store, report);
}

int run(int argc, char** argv) {
  constexpr std::string_view kKeep = "--keep=", kTurns = "--turns=";
  Choice choice;
  std::vector<char*> others;
  for (char* const word : std::span(argv, static_cast<std::size_t>(argc))) {
    if (std::string_view(word).starts_with(kKeep)) choice.keep = std::string_view(word).substr(kKeep.size());
    else if (std::string_view(word).starts_with(kTurns)) most_turns = std::max(1, std::atoi(word + kTurns.size()));
    else others.push_back(word);
  }
  const auto engines = engines_to_run(
      static_cast<int>(others.size()), others.data(),
      {"--quick", "100000", "1000000", "words", "questions", "absent", "streams", "long-field", "updates"}, choice.words);
  stay_on_one_core();
  Report report(format("records of {} chars, ten best, p50 / p99", kTextChars));
  for (const std::string& engine : engines) {
    for (const std::int64_t records : {kMiddleSize, kLargeSize}) {
      if (choice.size(records)) measure_at(engine, records, choice, report);
    }
  }
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
