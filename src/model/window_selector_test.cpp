// The rules for window arguments.
#include "model/window_selector.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::model {
namespace {

WindowArguments with_cursor() { return {.cursor = "c"}; }
WindowArguments with_q() { return {.q = "needle"}; }

void expect_refused(const WindowArguments& arguments, std::string_view param) {
  const auto selector = checked(arguments);
  ASSERT_FALSE(selector.has_value()) << "expected a refusal of " << param;
  EXPECT_EQ(selector.error().code, Code::kInvalidWindow);
  EXPECT_EQ(selector.error().param, param);
  EXPECT_NE(selector.error().message.find(param), std::string::npos) << selector.error().message;
}

TEST(WindowSelector, ChecksEveryCombinationOfSelectors) {
  // A bit for each of cursor, offset_chars, q, before_chars, after_chars; only these sets form a valid selector.
  const std::vector<unsigned> allowed = {0b00000, 0b00001, 0b00010, 0b00100, 0b01100, 0b10100, 0b11100};
  for (unsigned bits = 0; bits < 32; ++bits) {
    for (const bool has_limit : {false, true}) {
      WindowArguments arguments;
      if (bits & 1U) arguments.cursor = "c";
      if (bits & 2U) arguments.offset_chars = 7;
      if (bits & 4U) arguments.q = "needle";
      if (bits & 8U) arguments.before_chars = 3;
      if (bits & 16U) arguments.after_chars = 4;
      if (has_limit) arguments.limit_chars = 100;
      const bool is_allowed = std::find(allowed.begin(), allowed.end(), bits) != allowed.end();
      const auto selector = checked(arguments);
      EXPECT_EQ(selector.has_value(), is_allowed) << "bits " << bits;
      if (!selector) {
        EXPECT_EQ(selector.error().code, Code::kInvalidWindow);
      }
    }
  }
}

TEST(WindowSelector, CursorExcludesOffsetChars) {
  WindowArguments arguments = with_cursor();
  arguments.offset_chars = 0;
  expect_refused(arguments, "offset_chars");
}

TEST(WindowSelector, CursorExcludesQ) {
  WindowArguments arguments = with_cursor();
  arguments.q = "x";
  expect_refused(arguments, "q");
}

TEST(WindowSelector, CursorExcludesBeforeChars) {
  WindowArguments arguments = with_cursor();
  arguments.before_chars = 0;
  expect_refused(arguments, "before_chars");
}

TEST(WindowSelector, CursorExcludesAfterChars) {
  WindowArguments arguments = with_cursor();
  arguments.after_chars = 0;
  expect_refused(arguments, "after_chars");
}

TEST(WindowSelector, UsesOffsetAndLimitUnchanged) {
  const auto selector = checked({.offset_chars = 123, .limit_chars = 45});
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->kind, SelectorKind::kOffset);
  EXPECT_EQ(selector->offset_chars, 123);
  EXPECT_EQ(selector->limit(), 45);
}

TEST(WindowSelector, QueryWindowSpansMatchAndContext) {
  WindowArguments arguments = with_q();
  arguments.before_chars = 10;
  arguments.after_chars = 20;
  const auto selector = checked(arguments);
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->kind, SelectorKind::kQuery);
  EXPECT_EQ(selector->query_limit(6), 36);
  // The match always fits, however small the requested limit.
  arguments.limit_chars = 2;
  EXPECT_EQ(checked(arguments)->query_limit(6), 6);
  arguments.limit_chars = 1000;
  EXPECT_EQ(checked(arguments)->query_limit(6), 1000);
}

TEST(WindowSelector, QueryWindowNeverExceedsTheMaximum) {
  const auto selector = checked({.q = "x", .before_chars = 8192, .after_chars = 8192});
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->query_limit(1024), 16384);
}

TEST(WindowSelector, QExcludesOffsetChars) {
  WindowArguments arguments = with_q();
  arguments.offset_chars = 5;
  expect_refused(arguments, "offset_chars");
}

TEST(WindowSelector, LimitCharsDefaultsTo4096) {
  EXPECT_EQ(checked({.offset_chars = 9})->limit(), 4096);
  EXPECT_EQ(checked(with_cursor())->limit(), 4096);
  EXPECT_FALSE(checked(with_cursor())->limit_chars.has_value());
}

TEST(WindowSelector, LimitCharsIsCappedAt16384) {
  EXPECT_TRUE(checked({.limit_chars = 16384}).has_value());
  expect_refused({.limit_chars = 16385}, "limit_chars");
  WindowArguments arguments = with_cursor();
  arguments.limit_chars = 16385;
  expect_refused(arguments, "limit_chars");
}

