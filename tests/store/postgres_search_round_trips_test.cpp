// A search on PostgreSQL asks and keeps: answers belong to the questions that were asked, and texts that were
// read for a head are known again only by what they were read by.
#include "postgres_scene.h"
#include "store/postgres/catalog/known_streams.h"
#include "store/postgres/engine/batch.h"

#include <memory>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr Statement kNumber{"SELECT $1::bigint"};
constexpr Statement kNumbers{"SELECT generate_series(1, $1::bigint)"};
constexpr Statement kWrong{"SELECT 1 / ($1::bigint - $1::bigint)"};

class PostgresBatch : public ::testing::Test {
 protected:
  Scene scene_;
  std::unique_ptr<Connection> connection_ = must(Connection::open(must(Address::parse(scene_.database().address()))));
};

TEST_F(PostgresBatch, EachAnswerIsKnownByItsHandle) {
  Batch batch(*connection_);
  std::vector<Answer> answers;
  for (std::int64_t i = 0; i < 5; ++i) answers.push_back(batch.ask(kNumber, i));
  const Answer many = batch.ask(kNumbers, std::int64_t{7}), nothing;
  answers.erase(answers.begin() + 1);  // nobody counts them
  ASSERT_TRUE(batch.run());
  EXPECT_EQ(many.rows().size(), 7);
  EXPECT_FALSE(nothing.is_asked());
  for (const std::size_t at : {3U, 0U, 2U, 1U}) {
    EXPECT_TRUE(answers[at].is_asked());
    EXPECT_EQ(answers[at].rows().int8(0, 0), at == 0 ? 0 : static_cast<std::int64_t>(at + 1));
  }
  const Answer next = batch.ask(kNumber, std::int64_t{42});
  ASSERT_TRUE(batch.run());
  EXPECT_EQ(next.rows().int8(0, 0), 42);
  EXPECT_EQ(many.rows().size(), 7) << "the answers of an earlier round trip stay";
  ASSERT_TRUE(batch.run()) << "without questions there is no round trip";
}

TEST_F(PostgresBatch, WhatFailsIsTheAnswerOfAll) {
  Batch batch(*connection_);
  (void)batch.ask(kNumber, std::int64_t{1});
  (void)batch.ask(kWrong, std::int64_t{1});
  EXPECT_FALSE(batch.run());
}

class KeptHeadTexts : public ::testing::Test {
 protected:
  static HeadTexts::Key key(RecordNo record, WordColumns columns = 3, std::uint32_t written_by = 1) {
    return {.record = record, .columns = columns, .context = 0, .state = {1, 1, written_by}};
  }
  static HeadTexts::Text text(std::uint64_t wording, std::size_t words, bool has_words = true) {
    HeadText made;
    made.wording = wording;
    made.has_words = has_words;
    made.words.resize(words);
    return std::make_shared<const HeadText>(std::move(made));
  }
  void keep(const HeadTexts::Key& key, const HeadTexts::Text& text) { kept_.keep({&key, 1}, {&text, 1}); }
  bool knows(const HeadTexts::Key& key, bool with_words = true) { return kept_.find({&key, 1}, with_words).front() != nullptr; }

  HeadTexts kept_;
};

TEST_F(KeptHeadTexts, AreKnownByTheFieldsTheyWereReadByAndUntilSomebodyWrites) {
  keep(key(1), text(7, 10));
  EXPECT_TRUE(knows(key(1)));
  EXPECT_FALSE(knows(key(2)));
  EXPECT_FALSE(knows(key(1, 1))) << "who may read one field of two gets nothing of the other";
  EXPECT_FALSE(knows(key(1, 7)));
  EXPECT_FALSE(knows(key(1, 3, 2))) << "another transaction has written to the stream";
  keep(key(1, 3, 2), text(8, 10));
  EXPECT_TRUE(knows(key(1, 3, 2)));
  EXPECT_FALSE(knows(key(1))) << "one state of a record is kept";
}

TEST_F(KeptHeadTexts, WithoutWordsServeOnlySearchesThatNeedNone) {
  keep(key(1), text(7, 0, false));
  EXPECT_TRUE(knows(key(1), false));
  EXPECT_FALSE(knows(key(1), true));
}

TEST_F(KeptHeadTexts, AreBounded) {
  constexpr RecordNo kRecords = 20'000;
  for (RecordNo record = 0; record < kRecords; ++record) keep(key(record), text(1, 500));  // 2 KB each
  std::int64_t known = 0;
  for (RecordNo record = 0; record < kRecords; ++record) known += knows(key(record)) ? 1 : 0;
  EXPECT_GT(known, 0);
  EXPECT_LT(known, (8 << 20) / 2'000);
  for (int again = 0; again < 10'000; ++again) keep(key(kRecords - 1), text(1, 500));
  EXPECT_TRUE(knows(key(kRecords - 1)));
}

}  // namespace
}  // namespace ladder::store::postgres
