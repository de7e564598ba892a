// Canonical keys and the identity check.
#include "model/record_id.h"

#include "base/limits.h"
#include "model/handle.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ladder::model {
namespace {

json::Value checked_value(std::string_view text) {
  EXPECT_TRUE(json::check(text, limits::kMaxJsonDepth).has_value()) << text;
  return json::value_of(text);
}

TEST(RecordKey, HasCanonicalForms) {
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

TEST(RecordKey, RejectsInvalidKeys) {
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

TEST(RecordKey, SimpleKeysHaveOnePart) {
  for (const std::string_view text :
       {"", "a", "[", R"(["a"])", R"(["a","b","c"])", R"(["a",1])", R"(["a",["b"]])", R"({"a":"b"})"}) {
    EXPECT_TRUE(key_parts(text, 2).empty()) << text;
  }
  EXPECT_EQ(key_parts("[not json", 1), std::vector<std::string>{"[not json"});
}

TEST(RecordKey, IdentityIsCheckedFieldByField) {
  const std::vector<std::string> single = {"id"};
  const std::vector<std::string> compound = {"user", "day"};
  struct Case {
    const std::vector<std::string>& primary_key;
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
    const Status status = check_identity(each.primary_key, each.key, checked_value(each.data));
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

// The id grammar, with the fixed ids of the contract.

using Refs = std::vector<std::pair<std::string, RecordRef>>;

void expect_parses(const Refs& cases) {
  for (const auto& [text, wanted] : cases) {
    const auto ref = parse_record_id(text);
    ASSERT_TRUE(ref.has_value()) << text << ": " << ref.error().message;
    EXPECT_EQ(*ref, wanted) << text;
  }
}

void expect_refused(std::string_view text, std::string_view named = {}) {
  const auto ref = parse_record_id(text);
  ASSERT_FALSE(ref.has_value()) << text;
  EXPECT_EQ(ref.error().code, Code::kInvalidId) << text;
  EXPECT_EQ(ref.error().param, "id") << text;
  EXPECT_NE(ref.error().message.find(named), std::string::npos) << text << ": " << ref.error().message;
}

void expect_fails(const IdentityArguments& arguments, Code code, std::string_view param) {
  const auto ref = resolve_identity(arguments);
  ASSERT_FALSE(ref.has_value());
  EXPECT_EQ(ref.error().code, code) << ref.error().message;
  EXPECT_EQ(ref.error().param, param) << ref.error().message;
}

TEST(RecordId, ParsesTheSelfContainedForm) {
  expect_parses({{"cin_4f2a/orders:o1", {"cin_4f2a", "orders", "o1"}},
                 {"conn_a/orders:o1", {"conn_a", "orders", "o1"}},
                 {" c /s t:r, [x] y", {" c ", "s t", "r, [x] y"}},
                 {R"(c/s:["user_123","2026-04-01"])", {"c", "s", R"(["user_123","2026-04-01"])"}},
                 {"c/ström:😀", {"c", "ström", "😀"}}});
  EXPECT_EQ(format_record_id({"cin_4f2a", "orders", "o1"}), "cin_4f2a/orders:o1");
  EXPECT_EQ(format_record_id({"c", "s", R"(["a","b"])"}), R"(c/s:["a","b"])");
}

TEST(RecordId, ParsesTheLegacyFormWithoutASlash) {
  expect_parses({{"orders:o1", {"", "orders", "o1"}}, {"o:1 2", {"", "o", "1 2"}}});
  EXPECT_EQ(format_record_id({"", "orders", "o1"}), "orders:o1");
}

TEST(RecordId, RejectsUnsafeCharactersInEverySegment) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a\\b/s:r", "connection_id"}, {"a..b/s:r", "connection_id"}, {"../s:r", "connection_id"}, {"./s:r", "connection_id"},
      {"c/a/b:r", "stream"},         {"c/a\\b:r", "stream"},        {"c/a..b:r", "stream"},      {"c/.:r", "stream"},
      {"c/s:a/b", "record_id"},      {"c/s:a\\b", "record_id"},     {"c/s:a..b", "record_id"},   {"c/s:.", "record_id"},
      {"a\\b:r", "stream"},          {"a..b:r", "stream"},          {"s:a\\b", "record_id"},     {"s:a..b", "record_id"}};
  for (const auto& [text, segment] : cases) expect_refused(text, segment);
}

TEST(RecordId, RejectsTheInvalidIdsOfTheContract) {
  for (const std::string_view text :
       {"cin_aaa/orders:../../etc/passwd", "../cin_aaa/orders:o1", "cin_aaa/", "/orders:o1", "cin_aaa/orders",
        "cin_aaa/extra/orders:o1", "orders:../../etc/passwd", "", "noseparator", "orders:", ":o1"}) {
    expect_refused(text);
  }
}

TEST(RecordId, FirstColonSplits) {
  expect_parses({{"c/s:r:with:colons", {"c", "s", "r:with:colons"}}, {"c/s::", {"c", "s", ":"}}, {"a:b/s:r", {"a:b", "s", "r"}}});
}

TEST(RecordId, LegacyIdsParseAsBefore) { expect_parses({{"a:b:c", {"", "a", "b:c"}}}); }

TEST(RecordId, AllowsAStreamNamedPdpp) {
  expect_parses({{"pdpp:x", {"", "pdpp", "x"}}, {"c/pdpp:x", {"c", "pdpp", "x"}}, {"pdpp:/x:y", {"pdpp:", "x", "y"}}});
  expect_refused("pdpp://field-window/abc");
  expect_refused("pdpp://elsewhere/x:y");
}

TEST(RecordId, ChecksLengthAndEncoding) {
  const std::string most(limits::kMaxRecordKeyBytes, 'k');
  EXPECT_TRUE(parse_record_id("c/s:" + most).has_value());
  expect_refused("c/s:" + most + "k", "record_id");
  expect_refused("c/s:\xFF");
  expect_refused(std::string(limits::kMaxHandleBytes + 1, 'a'));
}

TEST(RecordId, EscapesKeysOutsideTheGrammar) {
  const std::vector<std::pair<RecordRef, std::string>> ids = {
      {{"c", "s", "a/b"}, "c/s:/a%2Fb"},
      {{"c", "s", "Recipes/Bread & butter.md"}, "c/s:/Recipes%2FBread & butter.md"},
      {{"c", "s", "../../etc/passwd"}, "c/s:/.%2E%2F.%2E%2Fetc%2Fpasswd"},
      {{"c", "s", "a\\b"}, "c/s:/a%5Cb"},
      {{"c", "s", "..."}, "c/s:/.%2E%2E"},
      {{"c", "s", "100%/year"}, "c/s:/100%25%2Fyear"},
      {{"c", "s", "x\ny"}, "c/s:/x%0Ay"},
      {{"c", "s", std::string("a\0b", 3)}, "c/s:/a%00b"},
      {{"c", "s", "\u202Ereversed"}, "c/s:/%E2%80%AEreversed"},
      {{"c", "s", "tag\U000E0041"}, "c/s:/tag%F3%A0%81%81"},
      {{"c", "s", "line\u2028break"}, "c/s:/line%E2%80%A8break"}};
  for (const auto& [ref, id] : ids) {
    EXPECT_EQ(format_record_id(ref), id);
    EXPECT_EQ(parse_record_id(id), ref) << id;
    EXPECT_EQ(parse_record_id(std::string(kRecordUriPrefix) + percent_encode(id)), ref) << id;
  }
  // A percent sign alone is an ordinary key, as it was before keys were escaped.
  EXPECT_EQ(format_record_id({"c", "s", "a%2Fb"}), "c/s:a%2Fb");
  EXPECT_EQ(parse_record_id("c/s:a%2Fb"), (RecordRef{"c", "s", "a%2Fb"}));
}

TEST(RecordId, AcceptsOnlyCanonicalEscapes) {
  for (const char* const id :
       {"c/s:/", "c/s:/plain", "c/s:/a/b", "c/s:/a%2fb", "c/s:/%61%2Fb", "c/s:/..%2Fa", "c/s:/a%2", "c/s:/a%2Fb%", "c/s:/%2E",
        "c/s:/.%2E", "c/s:/%FF%2F", "c/s:/a%20%2Fb", "/s:/a%2Fb", "c/:/a%2Fb", "s:/a%2Fb", "c/a/s:/b%2F"}) {
    EXPECT_FALSE(parse_record_id(id).has_value()) << id;
  }
}

TEST(RecordId, UsesAHandleIfNoEscapeSuffices) {
  const std::vector<RecordRef> refs = {
      {"", "s", "a/b"},
      {"c", "a/b", "r"},
      {"c", "a:b", "r"},
      {"a:b", "s", "r"},
      {"a/b", "s", "r"},
      {"x\ny", "s", "a/b"},
      {"c", "s", std::string(limits::kMaxRecordKeyBytes, '/')},
      {std::string(limits::kMaxRecordKeyBytes, '\x01'), std::string(limits::kMaxRecordKeyBytes, '\x02'),
       std::string(limits::kMaxRecordKeyBytes, '\x1F')}};
  for (const RecordRef& ref : refs) {
    const std::string id = format_record_id(ref);
    EXPECT_EQ(parse_record_id(id), ref);
    if (ref.record_id.size() < limits::kMaxRecordKeyBytes) {
      EXPECT_TRUE(id.starts_with(kRecordUriPrefix)) << id;
    }
  }
}

TEST(RecordId, BothFormsNameTheSameRecord) {
  const auto by_id = resolve_identity({.id = "c/s:r"});
  const auto by_parts = resolve_identity({.connection_id = "c", .stream = "s", .record_id = "r"});
  ASSERT_TRUE(by_id.has_value() && by_parts.has_value());
  EXPECT_EQ(*by_id, *by_parts);
  const auto by_uri = resolve_identity({.id = format_record_id({"c", "s", "a/b"})});
  ASSERT_TRUE(by_uri.has_value());
  EXPECT_EQ(by_uri->record_id, "a/b");
}

TEST(RecordId, RejectsIncompleteAndDuplicateIdentity) {
  expect_fails({}, Code::kInvalidId, "connection_id");
  expect_fails({.connection_id = "c"}, Code::kInvalidId, "stream");
  expect_fails({.connection_id = "c", .stream = "s"}, Code::kInvalidId, "record_id");
  expect_fails({.stream = "s", .record_id = "r"}, Code::kInvalidId, "connection_id");
  expect_fails({.id = "c/s:r", .connection_id = "c", .stream = "s", .record_id = "r"}, Code::kInvalidId, "id");
}

TEST(RecordId, ALegacyIdNeedsItsConnection) {
  expect_fails({.id = "s:r"}, Code::kInvalidId, "id");
  EXPECT_EQ(resolve_identity({.id = "s:r", .connection_id = "c"}), (RecordRef{"c", "s", "r"}));
  expect_fails({.id = "s:r", .connection_id = "../c"}, Code::kInvalidId, "connection_id");
  expect_fails({.id = "s:r", .connection_id = ""}, Code::kInvalidId, "connection_id");
}

TEST(RecordId, ValidatesEveryPartOfTheTriple) {
  expect_fails({.connection_id = "../c", .stream = "s", .record_id = "r"}, Code::kInvalidId, "connection_id");
  expect_fails({.connection_id = "c", .stream = "a/b", .record_id = "r"}, Code::kInvalidId, "stream");
  expect_fails({.connection_id = "c", .stream = "s", .record_id = "a/b"}, Code::kInvalidId, "record_id");
  expect_fails({.connection_id = "c", .stream = "s", .record_id = ""}, Code::kInvalidId, "record_id");
  expect_fails({.connection_id = "c", .stream = "\xFF", .record_id = "r"}, Code::kInvalidId, "stream");
}

TEST(RecordId, EqualPartsAreAccepted) {
  const RecordRef wanted{"c", "s", "r"};
  EXPECT_EQ(resolve_identity({.id = "c/s:r", .connection_id = "c"}), wanted);
  EXPECT_EQ(resolve_identity({.id = "c/s:r", .stream = "s"}), wanted);
  EXPECT_EQ(resolve_identity({.id = "c/s:r", .connection_id = "c", .record_id = "r"}), wanted);
}

TEST(RecordId, ADifferentConnectionIsATypedConflict) {
  const auto ref = resolve_identity({.id = "c/s:r", .connection_id = "other"});
  ASSERT_FALSE(ref.has_value());
  EXPECT_EQ(ref.error().code, Code::kConflictingConnection);
  EXPECT_NE(ref.error().message.find("\"c\""), std::string::npos);
  EXPECT_NE(ref.error().message.find("\"other\""), std::string::npos);
  expect_fails({.id = "c/s:r", .stream = "t"}, Code::kInvalidId, "stream");
  expect_fails({.id = "c/s:r", .record_id = "q"}, Code::kInvalidId, "record_id");
}

TEST(RecordId, RecognizesSafeNames) {
  for (const std::string_view name : {"a", "a:b", "a.b", ".a", "a b", "\"", "…"}) EXPECT_TRUE(is_safe_name(name)) << name;
  for (const std::string_view name : {"", ".", "..", "a..b", "a/b", "/", "\\", "a\\"}) EXPECT_FALSE(is_safe_name(name)) << name;
  EXPECT_FALSE(is_safe_name(std::string(limits::kMaxRecordKeyBytes + 1, 'a')));
}

}  // namespace
}  // namespace ladder::model
