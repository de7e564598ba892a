// The head of a search: words shared by the best hits move other hits, independent of their order; groups are folded.
#include "store/text/top_hits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

struct Entry {
  std::int64_t score = 0;
  std::string key, text;
  std::string group = {};
  bool whole = true;
};

class TopHitsTest : public ::testing::Test {
 protected:
  TopHitsTest() {
    search_.query = &query_;
    search_.scopes.resize(1);
    search_.scopes[0].grouped = true;
    search_.fold = true;
    search_.reading = [](std::size_t, const RecordRow& record) {
      const std::size_t tab = record.body.find('\t');
      RankedText reading;
      if (tab > 0) reading.groups = {record.body.substr(0, tab)};
      reading.texts = {record.body.substr(tab + 1)};
      reading.whole = !record.body.ends_with('!');
      reading.chars = 100;
      if (tab > 0) reading.wording = word_hash(reading.texts[0]);
      return reading;
    };
    weights_.measured_above = -1;
  }

  static RecordRow record_of(const Entry& entry) {
    RecordRow record;
    record.key = entry.key;
    record.body = entry.group + "\t" + entry.text;
    return record;
  }
  TopHits head_of(const std::vector<Entry>& entries) const {
    TopHits head(search_);
    for (const Entry& entry : entries) head.add({entry.score, {}, entry.key, 0}, record_of(entry));
    return head;
  }
  // Ten good hits that mention valves, and many that do not; the last one mentions them too.
  static std::vector<Entry> valves() {
    std::vector<Entry> entries;
    for (int i = 0; i < 10; ++i) entries.push_back({9'000 - i, "a" + std::to_string(i), "pump valve number" + std::to_string(i)});
    for (int i = 0; i < 30; ++i) entries.push_back({2'000, "b" + std::to_string(i), "pump other" + std::to_string(i)});
    entries.push_back({2'000, "z", "pump valve"});
    return entries;
  }

  WordQuery query_ = *parse_word_query("pump station");
  WordSearch search_;
  WordWeights weights_;
};

TEST_F(TopHitsTest, WordsSharedByTheBestMoveOtherRecords) {
  const std::vector<Entry> entries = valves();
  TopHits head = head_of(entries);
  head.rank(weights_, true);
  ASSERT_EQ(weights_.feedback.size(), 1U) << "words of a single record and words of the query do not count";
  EXPECT_EQ(weights_.feedback[0].hash, word_hash("valve"));
  EXPECT_GT(head.score(40), head.score(39));
  EXPECT_LT(head.score(40), head.score(9)) << "it helps, and does not decide";
}

TEST_F(TopHitsTest, FeedbackWeighsLessIfTextsAreUnread) {
  const auto learnt = [&](std::vector<Entry> entries) {
    WordWeights weights = weights_;
    head_of(entries).rank(weights, true);
    std::int64_t sum = 0;
    for (const FeedbackWord& word : weights.feedback) sum += word.weight;
    return sum;
  };
  std::vector<Entry> entries = valves();
  const std::int64_t all_read = learnt(entries);
  ASSERT_GT(all_read, 0);
  for (std::size_t i = 10; i < 30; ++i) entries[i].text += "!";  // 20 of 41 are too long to be read
  EXPECT_LE(learnt(entries), all_read * 22 / 41);
  EXPECT_GT(learnt(entries), all_read * 18 / 41);
}

TEST_F(TopHitsTest, TheOrderInWhichRecordsComeDoesNotMatter) {
  std::vector<Entry> entries = valves();
  TopHits one = head_of(entries);
  WordWeights first = weights_, second = weights_;
  one.rank(first, true);
  std::vector<std::int64_t> scores;
  for (std::size_t i = 0; i < entries.size(); ++i) scores.push_back(one.score(i));
  std::ranges::reverse(entries);
  std::ranges::reverse(scores);
  TopHits other = head_of(entries);
  other.rank(second, true);
  EXPECT_EQ(first, second);
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(other.score(i), scores[i]) << i;
}

TEST_F(TopHitsTest, LaterPagesUseTheStatisticsOfTheFirst) {
  TopHits head = head_of(valves());
  head.rank(weights_, true);
  std::vector<Entry> fewer = valves();
  fewer.erase(fewer.begin(), fewer.begin() + 12);
  TopHits later = head_of(fewer);
  WordWeights known = weights_;
  later.rank(known, false);
  EXPECT_EQ(known, weights_);
  for (std::size_t i = 0; i < fewer.size(); ++i) EXPECT_EQ(later.score(i), head.score(i + 12));
}

TEST_F(TopHitsTest, FewRecordsProvideNoFeedback) {
  std::vector<Entry> entries = valves();
  entries.resize(20);
  TopHits head = head_of(entries);
  head.rank(weights_, true);
  EXPECT_TRUE(weights_.feedback.empty());
}

TEST_F(TopHitsTest, UnreadTextsGetTheAverageFeedback) {
  std::vector<Entry> entries = valves();
  entries.push_back({2'000, "long", "!"});
  TopHits head = head_of(entries);
  head.rank(weights_, true);
  EXPECT_GT(head.score(41), head.score(39));
  EXPECT_LT(head.score(41), head.score(40));
}

TEST_F(TopHitsTest, LengthReducesEachTerm) {
  search_.reading = [](std::size_t, const RecordRow& record) {
    return RankedText{.chars = std::stoll(record.body), .texts = {}};
  };
  weights_.terms = {2'000, 2'000};
  TopHits head(search_);
  const auto add = [&](const std::string& key, std::vector<int> quarters, const std::string& chars) {
    WordAccumulator accumulator;
    for (std::size_t term = 0; term < quarters.size(); ++term) accumulator.add(term, quarters[term]);
    RecordRow record;
    record.key = key;
    record.body = chars;
    head.add({first_score(query_, weights_, accumulator), {}, key, 0}, record, accumulator.counts());
  };
  add("short", {4, 4}, "20");
  add("long, once", {4, 4}, "700");
  add("long, often", {120, 120}, "700");
  head.rank(weights_, true);
  EXPECT_EQ(weights_.usual_chars, 700) << "the median";
  EXPECT_GT(head.score(0), head.score(1));
  EXPECT_GT(head.score(2), head.score(0)) << "frequent words count even in a long text";
}

TEST_F(TopHitsTest, TheFirstOfAGroupRepresentsTheOthers) {
  TopHits head = head_of({{5, "a", "one", "rust"},
                          {9, "b", "two", "rust"},
                          {7, "c", "three", "pie"},
                          {6, "d", "four"},
                          {4, "e", "two", "else"},
                          {3, "f", "five", "rust"},
                          {2, "g", "four"}});
  head.fold();
  const auto shown = [&](std::size_t i) { return std::tuple(head.is_shown(i), head.more(i), head.alike(i)); };
  EXPECT_EQ(shown(0), std::tuple(false, 0, 0));
  EXPECT_EQ(shown(1), std::tuple(true, 2, 1)) << "with the one in another group that says the same";
  EXPECT_EQ(shown(2), std::tuple(true, 0, 0));
  EXPECT_EQ(shown(3), std::tuple(true, 0, 0));
  EXPECT_EQ(shown(4), std::tuple(false, 0, 0));
  EXPECT_EQ(shown(6), std::tuple(true, 0, 0)) << "a record without a group is not folded";
  EXPECT_FALSE(head.passes(0, record_of({1, "h", "six", "rust"})));
  EXPECT_FALSE(head.passes(0, record_of({1, "h", "three", "new"})));
  EXPECT_TRUE(head.passes(0, record_of({1, "h", "six", "new"})));
  EXPECT_TRUE(head.passes(0, record_of({1, "h", "three"})));
}

TEST_F(TopHitsTest, TheMemberWithMostOfTheQueryReplacesTheBest) {
  weights_.terms = {2'000, 2'000};
  weights_.finders = 3;
  TopHits head(search_);
  const auto add = [&](std::int64_t score, const std::string& key, const std::string& group, std::array<int, 2> quarters) {
    TermCounts counts{};
    for (std::size_t term = 0; term < quarters.size(); ++term) counts[term] = static_cast<std::uint8_t>(quarters[term]);
    head.add({score, {}, key, 0}, record_of({score, key, key, group}), counts);
  };
  add(9'000, "best", "rust", {4, 0});
  add(5'000, "both", "rust", {4, 4});
  add(8'000, "one", "pie", {4, 0});
  add(3'000, "another", "pie", {0, 4});
  add(7'000, "alone", "", {4, 4});
  head.rank(weights_, true);
  head.fold();
  EXPECT_FALSE(head.is_shown(0));
  EXPECT_TRUE(head.is_shown(1));
  EXPECT_EQ(head.more(1), 1);
  EXPECT_GT(head.score(1), head.score(2));
  EXPECT_TRUE(head.is_shown(3));
  EXPECT_EQ(head.more(3), kIsSecond);
  EXPECT_EQ(head.score(3), head.score(2) - 1);
  EXPECT_EQ(head.more(2), 0);
}

TEST(MeasuredAbove, MeasuresAtMostTheHeadAndNoPartOfATie) {
  struct Candidate {
    std::int64_t score;
  };
  std::vector<Candidate> candidates(kMeasuredRecords, {7});
  EXPECT_EQ(measured_above(candidates), -1) << "all of them";
  candidates.push_back({7});
  EXPECT_EQ(measured_above(candidates), kNothingMeasured) << "one too many, and none is better";
  candidates.push_back({8});
  EXPECT_EQ(measured_above(candidates), 7);
  candidates.push_back({6});
  EXPECT_EQ(measured_above(candidates), 7);
}

}  // namespace
}  // namespace ladder::store
