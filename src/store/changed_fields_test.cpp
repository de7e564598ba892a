#include "base/limits.h"
#include "store/shred.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::store {
namespace {

using Names = std::vector<std::string>;

Names changed(std::string_view old_body, std::string_view new_body) {
  Names names = changed_fields(old_body, new_body);
  std::ranges::sort(names);
  return names;
}

std::string body_of(const std::string& text, ValueId first_id) {
  BufferedValues values;
  const json::Value data = json::value_of(text);
  return *shred(data, *plan_shred(data), first_id, values);
}

TEST(ChangedFields, NamesWhatDiffers) {
  EXPECT_EQ(changed("{}", "{}"), Names{});
  EXPECT_EQ(changed(R"({"a":1,"b":2})", R"({"b":2,"a":1})"), Names{}) << "order is not a change of a field";
  EXPECT_EQ(changed(R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":4,"d":5})"), (Names{"b", "c", "d"}));
  EXPECT_EQ(changed(R"({"a":1.0})", R"({"a":1.00})"), Names{"a"}) << "bytes count";
  EXPECT_EQ(changed(R"({"a":"1"})", R"({"a":1})"), Names{"a"});
  EXPECT_EQ(changed(R"({"\u0061":1})", R"({"a":1})"), Names{}) << "names are compared decoded";
  EXPECT_EQ(changed(R"({"a":null})", R"({})"), Names{"a"});
}

TEST(ChangedFields, LongValuesCompareByContent) {
  const std::string text = std::string(4'000, 'x');
  const std::string a = body_of("{\"s\":\"" + text + "\",\"n\":1}", 1);
  const std::string b = body_of("{\"s\":\"" + text + "\",\"n\":1}", 900);
  const std::string c = body_of("{\"s\":\"" + text + "y\",\"n\":1}", 900);
  EXPECT_NE(a, b);
  EXPECT_EQ(changed(a, b), Names{});
  EXPECT_EQ(changed(a, c), Names{"s"});
}

// A field that leaves the row only because a neighbour has grown has not changed.
TEST(ChangedFields, LeavingTheRowIsNoChange) {
  const std::string string = "\"" + std::string(3'500, 'x') + "\\n\"";
  const std::string array = "[" + std::string(3'000, ' ') + "1]";
  const auto record = [&](std::size_t hidden) {
    return "{\"s\":" + string + ",\"a\":" + array + ",\"h\":[" + std::string(hidden, ' ') + "],\"n\":[" +
           std::string(2'800, ' ') + "]," + "\"m\":[" + std::string(2'800, ' ') + "],\"l\":[" + std::string(2'800, ' ') + "]}";
  };
  const std::string before = body_of(record(10), 1);
  const std::string after = body_of(record(2'900), 100);
  ASSERT_EQ(json::member(before, "s")->kind, json::Kind::kString);
  ASSERT_EQ(json::member(after, "s")->kind, json::Kind::kReference);
  EXPECT_EQ(changed(before, after), Names{"h"});
  EXPECT_EQ(changed(after, before), Names{"h"});
  std::string other = record(2'900);
  other[10] = 'y';
  EXPECT_EQ(changed(before, body_of(other, 200)), (Names{"h", "s"}));
}

TEST(ChangedFields, ALongObjectIsNoLongString) {
  const std::string object = "[" + std::string(20'000, ' ') + "]";
  const std::string a = body_of("{\"v\":" + object + "}", 1);
  const std::string b = body_of("{\"v\":\"" + object + "\"}", 2);
  EXPECT_EQ(changed(a, b), Names{"v"});
}

}  // namespace
}  // namespace ladder::store