TEST(WindowSelector, ContextDefaultsTo2048Each) {
  const auto selector = checked(with_q());
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->before_chars, 2048);
  EXPECT_EQ(selector->after_chars, 2048);
  EXPECT_EQ(selector->query_limit(6), 2048 + 6 + 2048);
}

TEST(WindowSelector, ContextIsCappedAt8192) {
  WindowArguments arguments = with_q();
  arguments.before_chars = 8192;
  arguments.after_chars = 8192;
  EXPECT_TRUE(checked(arguments).has_value());
  arguments.before_chars = 8193;
  expect_refused(arguments, "before_chars");
  arguments.before_chars = 0;
  arguments.after_chars = 8193;
  expect_refused(arguments, "after_chars");
}

TEST(WindowSelector, OffsetCharsIsAnIntegerFrom0) {
  EXPECT_TRUE(checked({.offset_chars = 0}).has_value());
  EXPECT_TRUE(checked({.offset_chars = INT64_MAX}).has_value());
  expect_refused({.offset_chars = -1}, "offset_chars");
  expect_refused({.offset_chars = INT64_MIN}, "offset_chars");
}

TEST(WindowSelector, ParsesIntegersInTextForm) {
  EXPECT_EQ(parse_window_integer("0", "offset_chars"), 0);
  EXPECT_EQ(parse_window_integer("-1", "offset_chars"), -1);
  EXPECT_EQ(parse_window_integer("007", "offset_chars"), 7);
  EXPECT_EQ(parse_window_integer("9223372036854775807", "offset_chars"), INT64_MAX);
  EXPECT_EQ(parse_window_integer("-9223372036854775808", "offset_chars"), INT64_MIN);
  for (const std::string_view bad :
       {"", "-", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "three", "--1", "9223372036854775808", "١"}) {
    const auto parsed = parse_window_integer(bad, "offset_chars");
    ASSERT_FALSE(parsed.has_value()) << bad;
    EXPECT_EQ(parsed.error().code, Code::kInvalidWindow);
    EXPECT_EQ(parsed.error().param, "offset_chars");
  }
}

TEST(WindowSelector, LimitCharsIsAtLeast1) {
  EXPECT_TRUE(checked({.limit_chars = 1}).has_value());
  expect_refused({.limit_chars = 0}, "limit_chars");
  expect_refused({.limit_chars = -5}, "limit_chars");
}

TEST(WindowSelector, ContextIsAtLeast0) {
  WindowArguments arguments = with_q();
  arguments.before_chars = 0;
  arguments.after_chars = 0;
  const auto selector = checked(arguments);
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->query_limit(6), 6);
  arguments.before_chars = -1;
  expect_refused(arguments, "before_chars");
  arguments.before_chars = 0;
  arguments.after_chars = -1;
  expect_refused(arguments, "after_chars");
}

TEST(WindowSelector, ContextRequiresQ) {
  expect_refused({.before_chars = 10}, "before_chars");
  expect_refused({.after_chars = 10}, "after_chars");
  expect_refused({.offset_chars = 1, .before_chars = 10}, "before_chars");
}

TEST(WindowSelector, NoSelectorMeansOffset0Limit4096) {
  const auto selector = checked({});
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->kind, SelectorKind::kOffset);
  EXPECT_EQ(selector->offset_chars, 0);
  EXPECT_EQ(selector->limit(), 4096);
}

TEST(WindowSelector, LimitMayAccompanyACursor) {
  WindowArguments arguments = with_cursor();
  arguments.limit_chars = 12;
  const auto selector = checked(arguments);
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(selector->kind, SelectorKind::kCursor);
  EXPECT_EQ(selector->cursor, "c");
  EXPECT_EQ(selector->limit(), 12);
}

TEST(WindowSelector, RejectsEmptyAndInvalidTexts) {
  expect_refused({.cursor = ""}, "cursor");
  expect_refused({.q = ""}, "q");
  expect_refused({.q = "\xFF\xFE"}, "q");
  expect_refused({.q = std::string(limits::kQueryMaxChars + 1, 'x')}, "q");
}

TEST(WindowSelector, QIsCountedInCodePoints) {
  std::string emoji;
  for (std::size_t i = 0; i < limits::kQueryMaxChars; ++i) emoji += "😀";
  EXPECT_TRUE(checked({.q = emoji}).has_value());
  expect_refused({.q = emoji + "x"}, "q");
}

}  // namespace
}  // namespace ladder::model
