// Parsing: values, limits, error positions, duplicate names, numbers; and canonical text.
#include "json/parse.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

using std::string_literals::operator""s;

constexpr std::size_t kBytes = 1 << 20;

boost::json::value parsed(std::string_view text) {
  auto value = parse(text, kBytes, 16);
  EXPECT_TRUE(value.has_value()) << text << ": " << (value ? "" : value.error().message);
  return value ? *std::move(value) : nullptr;
}

TEST(Parse, BuildsTheTree) {
  const auto tree = parsed(R"( { "s" : "a\u0000\n\ud83d\ude00é" , "l" : [ 1 , [ ] , { } , null , true , false ] , "" : -2.5 } )");
  const auto& object = tree.as_object();
  ASSERT_EQ(object.size(), 3U);
  EXPECT_EQ(std::string(object.at("s").as_string()), "a\0\n😀é"s);
  const auto& list = object.at("l").as_array();
  ASSERT_EQ(list.size(), 6U);
  EXPECT_EQ(list[0].as_int64(), 1);
  EXPECT_TRUE(list[1].as_array().empty());
  EXPECT_TRUE(list[2].as_object().empty());
  EXPECT_TRUE(list[3].is_null());
  EXPECT_TRUE(list[4].as_bool());
  EXPECT_FALSE(list[5].as_bool());
  EXPECT_EQ(object.at("").as_double(), -2.5);
}

TEST(Parse, KeepsIntegersOf64BitsAndRoundsTheRestCorrectly) {
  EXPECT_EQ(parsed("9223372036854775807").as_int64(), INT64_MAX);
  EXPECT_EQ(parsed("-9223372036854775808").as_int64(), INT64_MIN);
  EXPECT_EQ(parsed("9223372036854775808").as_uint64(), 9223372036854775808U);
  EXPECT_EQ(parsed("18446744073709551615").as_uint64(), UINT64_MAX);
  EXPECT_EQ(parsed("18446744073709551616").as_double(), 18446744073709551616.0);
  EXPECT_EQ(parsed("-9223372036854775809").as_double(), -9223372036854775808.0);
  EXPECT_EQ(parsed("1.0").as_double(), 1.0);
  EXPECT_EQ(parsed("0.1").as_double(), 0.1);
  EXPECT_EQ(parsed("9007199254740993.0").as_double(), 9007199254740992.0);
  EXPECT_EQ(parsed("2.2250738585072011e-308").as_double(), 2.2250738585072011e-308);
  EXPECT_EQ(parsed("1.7976931348623157e308").as_double(), 1.7976931348623157e308);
  EXPECT_EQ(parsed("1e-400").as_double(), 0.0);
  EXPECT_EQ(parsed("-1e-400").as_double(), 0.0);
  EXPECT_EQ(parsed("0e99999").as_double(), 0.0);
}

TEST(Parse, ReportsThePositionOfTheError) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "line 1, byte 1: a value is missing"},
      {"{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3, byte 7: a colon is missing"},
      {"[1,\n2,\n]", "line 3, byte 1: a value is missing"},
      {"[01]", "line 1, byte 3: a number has a leading zero"},
      {"\"\xFF\"", "line 1, byte 2: the text is not valid UTF-8"},
      {"{\"a\":1,\n \"b\":{\"a\":2}, \"\\u0061\":3}", "line 2, byte 15: the object already has a member with this name"},
      {"[1, 1e400]", "line 1, byte 5: the number is too large"},
      {"-1e999999999999999999999", "line 1, byte 1: the number is too large"},
      {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", "line 1, byte 17: the value is nested too deeply"},
  };
  for (const auto& [text, where] : table) {
    const auto value = parse(text, kBytes, 16);
    ASSERT_FALSE(value.has_value()) << text;
    EXPECT_EQ(value.error().code, Code::kInvalidRequest);
    EXPECT_EQ(value.error().message, "The JSON text is invalid at " + where + ".");
  }
}

TEST(Parse, LimitsBytesAndDepth) {
  EXPECT_TRUE(parse("[1]", 3, 1).has_value());
  const auto large = parse("[1] ", 3, 1);
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, Code::kInvalidRequest);
  EXPECT_EQ(large.error().message, "The JSON text has 4 bytes; at most 3 are allowed.");
  EXPECT_TRUE(parse(std::string(16, '[') + std::string(16, ']'), kBytes, 16).has_value());
  EXPECT_FALSE(parse("[]", 2, 0).has_value());
}

TEST(Canonical, IsUniquePerValue) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"( { "b" : [ 1 , 2 ] , "a" : { "z" : null , "y" : "\u0041\/" } } )", R"({"a":{"y":"A/","z":null},"b":[1,2]})"},
      {R"({"é":1,"z":2,"":3,"Z":4,"\uffff":5,"😀":6})", "{\"\":3,\"Z\":4,\"z\":2,\"é\":1,\"\xEF\xBF\xBF\":5,\"😀\":6}"},
      {"[1.0, 1e0, 10e-1, 1]", "[1,1,1,1]"},
      {"[-0, -0.0, 0, 0e5]", "[0,0,0,0]"},
      {"[1e15, 1000000000000000, 1e18, -1e18]", "[1000000000000000,1000000000000000,1000000000000000000,-1000000000000000000]"},
      {"[1e19, 10000000000000000000, 18446744073709551615]", "[10000000000000000000,10000000000000000000,18446744073709551615]"},
      {"[1e300, 0.1, 1e-7, 100000000000000000000]", "[1e+300,0.1,1e-07,1e+20]"},
      {R"([true,false,"\u0001\n\""])", R"([true,false,"\u0001\n\""])"},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(canonical(parsed(text)), expected);
    EXPECT_EQ(canonical(parsed(expected)), expected);
  }
  EXPECT_NE(canonical(parsed("[1,2]")), canonical(parsed("[2,1]")));
  EXPECT_NE(canonical(parsed("1")), canonical(parsed(R"("1")")));
}

}  // namespace
}  // namespace ladder::json
