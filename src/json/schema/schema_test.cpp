// JSON Schema: accepted and rejected data for each keyword, references, the list of unenforced keywords, invalid
// schemas.
#include "json/schema/schema.h"

#include "json/parse.h"

#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

using Texts = std::vector<std::string>;

Schema compiled(const std::string& text) {
  const auto tree = parse(text, 1 << 20, 64);
  EXPECT_TRUE(tree.has_value()) << text << (tree ? "" : tree.error().message);
  auto schema = Schema::compile(*tree);
  EXPECT_TRUE(schema.has_value()) << text << (schema ? "" : schema.error().message);
  return schema ? *std::move(schema) : Schema();
}

std::optional<Violation> validate(const Schema& schema, const std::string& data) {
  EXPECT_TRUE(check(data, 2000).has_value()) << data;
  return schema.validate(value_of(data));
}

struct Row {
  std::string schema;
  Texts accepted;
  Texts refused;
};

TEST(Schema, AcceptsAndRejectsByKeyword) {
  const std::vector<Row> table = {
      {"true", {"1", "{}", "null"}, {}},
      {"false", {}, {"1", "{}", "null"}},
      {"{}", {"1", R"({"a":[1,"x"]})"}, {}},
      // type
      {R"({"type":"null"})", {"null"}, {"0", "false", R"("")", "{}", "[]"}},
      {R"({"type":"boolean"})", {"true", "false"}, {"0", "null", R"("true")"}},
      {R"({"type":"string"})", {R"("")", R"("1")"}, {"1", "null", "[]"}},
      {R"({"type":"number"})", {"0", "-1.5", "1e400"}, {R"("1")", "true"}},
      {R"({"type":"integer"})",
       {"0", "-0", "-7", "1.0", "1e3", "9007199254740993", "123456789012345678901234567890", "1.50e1"},
       {"0.5", "1e-1", "9007199254740993.5", "123456789012345678901234567890.1", R"("1")"}},
      {R"({"type":"object"})", {"{}", R"({"a":1})"}, {"[]", "null"}},
      {R"({"type":"array"})", {"[]", "[1]"}, {"{}", R"("[]")"}},
      {R"({"type":["string","null"]})", {R"("x")", "null"}, {"1", "false", "[]"}},
      {R"({"type":["integer","string"]})", {"1", "2.0", R"("x")"}, {"1.5", "null"}},
      {R"({"type":["integer","number"]})", {"1", "1.5"}, {"null"}},
      // enum and const
      {R"({"enum":["a",1,null,true,[1,{"x":"y"}],{"p":1,"q":[2]}]})",
       {R"("a")", R"("\u0061")", "1", "1.0", "10e-1", "null", "true", R"([1.0, {"x" : "\u0079"}])", R"({ "q":[2], "p":1 })"},
       {R"("b")", R"("A")", "2", "false", "0", "[]", R"([1])", R"([1,{"x":"y"},3])", R"({"p":1})", R"({"p":1,"q":[2],"r":3})",
        R"({"p":1,"p":1})", R"({"p":1,"q":[3]})", R"("1")", "{}"}},
      {R"({"enum":[]})", {}, {"null", "1"}},
      {R"({"const":12345678901234567})",
       {"12345678901234567", "12345678901234567.0"},
       {"12345678901234568", "12345678901234567.1"}},
      {R"({"const":18446744073709551615})", {"18446744073709551615"}, {"18446744073709551616", "18446744073709551614"}},
      {R"({"const":0.1})", {"0.1", "1e-1", "0.10"}, {"0.11", "0", "0.10000000000000001"}},
      {R"({"const":0})", {"0", "-0.0", "0e7"}, {"false", "null", R"("")", "1e-300"}},
      {R"({"const":false})", {"false"}, {"true", "0", "null"}},
      {R"({"const":{"a":{}}})", {R"({"a":{}})"}, {"{}", R"({"a":[]})", R"({"a":null})"}},
      {R"({"const":null})", {"null"}, {"0", "[]"}},
      // required, properties, additionalProperties
      {R"({"required":["a","b","a"]})",
       {R"({"a":1,"b":null})", R"({"\u0061":1,"b":2,"c":3})", "[]", "1"},
       {"{}", R"({"a":1})", R"({"b":1})"}},
      {R"({"properties":{"a":{"type":"string"},"b":false}})",
       {"{}", R"({"a":"x"})", R"({"c":1})", "7"},
       {R"({"a":1})", R"({"\u0061":1})", R"({"b":1})"}},
      {R"({"properties":{"a":{}},"additionalProperties":false})", {"{}", R"({"a":1})", "[1]"}, {R"({"b":1})", R"({"a":1,"":2})"}},
      {R"({"properties":{"a":{}},"additionalProperties":{"type":"integer"}})", {R"({"a":"x","b":1})"}, {R"({"b":"x"})"}},
      {R"({"required":["r"],"additionalProperties":{"type":"integer"}})", {R"({"r":1})"}, {R"({"r":"x"})", "{}"}},
      {R"({"additionalProperties":false})", {"{}"}, {R"({"a":1})"}},
      {R"({"required":["r"],"additionalProperties":false})", {"1"}, {"{}", R"({"r":1})"}},
      {R"({"properties":{"a/b":{"properties":{"~":{"const":1}}}}})", {R"({"a/b":{"~":1}})"}, {R"({"a/b":{"~":2}})"}},
      // items
      {R"({"items":{"type":"integer"}})", {"[]", "[1,2]", "{}"}, {R"(["x"])", R"([1,"x"])"}},
      {R"({"items":false})", {"[]"}, {"[1]"}},
      {R"({"items":{"items":{"maximum":3}}})", {"[[1],[2,3]]"}, {"[[1],[4]]"}},
      {R"({"prefixItems":[{},{}],"items":{"type":"integer"}})", {R"(["x","y",1])", R"(["x"])"}, {R"(["x","y","z"])"}},
      // bounds
      {R"({"minimum":5})", {"5", "5.0", "6", "1e400", R"("1")"}, {"4.999999999999999999999", "-6", "0"}},
      {R"({"maximum":9007199254740993})", {"9007199254740993", "-1"}, {"9007199254740994", "9007199254740993.1", "1e400"}},
      {R"({"maximum":-1})", {"-1", "-1.0000001"}, {"-0.9", "0", "1"}},
      {R"({"exclusiveMinimum":0})", {"1e-400", "1"}, {"0", "-0.0", "-1"}},
      {R"({"exclusiveMaximum":0.3})", {"0.29999999999999999", "-1"}, {"0.3", "3e-1", "0.30000000000000000001"}},
      {R"({"minimum":1e300,"maximum":1e301})", {"5e300"}, {"1e299", "1e302"}},
      // lengths and counts
      {R"({"minLength":2})",
       {R"("ab")", R"("日本")", R"("\u0000\n")", "1", "[]"},
       {R"("")", R"("a")", R"("😀")", R"("\ud83d\ude00")"}},
      {R"({"maxLength":2})",
       {R"("")", R"("😀😀")", R"("\ud83d\ude00\u0041")"},
       {R"("abc")", R"("\ud83d\ud83d\ud83d")", R"("a\n\"")"}},
      {R"({"minItems":1,"maxItems":2.0})", {"[1]", "[[],[]]", "{}"}, {"[]", "[1,2,3]"}},
      {R"({"minProperties":1,"maxProperties":2})", {R"({"a":1})", "[]"}, {"{}", R"({"a":1,"b":2,"c":3})"}},
      {R"({"maxLength":1e30})", {R"("abc")"}, {}},
      // $ref
      {R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}})", {"1"}, {R"("x")"}},
      {R"({"$ref":"#/$defs/n","minimum":5,"$defs":{"n":{"type":"integer"}}})", {"5"}, {"4", "5.5", R"("x")"}},
      {R"({"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b","maxLength":2},"b":{"minLength":1}}})",
       {R"("x")"},
       {R"("")", R"("xyz")"}},
      {R"({"properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"null"}}})", {R"({"a":null})"}, {R"({"a":1})"}},
      {R"({"$ref":"#/$defs/a%20b~1c","$defs":{"a b/c":{"const":1}}})", {"1"}, {"2"}},
      {R"({"properties":{"value":{"type":"integer"},"next":{"$ref":"#"}},"required":["value"],"additionalProperties":false})",
       {R"({"value":1})", R"({"value":1,"next":{"value":2,"next":{"value":3}}})"},
       {R"({"value":1,"next":{}})", R"({"value":1,"next":{"value":2,"next":{"value":"x"}}})",
        R"({"value":1,"next":{"value":2,"x":3}})"}},
      {R"({"items":{"$ref":"#"},"type":"array"})", {"[]", "[[],[[[]]]]"}, {"[[],[[1]]]", "1"}},
      // both the node and its reference target constrain the same member, and each counts its own required names
      {R"({"$ref":"#/$defs/b","properties":{"a":{"minimum":1}},"required":["a"],
           "$defs":{"b":{"properties":{"a":{"maximum":3}},"required":["z","b"],"additionalProperties":{"type":"integer"}}}})",
       {R"({"a":2,"b":1,"z":0})"},
       {R"({"a":0,"b":1,"z":0})", R"({"a":4,"b":1,"z":0})", R"({"a":2,"b":1})", R"({"b":1,"z":0})", R"({"a":2,"z":0})",
        R"({"a":2,"b":"x","z":0})"}},
      {R"({"$ref":"#/$defs/l","items":{"minimum":1},"$defs":{"l":{"items":{"maximum":3}}}})", {"[1,3]"}, {"[0]", "[4]"}},
      {R"({"items":{"$id":"urn:inner","$defs":{"x":{"const":1}},"$ref":"#/$defs/x"},"$defs":{"x":{"const":2}}})",
       {"[1]"},
       {"[2]"}},
  };
  for (const Row& row : table) {
    const Schema schema = compiled(row.schema);
    for (const std::string& data : row.accepted) {
      const auto violation = validate(schema, data);
      EXPECT_FALSE(violation.has_value()) << row.schema << " refuses " << data << ": " << (violation ? violation->message : "");
    }
    for (const std::string& data : row.refused)
      EXPECT_TRUE(validate(schema, data).has_value()) << row.schema << " accepts " << data;
  }
}

