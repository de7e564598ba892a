// Tests the parsing of times as users type them.
#include "cli/flags/time_words.h"

#include <gtest/gtest.h>

namespace ladder::cli {
namespace {

TEST(TimeWords, SpansCountFromNow) {
  const Instant now = *parse_time("2026-06-01T12:00:00Z");
  const auto ahead = [&](std::string_view text) { return parse_time_word(text, "expires", Direction::kAhead, now); };
  const auto ago = [&](std::string_view text) { return parse_time_word(text, "since", Direction::kAgo, now); };
  EXPECT_EQ(ahead("30d").value(), *parse_time("2026-07-01T12:00:00Z"));
  EXPECT_EQ(ahead("12h").value(), *parse_time("2026-06-02T00:00:00Z"));
  EXPECT_EQ(ahead("2w").value(), *parse_time("2026-06-15T12:00:00Z"));
  EXPECT_EQ(ahead("1y").value(), *parse_time("2027-06-01T12:00:00Z"));
  EXPECT_EQ(ago("90d").value(), *parse_time("2026-03-03T12:00:00Z"));
  EXPECT_EQ(ago("2026-04-01").value(), *parse_time("2026-04-01"));
  EXPECT_EQ(ahead("2026-04-01T12:00:00+02:00").value(), *parse_time("2026-04-01T10:00:00Z"));
}

TEST(TimeWords, RejectsEverythingElse) {
  const Instant now = *parse_time("2026-06-01");
  for (const std::string_view text : {"", "d", "30", "30 d", "-30d", "+30d", "30days", "3.5d", "30m", "30D", "d30", "tomorrow",
                                      "99999999999999999999d", "100001y", "100000y", "9000y", "0x1d"}) {
    const auto time = parse_time_word(text, "expires", Direction::kAhead, now);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, Code::kInvalidRequest);
    EXPECT_EQ(time.error().param, "expires");
  }
  EXPECT_FALSE(parse_time_word("3000y", "since", Direction::kAgo, now)) << "before the year 0";
}

TEST(TimeWords, AreShortInTables) {
  EXPECT_EQ(short_time(*parse_time("2026-04-01")), "2026-04-01");
  EXPECT_EQ(short_time(*parse_time("2026-04-01T12:30:59Z")), "2026-04-01T12:30Z");
}

}  // namespace
}  // namespace ladder::cli
