// Canonical keys and the identity check.
#include "model/record_key.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::model {
namespace {

json::Value checked_value(std::string_view text) {
  EXPECT_TRUE(json::check(text, limits::kMaxJsonDepth).has_value()) << text;
  return json::value_of(text);
}

Stream stream_with_key(std::vector<std::string> primary_key) {
  Stream stream;
  stream.name = "s";
  stream.primary_key = std::move(primary_key);
  return stream;
}

TEST(RecordKey, canonical_forms) {
  struct Case {
    std::string json;
    std::size_t arity;
    std::string canonical;
  };
  const std::vector<Case> cases = {{R"("n1")", 1, "n1"},
                                   {R"(["n1"])", 1, "n1"},
                                   {"42", 1, "42"},
                                   {"1.50", 1, "1.50"},
                                   {"123456789012345678901234567890", 1, "123456789012345678901234567890"},
                                   {"true", 1, "true"},
                                   {R"("a\/bé")", 1, "a/bé"},
                                   {R"( [ "user_123" , "2026-04-01" ] )", 2, R"(["user_123","2026-04-01"])"},
                                   {R"(["a",1,true])", 3, R"(["a","1","true"])"},
                                   {R"(["\u0000","\"\\"])", 2, R"(["\u0000","\"\\"])"},
                                   {R"(["",""])", 2, R"(["",""])"}};
  for (const Case& each : cases) {
    const auto key = canonical_key(checked_value(each.json), each.arity);
    ASSERT_TRUE(key.has_value()) << each.json << ": " << key.error().message;
    EXPECT_EQ(*key, each.canonical);
    EXPECT_EQ(join_key(key_parts(*key, each.arity)), *key);
  }
}

TEST(RecordKey, refusals) {
  const std::string long_key = '"' + std::string(limits::kMaxRecordKeyBytes + 1, 'k') + '"';
  const std::string very_long_key = '"' + std::string(100 * limits::kMaxRecordKeyBytes, 'k') + '"';
  const std::string long_parts = R"([")" + std::string(600, 'k') + R"(",")" + std::string(600, 'k') + R"("])";
  const std::vector<std::pair<std::string, std::size_t>> cases = {{R"("")", 1},       {"null", 1},         {"{}", 1},
                                                                  {"[]", 1},          {R"(["a","b"])", 1}, {R"("a")", 2},
                                                                  {R"(["a"])", 2},    {R"([null])", 1},    {R"(["a",null])", 2},
                                                                  {R"([["a"]])", 1},  {R"(["a",{}])", 2},  {long_key, 1},
                                                                  {very_long_key, 1}, {long_parts, 2}};
  for (const auto& [json, arity] : cases) {
    const auto key = canonical_key(checked_value(json), arity);
    ASSERT_FALSE(key.has_value()) << json.substr(0, 40);
    EXPECT_EQ(key.error().code, Code::kInvalidRecordIdentity);
  }
  EXPECT_TRUE(canonical_key(checked_value('"' + std::string(limits::kMaxRecordKeyBytes, 'k') + '"'), 1).has_value());
}

TEST(RecordKey, parts_of_what_is_no_compound_key) {
  for (const std::string_view text :
       {"", "a", "[", R"(["a"])", R"(["a","b","c"])", R"(["a",1])", R"(["a",["b"]])", R"({"a":"b"})"}) {
    EXPECT_TRUE(key_parts(text, 2).empty()) << text;
  }
  EXPECT_EQ(key_parts("[not json", 1), std::vector<std::string>{"[not json"});
}

TEST(RecordKey, identity_is_checked_field_by_field) {
  const Stream single = stream_with_key({"id"});
  const Stream compound = stream_with_key({"user", "day"});
  struct Case {
    const Stream& stream;
    std::string key, data;
    bool agrees;
  };
  const std::vector<Case> cases = {{single, "n1", R"({"id":"n1"})", true},
                                   {single, "n1", R"({"id":"n2"})", false},
                                   {single, "n1", R"({"title":"T"})", true},
                                   {single, "7", R"({"id":7})", true},
                                   {single, "7", R"({"id":7.0})", false},
                                   {single, "true", R"({"id":true})", true},
                                   {single, "null", R"({"id":null})", false},
                                   {single, "x", R"({"id":["x"]})", false},
                                   {single, "é", R"({"id":"\u00e9"})", true},
                                   {single, "n1", R"({"\u0069d":"n2"})", false},
                                   {compound, R"(["u","1"])", R"({"user":"u","day":1})", true},
                                   {compound, R"(["u","1"])", R"({"day":2})", false},
                                   {compound, R"(["u","1"])", R"({"user":"u"})", true},
                                   {compound, "u", R"({"user":"u"})", false}};
  for (const Case& each : cases) {
    const Status status = check_identity(each.stream, each.key, checked_value(each.data));
    EXPECT_EQ(status.has_value(), each.agrees) << each.key << " " << each.data;
    if (!status) {
      EXPECT_EQ(status.error().code, Code::kInvalidRecordIdentity);
    }
  }
  const Status status = check_identity(compound, R"(["u","1"])", checked_value(R"({"day":2,"secret":"word"})"));
  EXPECT_EQ(status.error().param, "day");
  EXPECT_EQ(status.error().message.find("word"), std::string::npos);
  EXPECT_TRUE(check_identity(single, "n1", json::Value{}).has_value());
}

}  // namespace
}  // namespace ladder::model
