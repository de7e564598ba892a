#include "server/search/time_words.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

const Instant kNow = *parse_time("2026-11-18T19:00:00Z");  // a Wednesday

// Formats the result as "since until
// rest" with dates; "-" for an open end, "none" if there is no time range.
std::string told(std::string_view question, Instant now = kNow) {
  const auto found = find_time_words(question, now);
  if (!found) return "none";
  const auto date = [](const std::optional<Instant>& at) { return at ? format_time(*at).substr(0, 10) : std::string("-"); };
  return date(found->range.since) + " " + date(found->range.until) + " | " + found->rest;
}

TEST(TimeWords, AreParsedAndRemovedFromTheQuestion) {
  EXPECT_EQ(told("invoices in March 2024"), "2024-03-01 2024-04-01 | invoices");
  EXPECT_EQ(told("invoices of Dec. 2024, unpaid"), "2024-12-01 2025-01-01 | invoices unpaid");
  EXPECT_EQ(told("which hotel did I book last spring?"), "2026-03-01 2026-06-01 | which hotel did I book");
  EXPECT_EQ(told("Last week"), "2026-11-09 2026-11-16 | ");
  EXPECT_EQ(told("meetings next week"), "2026-11-23 2026-11-30 | meetings");
  EXPECT_EQ(told("meetings this month"), "2026-11-01 2026-12-01 | meetings");
  EXPECT_EQ(told("rent last year"), "2025-01-01 2026-01-01 | rent");
  EXPECT_EQ(told("what did Anna write yesterday"), "2026-11-17 2026-11-18 | what did Anna write");
  EXPECT_EQ(told("the doctor tomorrow"), "2026-11-19 2026-11-20 | the doctor");
  EXPECT_EQ(told("taxes in 2023"), "2023-01-01 2024-01-01 | taxes");
  EXPECT_EQ(told("holiday in summer 2025"), "2025-06-01 2025-09-01 | holiday");
  EXPECT_EQ(told("mail on 5 March 2024"), "2024-03-05 2024-03-06 | mail");
  EXPECT_EQ(told("mail on March 5th, 2024"), "2024-03-05 2024-03-06 | mail");
  EXPECT_EQ(find_time_words("mail in March 2024", kNow)->words, "in March 2024");
}

TEST(TimeWords, FollowPrepositionsToOpenRanges) {
  EXPECT_EQ(told("mail since yesterday"), "2026-11-17 - | mail");
  EXPECT_EQ(told("mail after March 2024"), "2024-04-01 - | mail");
  EXPECT_EQ(told("mail before March 2024"), "- 2024-03-01 | mail");
  EXPECT_EQ(told("mail until March 2024"), "- 2024-04-01 | mail");
}

TEST(TimeWords, TreatASeasonAsTheLastOneThatEnded) {
  EXPECT_EQ(told("last spring", *parse_time("2026-04-10T00:00:00Z")), "2025-03-01 2025-06-01 | ");
  EXPECT_EQ(told("last winter", *parse_time("2026-01-10T00:00:00Z")), "2024-12-01 2025-03-01 | ");
  EXPECT_EQ(told("last winter", *parse_time("2026-03-01T00:00:00Z")), "2025-12-01 2026-03-01 | ");
  EXPECT_EQ(told("last month", *parse_time("2026-01-31T23:59:59Z")), "2025-12-01 2026-01-01 | ");
  EXPECT_EQ(told("last week", *parse_time("2026-11-01T12:00:00Z")), "2026-10-19 2026-10-26 | ") << "a week ends on Sunday";
}

TEST(TimeWords, LeaveAmbiguousWordsInTheQuestion) {
  for (const std::string_view question : {"",
                                          "hotel",
                                          "meeting in March",
                                          "may we come",
                                          "the last week of school",
                                          "in the last week",
                                          "last week of May",
                                          "between March 2024 and May 2024",
                                          "March 2024 to May 2024",
                                          "March 2024 or May 2025",
                                          "from March 2024 on",
                                          "\"last week\" song",
                                          "USA Today subscription",
                                          "winter 2024",
                                          "room 2024",
                                          "30 February 2024",
                                          "this spring",
                                          "by next week",
                                          "spring cleaning",
                                          "last"}) {
    EXPECT_EQ(told(question), "none") << question;
  }
  std::string pasted = "last week";
  for (int i = 0; i < 24; ++i) pasted += " word";
  EXPECT_EQ(told(pasted), "none");
}

TEST(TimeWords, DetectQuestionsWithoutSearchWords) {
  EXPECT_TRUE(has_no_search_words(""));
  EXPECT_TRUE(has_no_search_words("What happened?"));
  EXPECT_FALSE(has_no_search_words("what did Anna do"));
}

}  // namespace
}  // namespace ladder::server
