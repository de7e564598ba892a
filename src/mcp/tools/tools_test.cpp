// Tests the content of tools/list (R12, R15, R36, R79, R80, R127, R140, R151, R152, design D1 and D10).
#include "mcp/tools/tools.h"

#include "api/preview.h"
#include "base/text/utf8.h"
#include "mcp/protocol/lists.h"
#include "mcp/testing/tool_bench.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::mcp {
namespace {

using boost::json::object;
using boost::json::value;

value list_of(InputSchemas schemas) {
  Options options;
  options.input_schemas = schemas;
  return boost::json::parse(make_lists(options, ladder_tool_registry()).tools);
}

constexpr std::string_view kSeedInput = R"({
  "type": "object",
  "oneOf": [
    { "required": ["id", "field_path"] },
    { "required": ["connection_id", "stream", "record_id", "field_path"] }
  ],
  "properties": {
    "id": { "type": "string" },
    "connection_id": { "type": "string" },
    "stream": { "type": "string" },
    "record_id": { "type": "string" },
    "field_path": { "type": "string" },
    "cursor": { "type": "string" },
    "offset_chars": { "type": "integer", "minimum": 0 },
    "limit_chars": { "type": "integer", "minimum": 1, "maximum": 16384 },
    "q": { "type": "string" },
    "before_chars": { "type": "integer", "minimum": 0, "maximum": 8192 },
    "after_chars": { "type": "integer", "minimum": 0, "maximum": 8192 }
  },
  "additionalProperties": false
})";

constexpr std::string_view kSeedOutput = R"({
  "type": "object",
  "required": ["record", "field", "window"],
  "properties": {
    "record": {
      "type": "object",
      "required": ["id", "connection_id", "stream", "record_id"],
      "properties": {
        "id": { "type": "string" },
        "connection_id": { "type": "string" },
        "stream": { "type": "string" },
        "record_id": { "type": "string" }
      },
      "additionalProperties": false
    },
    "field": {
      "type": "object",
      "required": ["path", "text_like"],
      "properties": {
        "path": { "type": "string" },
        "mime_type": { "type": "string" },
        "text_like": { "type": "boolean" },
        "size_chars": { "type": "integer" },
        "digest": { "type": "string" }
      },
      "additionalProperties": false
    },
    "window": {
      "type": "object",
      "required": ["text", "start_chars", "end_chars", "limit_chars", "complete"],
      "properties": {
        "text": { "type": "string" },
        "start_chars": { "type": "integer" },
        "end_chars": { "type": "integer" },
        "limit_chars": { "type": "integer" },
        "complete": { "type": "boolean" },
        "next_cursor": { "type": ["string", "null"] },
        "previous_cursor": { "type": ["string", "null"] },
        "match": {
          "type": ["object", "null"],
          "properties": {
            "q": { "type": "string" },
            "start_chars": { "type": "integer" },
            "end_chars": { "type": "integer" }
          },
          "additionalProperties": false
        }
      },
      "additionalProperties": false
    },
    "resource": {
      "type": "object",
      "properties": {
        "uri": { "type": "string" },
        "next_uri": { "type": ["string", "null"] },
        "previous_uri": { "type": ["string", "null"] }
      },
      "additionalProperties": false
    }
  },
  "additionalProperties": false
})";

TEST(Tools, ExactlySixInOrder) {
  std::vector<std::string> names;
  for (const Tool& tool : tools()) names.push_back(tool.name);
  EXPECT_EQ(names, (std::vector<std::string>{"schema", "query_records", "aggregate", "search", "fetch", "read_record_field"}));
  EXPECT_EQ(find_tool("read_record_field"), &tools()[5]);
  EXPECT_EQ(find_tool("list_streams"), nullptr);
}

TEST(Tools, PublishesTheFullSchemaOnRequest) {
  const value full = list_of(InputSchemas::kFull);
  EXPECT_EQ(full.at(5).at("inputSchema"), boost::json::parse(kSeedInput));
  const value flat = list_of(InputSchemas::kFlat);
  value properties = flat.at(5).at("inputSchema").at("properties");
  for (auto& property : properties.as_object()) property.value().as_object().erase("description");
  EXPECT_EQ(properties, boost::json::parse(kSeedInput).at("properties"));
  EXPECT_EQ(flat.at(5).at("inputSchema").at("required"), boost::json::parse(R"(["field_path"])"));
}

TEST(Tools, OutputSchemaMatchesTheSpec) {
  EXPECT_EQ(boost::json::parse(find_tool("read_record_field")->output_schema), boost::json::parse(kSeedOutput));
}

