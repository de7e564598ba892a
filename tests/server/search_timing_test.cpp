// The duration of a search must not tell a client which words occur outside its grant: of two words that it cannot
// find, one that a thousand ungranted records contain takes about as long as one in no record. The figures are test
// properties: the medians, and the AUC (how often a search for the one word takes longer than for the other; 0.5
// reveals nothing).
#include "search_suite.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

namespace ladder {
namespace {

using test_support::must;

struct Timing {
  double outside_us = 0, absent_us = 0;  // medians
  double auc = 0;
  double ratio() const { return outside_us / absent_us; }
};

class SearchTiming : public SearchSuite {
 protected:
  static constexpr int kOutside = 1'000, kInside = 1'000;
  enum class Arrival : std::uint8_t { kByTime, kMixed };

  static bool at_length() { return std::getenv("LADDER_TEST_ALL") != nullptr; }

  void fill(Arrival arrival) {
    std::vector<char> outside(kOutside + kInside);
    std::fill_n(outside.begin(), kOutside, char{1});
    if (arrival == Arrival::kMixed) std::ranges::shuffle(outside, random_);
    std::string lines;
    for (std::size_t i = 0; i < outside.size(); ++i) {
      std::string body;
      for (int word = 0; word < 30; ++word) body += format("w{} ", random_() % 5'000);
      // The absent word has the same form and is searched in the same way.
      body += outside[i] != 0 ? "zebraone" : "zebratwo";
      const test_support::Mail mail{.body = body, .sent_at = format("{}-01-01T00:00:00Z", outside[i] != 0 ? 2024 : 2026)};
      lines += test_support::record_line(format("m{}", i), mail.members());
      if (outside[i] == 0 && inside_.size() < 50) inside_.push_back(format("m{}", i));
    }
    ASSERT_EQ(ingest(lines, "inbox", "messages").accepted, kOutside + kInside);
    for (int i = 0; i < 100; ++i) {
      if (must(server().maintenance().sweep(owner(), Deadline::after(std::chrono::seconds(10)))).complete) break;
    }
  }

  double search_us(const server::Access& access, const std::string& word) {
    const auto begun = std::chrono::steady_clock::now();
    const api::SearchPage page = must(server().search().find(access, words(word)));
    const auto took = std::chrono::steady_clock::now() - begun;
    EXPECT_EQ(page.hits.size(), 0u) << word;
    return std::chrono::duration<double, std::micro>(took).count();
  }

  Timing measure(const server::Access& access) {
    const int rounds = at_length() ? 1'000 : 60;
    std::vector<double> outside, absent;
    for (int i = 0; i < 10; ++i) search_us(access, "zebrawarm");
    for (int i = 0; i < rounds; ++i) {
      const bool first = random_() % 2 == 0;
      if (first) outside.push_back(search_us(access, "zebraone"));
      absent.push_back(search_us(access, "zebranone"));
      if (!first) outside.push_back(search_us(access, "zebraone"));
    }
    Timing timing;
    double longer = 0;
    for (const double a : outside) {
      for (const double b : absent) longer += a > b ? 1 : a == b ? 0.5 : 0;
    }
    timing.auc = longer / static_cast<double>(outside.size() * absent.size());
    for (std::vector<double>* const all : {&outside, &absent}) std::ranges::nth_element(*all, all->begin() + rounds / 2);
    timing.outside_us = outside[static_cast<std::size_t>(rounds) / 2];
    timing.absent_us = absent[static_cast<std::size_t>(rounds) / 2];
    return timing;
  }

  void expect_alike(const char* name, const server::Access& access) {
    Timing timing;
    for (int tries = 0; tries < 6; ++tries) {  // other programs run here, too
      timing = measure(access);
      if (timing.ratio() < kAlike) break;
    }
    EXPECT_LT(timing.ratio(), kAlike) << name;
    RecordProperty(name,
                   format("{:.0f} us outside, {:.0f} us absent, AUC {:.2f}", timing.outside_us, timing.absent_us, timing.auc));
    if (at_length())
      std::cout << format("{} {}: {:.0f} us outside, {:.0f} us absent, AUC {:.3f}\n", GetParam(), name, timing.outside_us,
                          timing.absent_us, timing.auc);
  }

  static constexpr double kAlike = 1.6;
  std::vector<std::string> inside_;  // some keys
  std::mt19937 random_{16};
};

LADDER_FOR_EVERY_ENGINE(SearchTiming);

TEST_P(SearchTiming, RevealsLittleAboutWordsOutsideATimeRange) {
  fill(Arrival::kMixed);
  const Instant year = *parse_time("2026-01-01T00:00:00Z");
  expect_alike("since", client({"inbox", "messages", {}, year, {}, {}}));
  expect_alike("until", client({"inbox", "messages", {}, year, year + 365 * kDay, {}}));
  EXPECT_EQ(must(server().search().find(client({"inbox", "messages", {}, year, {}, {}}), words("zebratwo"))).count, kInside);
}

TEST_P(SearchTiming, RevealsLittleWhenRecordsAreInOrder) {
  fill(Arrival::kByTime);
  expect_alike("since", client({"inbox", "messages", {}, *parse_time("2026-01-01T00:00:00Z"), {}, {}}));
}

TEST_P(SearchTiming, RevealsLittleAboutWordsOutsideARecordList) {
  if (GetParam() != "sqlite") GTEST_SKIP() << "PostgreSQL looks at every record that has the words";
  fill(Arrival::kMixed);
  expect_alike("records", client({"inbox", "messages", {}, {}, {}, inside_}));
}

}  // namespace
}  // namespace ladder
