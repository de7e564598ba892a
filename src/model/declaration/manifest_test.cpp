// Connector manifests: embedded declarations, converted ones, and members that neither may have.
#include "model/declaration/declaration.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {
namespace {

constexpr std::string_view kStreams = R"json([
  {"name": "messages", "semantics": "append", "primary_key": "id",
   "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "ts": {"type": "string", "format": "date-time"}}},
   "cursor_field": "ts", "incremental": true, "coverage_strategy": "full", "state_stream": "messages", "parent_streams": [],
   "freshness_strategy": {"x": 1}, "availability": "ready"},
  {"name": "people", "semantics": "mutable_state", "primary_key": ["team", "id"], "selection": {"fields": false},
   "schema": {"type": "object", "properties": {"team": {"type": "string"}, "id": {"type": "string"}}}}])json";

std::string manifest(std::string_view identity, std::string_view more = "") {
  return std::string(R"({"protocol_version":"0.1.0",)") + std::string(identity) +
         R"(,"manifest_uri":"https://x.example/m.json","version":"3","display_name":"Chat","runtime_requirements":{},)"
         R"("capabilities":{},"setup":{},"sensitivity":"sensitive","icon":"x",)" +
         std::string(more) + R"("streams":)" + std::string(kStreams) + "}";
}

std::string rule_of(const std::string& text) {
  auto parsed = parse_declaration(text);
  return parsed ? "accepted" : parsed.error().details().rule;
}

TEST(Manifest, IsConvertedToADeclaration) {
  const auto parsed = parse_declaration(
      manifest(R"("connector_key":"slack")", R"("profiles":[{"id":"all","label":"All","streams":[{"name":"people"}]}],)"));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->source_kind, "connector");
  EXPECT_EQ(parsed->source_id, "https://registry.pdpp.dev/connectors/slack");
  EXPECT_EQ(parsed->default_key(), "slack");
  EXPECT_EQ(parsed->version, "3");
  EXPECT_EQ(parsed->display_name, "Chat");
  EXPECT_EQ(parsed->publisher, "https://pdpp.dev/reference-implementation");
  EXPECT_EQ(parsed->presets.at(0).id, "all");
  const Stream& messages = parsed->streams.at(0);
  EXPECT_EQ(messages.semantics, Semantics::kAppendOnly);
  EXPECT_EQ(messages.primary_key, std::vector<std::string>{"id"});
  EXPECT_TRUE(messages.select_fields);
  EXPECT_TRUE(messages.select_resources);
  const Stream& people = parsed->streams.at(1);
  EXPECT_EQ(people.primary_key, (std::vector<std::string>{"team", "id"}));
  EXPECT_FALSE(people.select_fields);
  EXPECT_TRUE(people.select_resources);
  // The result is a valid Core declaration.
  const auto again = parse_declaration(parsed->document);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->text, parsed->text);
  EXPECT_FALSE(messages.schema_json.empty());
}

TEST(Manifest, AcceptsAllIdentityForms) {
  const std::vector<std::pair<std::string, std::string>> accepted = {
      {R"("connector_id":"slack")", "https://registry.pdpp.dev/connectors/slack"},
      {R"("connector_id":"slack","connector_key":"slack")", "https://registry.pdpp.dev/connectors/slack"},
      {R"("connector_id":"https://registry.pdpp.dev/connectors/slack/","connector_key":"slack")",
       "https://registry.pdpp.dev/connectors/slack"},
      {R"("connector_id":"https://other.example/c/slack")", "https://other.example/c/slack"}};
  for (const auto& [identity, id] : accepted) {
    const auto parsed = parse_declaration(manifest(identity));
    ASSERT_TRUE(parsed.has_value()) << identity << ": " << parsed.error().message;
    EXPECT_EQ(parsed->source_id, id);
  }
  for (const std::string_view identity : {R"("connector_key":"https://registry.pdpp.dev/connectors/slack")",
                                          R"("connector_key":"Slack")", R"("connector_id":"slack","connector_key":"gmail")",
                                          R"("connector_id":"https://other.example/slack","connector_key":"slack")",
                                          R"("connector_id":"not a uri")", R"("connector_id":7)"}) {
    EXPECT_EQ(rule_of(manifest(identity)), "source.declaration.invalid_member") << identity;
  }
}

TEST(Manifest, RejectsForbiddenMembers) {
  EXPECT_EQ(rule_of(manifest(R"("connector_key":"slack","provider_id":"x")")), "source.declaration.unknown_member");
  EXPECT_EQ(rule_of(manifest(R"("connector_key":"slack","storage_binding":{})")), "source.declaration.unknown_member");
  EXPECT_EQ(rule_of(manifest(R"("connector_key":"slack","colour":"red")")), "source.declaration.unknown_member");
  EXPECT_EQ(rule_of(R"({"connector_key":"slack"})"), "source.declaration.missing_member");
  EXPECT_EQ(rule_of(R"({"connector_key":"slack","version":"1","display_name":"S"})"), "source.declaration.missing_member");
  EXPECT_EQ(rule_of(R"({"connector_key":"slack","version":"1","display_name":"S","streams":[7]})"),
            "source.declaration.invalid_member");
}

TEST(Manifest, PrefersAnEmbeddedDeclaration) {
  const std::string core = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/chat"},
      "declaration_version":"v9","publisher":{"id":"https://sources.example/"},"display":{"name":"Embedded"},
      "streams":[{"name":"m","semantics":"append_only","schema":{"properties":{"z":{},"a":{}}},"primary_key":["z"],
                  "selection":{"fields":true,"resources":true}}]})";
  const auto parsed = parse_declaration(R"({"connector_key":"slack","anything":1,"source_declaration": )" + core + "}");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->display_name, "Embedded");
  EXPECT_EQ(parsed->version, "v9");
  EXPECT_EQ(parsed->streams[0].schema_json, R"({"properties":{"z":{},"a":{}}})");
  const auto alone = parse_declaration(core);
  ASSERT_TRUE(alone.has_value());
  EXPECT_EQ(alone->text, parsed->text);
  EXPECT_EQ(alone->document, parsed->document);

  const auto broken = parse_declaration(R"({"source_declaration":{"streams":[]}})");
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(broken.error().message.find("(at /source_declaration/"), std::string::npos) << broken.error().message;
}

}  // namespace
}  // namespace ladder::model