TEST(Schema, ReportsThePositionAndTheRuleButNeverTheValue) {
  struct Said {
    std::string schema;
    std::string data;
    std::string pointer;
    std::string message;
  };
  const std::vector<Said> table = {
      {R"({"type":["string","null"]})", "77", "", "must be of type string or null"},
      {R"({"properties":{"a/b":{"items":{"minimum":5}}}})", R"({"a\/b":[5,4]})", "/a~1b/1", "must be at least 5"},
      {R"({"properties":{"a":{"maximum":0.5}}})", R"({"a":1})", "/a", "must be at most 0.5"},
      {R"({"exclusiveMinimum":1})", "1", "", "must be more than 1"},
      {R"({"exclusiveMaximum":1})", "1", "", "must be less than 1"},
      {R"({"items":{"required":["x"]}})", R"([{"x":1},{}])", "/1", "must have the member \"x\""},
      {R"({"additionalProperties":false})", R"({"m~n":"secret"})", "/m~0n",
       "is not a member of the schema, and other members are not allowed"},
      {R"({"properties":{"a":false}})", R"({"a":"secret"})", "/a", "is not allowed: its schema is false"},
      {R"({"enum":["x"]})", R"("secret")", "", "must be one of the values of enum"},
      {R"({"const":"x"})", R"("secret")", "", "must be the value of const"},
      {R"({"minLength":9})", R"("secret")", "", "must have at least 9 characters"},
      {R"({"maxLength":2})", R"("secret")", "", "must have at most 2 characters"},
      {R"({"minItems":1})", "[]", "", "must have at least 1 elements"},
      {R"({"maxProperties":0})", R"({"secret":1})", "", "must have at most 0 members"},
  };
  for (const Said& row : table) {
    const auto violation = validate(compiled(row.schema), row.data);
    ASSERT_TRUE(violation.has_value()) << row.schema;
    EXPECT_EQ(violation->pointer, row.pointer) << row.schema;
    EXPECT_EQ(violation->message, row.message) << row.schema;
    EXPECT_EQ(violation->message.find("secret"), std::string::npos);
  }
}

