#include "server/window/window_cursor.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

store::LongRef at(store::ValueId id) {
  store::LongRef ref;
  ref.id = ref.text_id = id;
  ref.chunk_chars = 3600;
  return ref;
}

TEST(WindowHints, AreFoundOnlyForTheSameGrantStreamRecordAndField) {
  WindowHints hints;
  hints.keep(WindowHints::key(1, 2, "ab", "/c"), at(7));
  EXPECT_EQ(hints.find(WindowHints::key(1, 2, "ab", "/c")), at(7));
  EXPECT_FALSE(hints.find(WindowHints::key(0, 2, "ab", "/c")));
  EXPECT_FALSE(hints.find(WindowHints::key(1, 3, "ab", "/c")));
  EXPECT_FALSE(hints.find(WindowHints::key(1, 2, "a", "b/c")));
  hints.keep(WindowHints::key(1, 2, "ab", "/c"), at(8));
  EXPECT_EQ(hints.find(WindowHints::key(1, 2, "ab", "/c")), at(8)) << "the newest";
}

TEST(WindowHints, AreBounded) {
  WindowHints hints;
  const std::string first = WindowHints::key(1, 1, "first", "body");
  hints.keep(first, at(1));
  for (std::size_t i = 1; i < WindowHints::kMax; ++i) hints.keep(WindowHints::key(1, 1, std::to_string(i), "body"), at(2));
  EXPECT_TRUE(hints.find(first));
  hints.keep(WindowHints::key(1, 1, "one more", "body"), at(3));
  EXPECT_FALSE(hints.find(first));
  EXPECT_EQ(hints.find(WindowHints::key(1, 1, "one more", "body")), at(3));
}

}  // namespace
}  // namespace ladder::server
