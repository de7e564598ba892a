// JSON Pointers: the examples of RFC 6901, bad forms, bounds, and steps over text.
#include "json/scan/pointer.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ladder::json {
namespace {

using Tokens = std::vector<std::string>;

TEST(Pointer, ParsesAndFormats) {
  const std::vector<std::pair<std::string, Tokens>> table = {
      {"", {}},
      {"/", {""}},
      {"//", {"", ""}},
      {"/foo", {"foo"}},
      {"/foo/0", {"foo", "0"}},
      {"/a~1b", {"a/b"}},
      {"/m~0n", {"m~n"}},
      {"/~01", {"~1"}},
      {"/~10", {"/0"}},
      {"/c%d/e^f/g|h/i\\j/k\"l/ ", {"c%d", "e^f", "g|h", "i\\j", "k\"l", " "}},
      {"/größe/日本", {"größe", "日本"}},
  };
  for (const auto& [text, tokens] : table) {
    const auto parsed = parse_pointer(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, tokens) << text;
    EXPECT_EQ(format_pointer(tokens), text);
  }
}

TEST(Pointer, RejectsInvalidForms) {
  for (const std::string text : {"a", "a/b", "#/a", "/~", "/a~", "/a~/b", "/~2", "/~~0", "/\xFF", "/\xC3"}) {
    const auto parsed = parse_pointer(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code, Code::kInvalidFieldPath) << text;
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(Pointer, LimitsStepsAndBytes) {
  std::string deepest;
  for (std::size_t i = 0; i < limits::kMaxPointerDepth; ++i) deepest += "/a";
  EXPECT_EQ(parse_pointer(deepest)->size(), limits::kMaxPointerDepth);
  EXPECT_EQ(parse_pointer(deepest + "/").error().code, Code::kInvalidFieldPath);
  const std::string longest = "/" + std::string(limits::kMaxFieldPathBytes - 1, 'x');
  EXPECT_TRUE(parse_pointer(longest).has_value());
  EXPECT_EQ(parse_pointer(longest + "x").error().code, Code::kInvalidFieldPath);
}

TEST(Pointer, ArrayIndexIsDigitsWithoutLeadingZeros) {
  EXPECT_EQ(array_index("0"), 0U);
  EXPECT_EQ(array_index("10"), 10U);
  EXPECT_EQ(array_index("18446744073709551615"), UINT64_MAX);
  for (const std::string_view token : {"", "-", "00", "01", "-1", "+1", "1.0", "1e1", " 1", "1 ", "a", "18446744073709551616"}) {
    EXPECT_EQ(array_index(token), std::nullopt) << token;
  }
}

TEST(Pointer, ResolvesTheExamplesOfTheRfc) {
  const Value document = value_of(R"( {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
                                       " ": 7, "m~n": 8} )");
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", std::string(document.text)},
      {"/foo", R"(["bar", "baz"])"},
      {"/foo/0", R"("bar")"},
      {"/foo/1", R"("baz")"},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/c%d", "2"},
      {"/e^f", "3"},
      {"/g|h", "4"},
      {"/i\\j", "5"},
      {"/k\"l", "6"},
      {"/ ", "7"},
      {"/m~0n", "8"},
  };
  for (const auto& [pointer, text] : table) {
    const auto found = resolve(document, *parse_pointer(pointer));
    ASSERT_TRUE(found.has_value()) << pointer;
    EXPECT_EQ(found->text, text) << pointer;
  }
  for (const std::string pointer : {"/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/bar", "/foo/0/0", "//x", "/FOO"}) {
    EXPECT_FALSE(resolve(document, *parse_pointer(pointer)).has_value()) << pointer;
  }
}

TEST(Pointer, StartsAtALaterTokenAndStopsAtReferences) {
  const Value row = value_of(R"({"body":@42,"list":[[1,@7]]})");
  EXPECT_EQ(resolve(row, {"ignored", "list", "0", "1"}, 1)->text, "@7");
  EXPECT_EQ(resolve(row, {"body"})->kind, Kind::kReference);
  EXPECT_FALSE(resolve(row, {"body", "x"}).has_value());
  EXPECT_FALSE(resolve(row, {"list", "0", "1", "0"}).has_value());
  EXPECT_EQ(resolve(row, {"a", "b"}, 2)->text, row.text);
}

}  // namespace
}  // namespace ladder::json