// D1: one type per property, no unions, and only widely supported keywords at the root.
TEST(Tools, FlatInputSchemas) {
  const std::set<std::string> root = {"type", "properties", "required", "additionalProperties"};
  for (const Tool& tool : tools()) {
    const value schema = boost::json::parse(tool.input_schema);
    for (const auto& member : schema.as_object()) EXPECT_TRUE(root.contains(std::string(member.key()))) << tool.name;
    EXPECT_EQ(schema.at("type"), "object");
    EXPECT_EQ(schema.at("additionalProperties"), false);
    for (const auto& property : schema.at("properties").as_object()) {
      EXPECT_TRUE(property.value().at("type").is_string()) << tool.name << " " << property.key();
      EXPECT_EQ(property.value().at("type") == "array", property.value().as_object().contains("items"));
      EXPECT_NE(property.key(), "connector_instance_id");
    }
    if (const auto* const required = schema.as_object().if_contains("required")) {
      for (const value& name : required->as_array()) EXPECT_TRUE(schema.at("properties").as_object().contains(name.as_string()));
    }
    EXPECT_EQ(tool.input_schema.find("$schema"), std::string::npos);
    EXPECT_EQ(tool.input_schema.find("anyOf"), std::string::npos);
  }
  EXPECT_TRUE(boost::json::parse(find_tool("search")->input_schema).at("properties").as_object().contains("query"));
  EXPECT_FALSE(boost::json::parse(find_tool("search")->input_schema).at("properties").as_object().contains("mode"));
}

TEST(Tools, TheListIsSmall) {
  for (const InputSchemas schemas : {InputSchemas::kFlat, InputSchemas::kFull}) {
    Options options;
    options.input_schemas = schemas;
    const std::string list = make_lists(options, ladder_tool_registry()).tools;
    EXPECT_LE(list.size(), api::kToolsListBytes);
    RecordProperty(schemas == InputSchemas::kFlat ? "tools_list_bytes" : "tools_list_full_bytes", static_cast<int>(list.size()));
  }
}

TEST(Tools, HaveTitlesHintsAndOutputSchemas) {
  const std::vector<std::string> titles = {"List data sources",
                                           "List emails, messages, events and other records",
                                           "Count emails, messages and other records",
                                           "Search emails, chats, calendar, contacts, notes and files",
                                           "Open an email, message, note or other record",
                                           "Read the text of a record"};
  const value list = list_of(InputSchemas::kFlat);
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const value& tool = list.at(i);
    EXPECT_EQ(std::string(tool.at("title").as_string()), titles[i]);
    EXPECT_EQ(tool.at("outputSchema").at("type"), "object");
    EXPECT_EQ(tool.at("annotations"), boost::json::parse(R"({"readOnlyHint":true,"destructiveHint":false,)"
                                                         R"("idempotentHint":true,"openWorldHint":false})"));
    EXPECT_TRUE(json::Schema::compile(tool.at("outputSchema")));
  }
}

// Hosts that load tools on demand search for them by common words.
TEST(Tools, DescriptionsContainCommonWords) {
  for (const char* const word :
       {"emails", "inbox", "messages", "chats", "calendar events", "contacts", "notes", "documents", "files"}) {
    EXPECT_NE(find_tool("search")->description.find(word), std::string::npos) << word;
    EXPECT_NE(instructions().substr(0, instructions().find('\n')).find(word[0] == 'e' ? "email" : word), std::string::npos)
        << word;
  }
  EXPECT_LE(instructions().find('\n'), 250U) << "the part that some hosts show";
  const value list = list_of(InputSchemas::kFlat);
  for (const value& tool : list.as_array()) {
    const std::string name(tool.at("name").as_string());
    EXPECT_EQ(std::string_view(tool.at("title").as_string()).find("PDPP"), std::string_view::npos) << name;
    EXPECT_EQ(tool.as_object().contains("_meta"), name == "search") << name;
    for (const auto& property : tool.at("inputSchema").at("properties").as_object()) {
      ASSERT_TRUE(property.value().as_object().contains("description")) << name << " " << property.key();
    }
  }
  EXPECT_EQ(list.at(3).at("_meta").at("anthropic/alwaysLoad"), true);
  EXPECT_NE(
      std::string_view(list.at(3).at("inputSchema").at("properties").at("group").at("description").as_string()).find("+N more"),
      std::string_view::npos)
      << "says where its value comes from";
}

TEST(Tools, DescriptionsFitHostLimits) {
  for (const Tool& tool : tools()) EXPECT_LE(utf8::count(tool.description), 1'024) << tool.name;
}

}  // namespace
}  // namespace ladder::mcp
