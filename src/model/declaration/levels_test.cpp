// Levels: declared, shared by the streams of one kind of data, or derived from roles.
#include "model/declaration/declaration.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {
namespace {

using Names = std::vector<std::string>;

// A stream "things" with these properties; `schema` is added to its schema, `more` to the stream.
std::string declaration_of(std::string_view properties, std::string_view schema = "", std::string_view more = "",
                           std::string_view other = "") {
  constexpr std::string_view kStream =
      R"({{"name":"{}","semantics":"mutable_state","primary_key":["id"],"selection":{{"fields":true,"resources":true}},{}
      "schema":{{{}"type":"object","required":["id"],"properties":{{"id":{{"type":"string"}}{}}}}}}})";
  std::string streams = format(kStream, "things", more, schema, properties);
  if (!other.empty()) streams += "," + format(kStream, "parts", "", other, R"(,"page":{"type":"string","x_pdpp_level":"full"})");
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"https://sources.example/things"}},
    "declaration_version":"1","publisher":{{"id":"https://sources.example/"}},"display":{{"name":"Things"}},"streams":[{}]}})",
                streams);
}

constexpr std::string_view kLevels = R"("x_pdpp_levels":[{"id":"head","label":"Headers only","detail":"No text."},
    {"id":"full","label":"Everything"}],)";
constexpr std::string_view kFields = R"(,"name":{"type":"string","title":"Full name","x_pdpp_level":"head"},
    "text":{"type":"string","x_pdpp_level":"full"},"charset_guessed":{"type":"string"})";

// "Headers only: id name; Everything: id name text"
std::string levels_in(const std::string& text, std::string_view stream = "things") {
  const auto declaration = parse_declaration(text);
  if (!declaration) return declaration.error().message;
  std::string out;
  for (const Level& level : declaration->stream(stream)->levels) {
    out += (out.empty() ? "" : "; ") + level.label + ":";
    for (const std::string& field : level.fields) out += " " + field;
  }
  return out;
}

TEST(Levels, EachLevelIncludesTheLowerOnesAndTheLastOneEverything) {
  EXPECT_EQ(levels_in(declaration_of(kFields, kLevels)), "Headers only: name; Everything: id name text charset_guessed");
}

TEST(Levels, FieldsHaveALabelForPeople) {
  const auto declaration = parse_declaration(declaration_of(kFields, kLevels));
  ASSERT_TRUE(declaration) << declaration.error().message;
  const Stream& stream = declaration->streams.front();
  EXPECT_EQ(stream.field("name")->label(), "Full name");
  EXPECT_EQ(stream.field("charset_guessed")->label(), "Charset guessed") << "the words of the name if there is no title";
  EXPECT_TRUE(stream.field("charset_guessed")->level.empty()) << "technical";
}

TEST(Levels, AStreamCanBelongToAnother) {
  const std::string text = declaration_of(kFields, kLevels, "", R"("x_pdpp_levels_of":"things",)");
  EXPECT_EQ(levels_in(text, "parts"), "Headers only:; Everything: id page");
}

TEST(Levels, WithoutDeclaredLevelsTheyFollowFromTheRoles) {
  EXPECT_EQ(levels_in(declaration_of(R"(,"headline":{"type":"string","x_pdpp_role":"primary-title"},
      "who":{"type":"string","x_pdpp_role":"actor"},"day":{"type":"string","format":"date"},
      "story":{"type":"string","x_pdpp_role":"body"},"color":{"type":"string"})",
                                     "", R"("consent_time_field":"day",)")),
            "Titles, people and dates: id headline who day; Text as well: id headline who day story; "
            "Everything: id headline who day story color");
}

TEST(Levels, AStreamWithoutRolesHasOneLevel) {
  EXPECT_EQ(levels_in(declaration_of(R"(,"subject":{"type":"string"},"color":{"type":"string"})")),
            "Everything: id subject color")
      << "names of fields mean nothing";
  EXPECT_EQ(levels_in(declaration_of("")), "Everything: id");
  EXPECT_EQ(levels_in(declaration_of(R"(,"day":{"type":"string","format":"date"},"color":{"type":"string"})", "",
                                     R"("consent_time_field":"day",)")),
            "Everything: id day color")
      << "dates alone are no useful level";
}

TEST(Levels, SearchableFieldsAreText) {
  EXPECT_EQ(levels_in(declaration_of(R"(,"words":{"type":"string"},"color":{"type":"string"})", "",
                                     R"("query":{"search":{"lexical_fields":["words"]}},)")),
            "Text: id words; Everything: id words color");
}

TEST(Levels, MistakesAreNamed) {
  const auto refused = [](const std::string& text) {
    const auto declaration = parse_declaration(text);
    EXPECT_FALSE(declaration);
    return declaration ? std::string() : declaration.error().message;
  };
  EXPECT_NE(refused(declaration_of(R"(,"a":{"type":"string","x_pdpp_level":"ful"})", kLevels)).find("\"ful\""),
            std::string::npos);
  EXPECT_NE(refused(declaration_of(kFields)).find("\"head\""), std::string::npos) << "no levels are declared";
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels":[{"id":"off","label":"Nothing"}],)")).find("another meaning"),
            std::string::npos);
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels":[{"id":"a","label":"A"},{"id":"a","label":"B"}],)")).find("two levels"),
            std::string::npos);
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels":[{"id":"a"}],)")).find("label"), std::string::npos);
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels":[],)")).find("x_pdpp_levels"), std::string::npos);
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels_of":"nosuch",)")).find("nosuch"), std::string::npos);
  EXPECT_NE(refused(declaration_of("", R"("x_pdpp_levels_of":"things",)")).find("things"), std::string::npos);
}

}  // namespace
}  // namespace ladder::model
