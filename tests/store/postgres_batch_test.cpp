// A round trip of several queries: each result belongs to its query.
#include "postgres_scene.h"
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

TEST_F(PostgresBatch, EachResultBelongsToItsHandle) {
  Batch batch(*connection_);
  std::vector<Answer> answers;
  for (std::int64_t i = 0; i < 5; ++i) answers.push_back(batch.ask(kNumber, i));
  const Answer many = batch.ask(kNumbers, std::int64_t{7}), nothing;
  answers.erase(answers.begin() + 1);  // the number of rows is unchecked
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

TEST_F(PostgresBatch, OneFailureFailsTheBatch) {
  Batch batch(*connection_);
  (void)batch.ask(kNumber, std::int64_t{1});
  (void)batch.ask(kWrong, std::int64_t{1});
  EXPECT_FALSE(batch.run());
}

}  // namespace
}  // namespace ladder::store::postgres
