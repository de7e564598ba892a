// Search cursors: they come back as they went in, tell nothing by their length, and open only for their own search.
#include "server/search/search_cursor.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

const crypto::Sealer& sealer() {
  static const crypto::Sealer made({{1, std::string(crypto::kSealKeyBytes, 'k')}});
  return made;
}
const std::string kBinding(16, 'b');

SearchPosition position(std::string key) {
  return {-7, {parse_time("1969-07-20T20:17:40Z"), std::move(key), "home", "notes"}, {}};
}

TEST(SearchCursor, ComesBackAsItWentIn) {
  for (const bool timed : {false, true}) {
    for (const bool horizon : {false, true}) {
      SearchPosition made = position(std::string("k\0\xff", 3));
      if (!timed) made.last.time.reset();
      if (horizon) made.horizon = SearchedRecord{timed ? std::optional<Instant>(-1) : std::nullopt, "", "work", "mail"};
      const auto opened = open_search(sealer(), kBinding, seal_search(sealer(), kBinding, made));
      ASSERT_TRUE(opened);
      EXPECT_EQ(*opened, made);
    }
  }
}

TEST(SearchCursor, TellsNothingByTextOrLength) {
  const std::string one = seal_search(sealer(), kBinding, position("a"));
  EXPECT_NE(one, seal_search(sealer(), kBinding, position("a")));
  EXPECT_EQ(one.size(), seal_search(sealer(), kBinding, position(std::string(30, 'k'))).size());
}

TEST(SearchCursor, OpensForItsOwnSearchOnly) {
  const std::string sealed = seal_search(sealer(), kBinding, position("a"));
  EXPECT_EQ(open_search(sealer(), std::string(16, 'c'), sealed).error().code, Code::kCursorMismatch);
  EXPECT_EQ(open_search(sealer(), kBinding, sealed.substr(1)).error().code, Code::kInvalidCursor);
  EXPECT_EQ(open_search(sealer(), kBinding, "x").error().code, Code::kInvalidCursor);
  const std::string other = sealer().seal_fresh("list-cursor", kBinding + std::string(100, 'x'));
  EXPECT_EQ(open_search(sealer(), kBinding, other).error().code, Code::kInvalidCursor);
  const std::string cut = sealer().seal_fresh("search-cursor", kBinding + "short");
  EXPECT_EQ(open_search(sealer(), kBinding, cut).error().code, Code::kInvalidCursor);
  const crypto::Sealer later({{2, std::string(crypto::kSealKeyBytes, 'n')}});
  EXPECT_EQ(open_search(later, kBinding, sealed).error().code, Code::kCursorExpired);
}

}  // namespace
}  // namespace ladder::server