TEST(Schema, ListsUnenforcedKeywords) {
  const Schema schema = compiled(R"({
    "$schema":"x","$id":"urn:x","$comment":"c","title":"t","description":"d","default":1,"examples":[],"deprecated":true,
    "readOnly":true,"writeOnly":false,"x_pdpp_role":"title","x-other":1,
    "properties":{"mail":{"type":"string","format":"email","pattern":"@"},"title":{"type":"string"},"a/b":{"multipleOf":2}},
    "items":[{"format":"in a tuple"}],
    "allOf":[{"format":"inside what is not enforced"}],
    "$defs":{"n":{"uniqueItems":true}},
    "patternProperties":{"^x":{}},"additionalProperties":false,
    "unheard_of":1})");
  EXPECT_EQ(schema.unenforced(),
            (Texts{"/$defs/n/uniqueItems", "/additionalProperties", "/allOf", "/items", "/patternProperties",
                   "/properties/a~1b/multipleOf", "/properties/mail/format", "/properties/mail/pattern", "/unheard_of"}));
  EXPECT_FALSE(validate(schema, R"({"x1":1,"other":2,"mail":"nobody"})").has_value());
  EXPECT_EQ(compiled(R"({"prefixItems":[true],"items":{}})").unenforced(), Texts{"/prefixItems"});
  EXPECT_TRUE(compiled(R"({"type":"object","properties":{"format":{"type":"string"}}})").unenforced().empty());
}

TEST(Schema, RejectsMalformedSchemasWithTheirPosition) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1", ""},
      {R"("string")", ""},
      {"[]", ""},
      {R"({"type":"strnig"})", "/type"},
      {R"({"type":1})", "/type"},
      {R"({"type":[]})", "/type"},
      {R"({"type":["string",1]})", "/type"},
      {R"({"enum":"a"})", "/enum"},
      {R"({"required":"a"})", "/required"},
      {R"({"required":[1]})", "/required"},
      {R"({"required":true})", "/required"},
      {R"({"properties":[]})", "/properties"},
      {R"({"properties":{"a":1}})", "/properties/a"},
      {R"({"additionalProperties":"no"})", "/additionalProperties"},
      {R"({"items":1})", "/items"},
      {R"({"minimum":"1"})", "/minimum"},
      {R"({"exclusiveMaximum":true})", "/exclusiveMaximum"},
      {R"({"minLength":-1})", "/minLength"},
      {R"({"maxLength":1.5})", "/maxLength"},
      {R"({"maxItems":"1"})", "/maxItems"},
      {R"({"$defs":[]})", "/$defs"},
      {R"({"$defs":{"a":{"properties":{"b/c":{"type":"x"}}}}})", "/$defs/a/properties/b~1c/type"},
      {R"({"$ref":1})", "/$ref"},
      {R"({"$ref":"https://example.org/schema"})", "/$ref"},
      {R"({"$ref":"other.json#/a"})", "/$ref"},
      {R"({"$ref":""})", "/$ref"},
      {R"({"$ref":"#anchor"})", "/$ref"},
      {R"({"$ref":"#/$defs/none"})", "/$ref"},
      {R"({"$ref":"#/title/0","title":"x"})", "/$ref"},
      {R"({"$ref":"#/title","title":"x"})", "/title"},
      {R"({"$ref":"#/%zz"})", "/$ref"},
      {R"({"$ref":"#/%4"})", "/$ref"},
      {R"({"$ref":"#/~2"})", "/$ref"},
      {R"({"$ref":"#"})", "/$ref"},
      {R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})", "/$ref"},
  };
  for (const auto& [text, pointer] : table) {
    const auto tree = parse(text, 1 << 20, 64);
    ASSERT_TRUE(tree.has_value()) << text;
    const auto schema = Schema::compile(*tree);
    ASSERT_FALSE(schema.has_value()) << text;
    EXPECT_EQ(schema.error().code, Code::kConnectorInvalid) << text;
    EXPECT_TRUE(schema.error().message.starts_with("The schema is not valid at \"" + pointer + "\": "))
        << text << ": " << schema.error().message;
  }
}

TEST(Schema, LimitsTheDepthOfData) {
  const Schema schema = compiled(R"({"items":{"$ref":"#"},"type":["array","integer"]})");
  const auto nested = [](std::size_t depth, const std::string& inside) {
    return std::string(depth, '[') + inside + std::string(depth, ']');
  };
  EXPECT_FALSE(validate(schema, nested(500, "1")).has_value());
  EXPECT_TRUE(validate(schema, nested(500, "null")).has_value());
  EXPECT_EQ(validate(schema, nested(1000, "1"))->message, "is nested more than 512 deep");
  EXPECT_FALSE(validate(compiled(R"({"type":"array"})"), nested(1000, "1")).has_value());
}

TEST(Schema, CompilesManyDefinitionsThatReferToEachOther) {
  std::string text = R"({"$ref":"#/$defs/d0/properties/p","$defs":{)";
  for (int i = 0; i < 2000; ++i) {
    text += (i > 0 ? ",\"d" : "\"d") + std::to_string(i) + R"(":{"properties":{"p":{"properties":{"q":{"$ref":"#/$defs/d)" +
            std::to_string((i + 1) % 2000) + R"("}}}}})";
  }
  text += "}}";
  const Schema schema = compiled(text);
  EXPECT_FALSE(validate(schema, R"({"q":{"p":{"q":{"p":{}}}}})").has_value());
}

TEST(Schema, ADefaultSchemaAcceptsEverything) {
  EXPECT_FALSE(Schema().validate(value_of("{}")).has_value());
  EXPECT_TRUE(Schema().unenforced().empty());
}

}  // namespace
}  // namespace ladder::json
