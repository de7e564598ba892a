// Declarations: the complete example of the contract, and every failure that the contract names, each by one edit of
// that example.
#include "model/declaration/declaration.h"

#include "base/limits.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {
namespace {

constexpr std::string_view kNotes = R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "https://sources.example/notes"},
  "declaration_version": "2026-11-01",
  "publisher": {"id": "https://sources.example/"},
  "display": {"name": "Notes"},
  "selection_presets": [{"id": "basic", "label": "Titles", "streams": [{"name": "notes", "view": "titles"}]}],
  "streams": [
    {
      "name": "notes", "semantics": "mutable_state",
      "display": {"label": "Your notes", "detail": "Title, body and dates."},
      "schema": {"type": "object", "required": ["id", "updated_at"], "properties": {
        "id": {"type": "string"},
        "title": {"type": ["string", "null"], "x_pdpp_type": "text", "x_pdpp_role": "primary-title"},
        "body": {"type": "string", "description": "What you wrote."},
        "words": {"type": "integer", "minimum": 0.5},
        "tags": {"type": "array"},
        "mixed": {"type": ["string", "integer"]},
        "updated_at": {"type": "string", "format": "date-time"}}},
      "primary_key": ["id"], "cursor_field": "updated_at", "consent_time_field": "updated_at",
      "selection": {"fields": true, "resources": true},
      "views": [{"id": "titles", "label": "Titles only", "fields": ["id", "title", "updated_at"]}],
      "relationships": [{"name": "attachments", "stream": "attachments", "foreign_key": "note_id", "cardinality": "has_many"}],
      "query": {
        "range_filters": {"updated_at": ["gte", "gt", "lte", "lt"], "words": ["gte", "lte"]},
        "search": {"lexical_fields": ["title", "body"], "semantic_fields": ["body"]},
        "aggregations": {"count": true, "sum": ["words"], "min": ["updated_at"], "max": ["updated_at"],
                         "group_by_time": ["updated_at"], "count_distinct": ["title"]},
        "expand": [{"name": "attachments", "default_limit": 10, "max_limit": 50}]}
    },
    {
      "name": "attachments", "semantics": "append_only",
      "schema": {"type": "object", "required": ["id", "note_id"], "properties": {
        "id": {"type": "string"}, "note_id": {"type": "string"},
        "blob_ref": {"type": ["object", "null"], "required": ["blob_id"], "properties": {
          "blob_id": {"type": "string"}, "mime_type": {"type": "string"},
          "sha256": {"type": "string"}, "size_bytes": {"type": "integer"}}}}},
      "primary_key": ["id"], "selection": {"fields": true, "resources": false}
    }
  ],
  "extensions": {"https://profiles.example/x": {"anything": [1]}}
})json";

boost::json::value example() { return boost::json::parse({kNotes.data(), kNotes.size()}); }

// Sets one value of a document, or removes it if `json` is empty.
void edit(boost::json::value& document, std::string_view pointer, std::string_view json) {
  const std::size_t slash = pointer.rfind('/');
  const std::string name(pointer.substr(slash + 1));
  boost::json::value& parent = document.at_pointer({pointer.data(), slash});
  if (json.empty()) {
    parent.as_object().erase(name);
  } else if (parent.is_object()) {
    parent.as_object()[name] = boost::json::parse({json.data(), json.size()});
  } else {
    parent.as_array().at(std::stoul(name)) = boost::json::parse({json.data(), json.size()});
  }
}

std::string edited(std::string_view pointer, std::string_view json) {
  boost::json::value document = example();
  edit(document, pointer, json);
  return boost::json::serialize(document);
}

struct Fault {
  std::string_view pointer;  // the edited value
  std::string_view json;     // the new value; empty: removed
  std::string_view rule;
  std::string_view at;  // the pointer in the message
};

void expect_fault(const Fault& fault) {
  const auto declaration = parse_declaration(edited(fault.pointer, fault.json));
  ASSERT_FALSE(declaration.has_value()) << fault.pointer << " = " << fault.json;
  Error error = declaration.error();
  EXPECT_EQ(error.code, Code::kConnectorInvalid);
  EXPECT_EQ(error.details().rule, std::string("source.declaration.") + std::string(fault.rule)) << error.message;
  EXPECT_NE(error.message.find(std::string("(at ") + std::string(fault.at) + ")"), std::string::npos) << error.message;
  if (fault.at.starts_with("/streams/0/") && fault.pointer != "/streams/0/name") {
    EXPECT_TRUE(error.message.starts_with("stream \"notes\": ")) << error.message;
  }
}

TEST(Declaration, ParsesTheCompleteExample) {
  const auto parsed = parse_declaration(kNotes);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->source_kind, "connector");
  EXPECT_EQ(parsed->source_id, "https://sources.example/notes");
  EXPECT_EQ(parsed->version, "2026-11-01");
  EXPECT_EQ(parsed->publisher, "https://sources.example/");
  EXPECT_EQ(parsed->display_name, "Notes");
  EXPECT_EQ(parsed->default_key(), "notes");
  ASSERT_EQ(parsed->presets.size(), 1U);
  EXPECT_EQ(parsed->presets[0].streams[0].view, "titles");
  ASSERT_EQ(parsed->streams.size(), 2U);
  EXPECT_EQ(parsed->stream("nothing"), nullptr);

  const Stream* notes = parsed->stream("notes");
  ASSERT_NE(notes, nullptr);
  EXPECT_EQ(notes->semantics, Semantics::kMutableState);
  EXPECT_EQ(notes->label, "Your notes");
  EXPECT_EQ(notes->detail, "Title, body and dates.");
  EXPECT_EQ(notes->primary_key, std::vector<std::string>{"id"});
  EXPECT_EQ(notes->cursor_field, "updated_at");
  EXPECT_EQ(notes->consent_time_field, "updated_at");
  EXPECT_TRUE(notes->select_fields);
  EXPECT_TRUE(notes->select_resources);
  EXPECT_EQ(notes->range_filters.at("words"), (std::vector<std::string>{"gte", "lte"}));
  EXPECT_EQ(notes->lexical_fields, (std::vector<std::string>{"title", "body"}));
  EXPECT_TRUE(notes->aggregations.count);
  EXPECT_EQ(notes->aggregations.sum, std::vector<std::string>{"words"});
  ASSERT_EQ(notes->expansions.size(), 1U);
  EXPECT_EQ(notes->expansions[0].max_limit, 50);
  EXPECT_TRUE(notes->relationships[0].has_many);
  ASSERT_NE(notes->view("titles"), nullptr);
  EXPECT_EQ(notes->view("nothing"), nullptr);

  const Stream* attachments = parsed->stream("attachments");
  ASSERT_NE(attachments, nullptr);
  EXPECT_EQ(attachments->semantics, Semantics::kAppendOnly);
  EXPECT_FALSE(attachments->select_resources);
}

TEST(Declaration, KeepsFieldsInDeclaredOrder) {
  const auto parsed = parse_declaration(kNotes);
  ASSERT_TRUE(parsed.has_value());
  const Stream& notes = parsed->streams[0];
  std::vector<std::string> names;
  for (const Field& field : notes.fields) names.push_back(field.name);
  EXPECT_EQ(names, (std::vector<std::string>{"id", "title", "body", "words", "tags", "mixed", "updated_at"}));
  EXPECT_TRUE(notes.field("id")->required);
  EXPECT_FALSE(notes.field("title")->required);
  EXPECT_TRUE(notes.field("title")->nullable);
  EXPECT_EQ(notes.field("title")->type, FieldType::kString);
  EXPECT_EQ(notes.field("title")->role, "primary-title");
  EXPECT_EQ(notes.field("title")->hint, "text");
  EXPECT_EQ(notes.field("body")->description, "What you wrote.");
  EXPECT_EQ(notes.field("words")->type, FieldType::kInteger);
  EXPECT_EQ(notes.field("tags")->type, FieldType::kArray);
  EXPECT_EQ(notes.field("mixed")->type, FieldType::kAny);
  EXPECT_TRUE(notes.field("updated_at")->is_time());
  EXPECT_FALSE(notes.field("body")->is_time());
  EXPECT_EQ(notes.field("nothing"), nullptr);
}

TEST(Declaration, DocumentRoundTripsAndTextIsIndependentOfOrder) {
  const auto parsed = parse_declaration(kNotes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->document.find('\n'), std::string::npos);
  EXPECT_NE(parsed->document.find("\"minimum\":0.5"), std::string::npos);
  EXPECT_NE(parsed->document.find("\"Title, body and dates.\""), std::string::npos);
  EXPECT_NE(parsed->streams[0].schema_json.find("\"minimum\":0.5"), std::string::npos);
  EXPECT_TRUE(parsed->streams[1].schema_json.starts_with(R"({"type":"object","required":["id","note_id"])"));
  const auto again = parse_declaration(parsed->document);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->document, parsed->document);
  EXPECT_EQ(again->text, parsed->text);
  EXPECT_EQ(again->streams[0].fields[1].name, "title");
  // The canonical text is also a declaration, and its own canonical text.
  const auto canonical = parse_declaration(parsed->text);
  ASSERT_TRUE(canonical.has_value());
  EXPECT_EQ(canonical->text, parsed->text);
}

TEST(Declaration, RejectsMalformedDocuments) {
  for (const std::string_view text : {"", "{", "nothing", R"({"a":1,"a":2})", "{} {}", "\xFF"}) {
    const auto parsed = parse_declaration(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    Error error = parsed.error();
    EXPECT_EQ(error.code, Code::kConnectorInvalid);
    EXPECT_EQ(error.details().rule, "source.declaration.malformed");
  }
  EXPECT_FALSE(parse_declaration("[]").has_value());
  EXPECT_FALSE(parse_declaration(std::string(limits::kMaxDeclarationBytes + 1, ' ')).has_value());
}

TEST(Declaration, RejectsUnknownMembers) {
  for (const Fault& fault :
       std::vector<Fault>{{"/colour", "1", "unknown_member", "/colour"},
                          {"/source/x", "1", "unknown_member", "/source/x"},
                          {"/publisher/name", "1", "unknown_member", "/publisher/name"},
                          {"/display/icon", "1", "unknown_member", "/display/icon"},
                          {"/selection_presets/0/x", "1", "unknown_member", "/selection_presets/0/x"},
                          {"/selection_presets/0/streams/0/x", "1", "unknown_member", "/selection_presets/0/streams/0/x"},
                          {"/streams/0/primarykey", "[]", "unknown_member", "/streams/0/primarykey"},
                          {"/streams/0/display/x", "1", "unknown_member", "/streams/0/display/x"},
                          {"/streams/0/selection/x", "true", "unknown_member", "/streams/0/selection/x"},
                          {"/streams/0/views/0/x", "1", "unknown_member", "/streams/0/views/0/x"},
                          {"/streams/0/relationships/0/x", "1", "unknown_member", "/streams/0/relationships/0/x"},
                          {"/streams/0/query/x", "1", "unknown_member", "/streams/0/query/x"},
                          {"/streams/0/query/search/x", "[]", "unknown_member", "/streams/0/query/search/x"},
                          {"/streams/0/query/aggregations/avg", "[]", "unknown_member", "/streams/0/query/aggregations/avg"},
                          {"/streams/0/query/expand/0/x", "1", "unknown_member", "/streams/0/query/expand/0/x"}}) {
    expect_fault(fault);
  }
}

TEST(Declaration, RejectsMissingMembers) {
  for (const std::string_view pointer : {"/protocol_version",
                                         "/source",
                                         "/source/kind",
                                         "/source/id",
                                         "/declaration_version",
                                         "/publisher",
                                         "/publisher/id",
                                         "/display",
                                         "/display/name",
                                         "/streams",
                                         "/selection_presets/0/id",
                                         "/selection_presets/0/label",
                                         "/selection_presets/0/streams",
                                         "/selection_presets/0/streams/0/name",
                                         "/streams/0/name",
                                         "/streams/0/semantics",
                                         "/streams/0/schema",
                                         "/streams/0/primary_key",
                                         "/streams/0/selection",
                                         "/streams/0/selection/fields",
                                         "/streams/0/selection/resources",
                                         "/streams/0/views/0/id",
                                         "/streams/0/views/0/label",
                                         "/streams/0/views/0/fields",
                                         "/streams/0/relationships/0/name",
                                         "/streams/0/relationships/0/stream",
                                         "/streams/0/relationships/0/foreign_key",
                                         "/streams/0/relationships/0/cardinality",
                                         "/streams/0/query/expand/0/name"}) {
    expect_fault({pointer, "", "missing_member", pointer});
  }
}

TEST(Declaration, RejectsMembersOfWrongTypeOrValue) {
  for (const Fault& fault : std::vector<Fault>{
           {"/protocol_version", "\"0.2.0\"", "invalid_member", "/protocol_version"},
           {"/source", "[]", "invalid_member", "/source"},
           {"/source/kind", "\"file\"", "invalid_member", "/source/kind"},
           {"/source/id", "\"notes\"", "invalid_member", "/source/id"},
           {"/source/id", "\"https://a b\"", "invalid_member", "/source/id"},
           {"/declaration_version", "1", "invalid_member", "/declaration_version"},
           {"/declaration_version", "\"\"", "invalid_member", "/declaration_version"},
           {"/publisher/id", "\"me\"", "invalid_member", "/publisher/id"},
           {"/streams", "[]", "invalid_member", "/streams"},
           {"/streams", "{}", "invalid_member", "/streams"},
           {"/streams/0", "null", "invalid_member", "/streams/0"},
           {"/selection_presets/0/streams", "[]", "invalid_member", "/selection_presets/0/streams"},
           {"/selection_presets/0/streams/0/fields", "[\"id\"]", "invalid_member", "/selection_presets/0/streams/0"},
           {"/extensions", "[]", "invalid_member", "/extensions"},
           {"/extensions", "{\"plain\":1}", "invalid_member", "/extensions/plain"},
           {"/streams/0/semantics", "\"append\"", "invalid_member", "/streams/0/semantics"},
           {"/streams/0/schema", "true", "invalid_member", "/streams/0/schema"},
           {"/streams/0/schema/properties", "[]", "invalid_member", "/streams/0/schema/properties"},
           {"/streams/0/schema/type", "\"array\"", "invalid_member", "/streams/0/schema/type"},
           {"/streams/0/schema/$schema", "\"http://json-schema.org/draft-07/schema#\"", "invalid_member",
            "/streams/0/schema/$schema"},
           {"/streams/0/schema/properties/title/x_pdpp_copies", "true", "invalid_member",
            "/streams/0/schema/properties/title/x_pdpp_copies"},
           {"/streams/0/schema/properties/title/x_pdpp_copies", "\"folds\"", "invalid_member",
            "/streams/0/schema/properties/title/x_pdpp_copies"},
           {"/streams/0/primary_key", "\"id\"", "invalid_member", "/streams/0/primary_key"},
           {"/streams/0/primary_key", "[]", "invalid_member", "/streams/0/primary_key"},
           {"/streams/0/primary_key", "[\"id\",\"id\"]", "invalid_member", "/streams/0/primary_key/1"},
           {"/streams/0/primary_key", "[7]", "invalid_member", "/streams/0/primary_key/0"},
           {"/streams/0/selection/fields", "\"yes\"", "invalid_member", "/streams/0/selection/fields"},
           {"/streams/0/views", "{}", "invalid_member", "/streams/0/views"},
           {"/streams/0/relationships/0/cardinality", "\"many\"", "invalid_member", "/streams/0/relationships/0/cardinality"},
           {"/streams/0/query/range_filters", "[]", "invalid_member", "/streams/0/query/range_filters"},
           {"/streams/0/query/range_filters/words", "[\"eq\"]", "invalid_member", "/streams/0/query/range_filters/words"},
           {"/streams/0/query/range_filters/words", "[]", "invalid_member", "/streams/0/query/range_filters/words"},
           {"/streams/0/query/search/lexical_fields", "[]", "invalid_member", "/streams/0/query/search/lexical_fields"},
           {"/streams/0/query/aggregations/count", "false", "invalid_member", "/streams/0/query/aggregations/count"},
           {"/streams/0/query/expand", "[]", "invalid_member", "/streams/0/query/expand"},
           {"/streams/0/query/expand/0/max_limit", "0", "invalid_member", "/streams/0/query/expand/0/max_limit"},
           {"/streams/0/query/expand/0/default_limit", "1.5", "invalid_member", "/streams/0/query/expand/0/default_limit"}}) {
    expect_fault(fault);
  }
}

TEST(Declaration, ReportsEveryNamedFailureOfTheContract) {
  const std::string_view kTwoStreams = R"([{"name":"notes","view":"titles"},{"name":"notes"}])";
  for (const Fault& fault : std::vector<Fault>{
           {"/streams/0/primary_key", R"(["nix"])", "unknown_schema_field", "/streams/0/primary_key"},
           {"/streams/0/cursor_field", R"("updated")", "unknown_schema_field", "/streams/0/cursor_field"},
           {"/streams/0/consent_time_field", R"("updated")", "unknown_schema_field", "/streams/0/consent_time_field"},
           {"/streams/0/views/0/fields", R"(["id","nix"])", "unknown_schema_field", "/streams/0/views/0/fields"},
           {"/streams/0/query/range_filters", R"({"nix":["gt"]})", "unknown_schema_field", "/streams/0/query/range_filters"},
           {"/streams/0/query/search/lexical_fields", R"(["nix"])", "unknown_schema_field",
            "/streams/0/query/search/lexical_fields"},
           {"/streams/0/query/search/semantic_fields", R"(["nix"])", "unknown_schema_field",
            "/streams/0/query/search/semantic_fields"},
           {"/streams/0/query/aggregations/sum", R"(["nix"])", "unknown_schema_field", "/streams/0/query/aggregations/sum"},
           {"/streams/0/query/aggregations/group_by", R"(["nix"])", "unknown_schema_field",
            "/streams/0/query/aggregations/group_by"},
           {"/streams/0/relationships/0/foreign_key", R"("id_of_note")", "unknown_schema_field",
            "/streams/0/relationships/0/foreign_key"},
           {"/selection_presets/0/streams/0", R"({"name":"notes","fields":["nix"]})", "unknown_schema_field",
            "/selection_presets/0/streams/0/fields"},
           {"/streams/0/query/search/lexical_fields", R"(["words"])", "invalid_query_field_type",
            "/streams/0/query/search/lexical_fields"},
           {"/streams/0/query/search/semantic_fields", R"(["mixed"])", "invalid_query_field_type",
            "/streams/0/query/search/semantic_fields"},
           {"/streams/0/query/range_filters", R"({"title":["gt"]})", "invalid_query_field_type",
            "/streams/0/query/range_filters"},
           {"/streams/0/query/aggregations/min", R"(["body"])", "invalid_query_field_type", "/streams/0/query/aggregations/min"},
           {"/streams/0/query/aggregations/max", R"(["tags"])", "invalid_query_field_type", "/streams/0/query/aggregations/max"},
           {"/streams/0/query/aggregations/sum", R"(["updated_at"])", "invalid_query_field_type",
            "/streams/0/query/aggregations/sum"},
           {"/streams/0/query/aggregations/group_by", R"(["tags"])", "invalid_query_field_type",
            "/streams/0/query/aggregations/group_by"},
           {"/streams/0/query/aggregations/count_distinct", R"(["mixed"])", "invalid_query_field_type",
            "/streams/0/query/aggregations/count_distinct"},
           {"/streams/0/query/aggregations/group_by_time", R"(["title"])", "invalid_query_field_type",
            "/streams/0/query/aggregations/group_by_time"},
           {"/streams/1/name", R"("notes")", "duplicate_stream_name", "/streams/1/name"},
           {"/streams/0/views", R"([{"id":"v","label":"V","fields":["id"]},{"id":"v","label":"W","fields":["id"]}])",
            "duplicate_view_id", "/streams/0/views/1/id"},
           {"/streams/0/relationships",
            R"([{"name":"attachments","stream":"attachments","foreign_key":"note_id","cardinality":"has_many"},
                {"name":"attachments","stream":"attachments","foreign_key":"note_id","cardinality":"has_many"}])",
            "duplicate_relationship_name", "/streams/0/relationships/1/name"},
           {"/streams/0/query/expand", R"([{"name":"attachments"},{"name":"attachments"}])", "duplicate_expand_name",
            "/streams/0/query/expand/1/name"},
           {"/selection_presets",
            R"([{"id":"p","label":"P","streams":[{"name":"notes"}]},{"id":"p","label":"Q","streams":[{"name":"notes"}]}])",
            "duplicate_preset_id", "/selection_presets/1/id"},
           {"/selection_presets/0/streams", kTwoStreams, "duplicate_preset_stream_name", "/selection_presets/0/streams/1/name"},
           {"/streams/0/query/expand/0/name", R"("nix")", "unknown_relationship", "/streams/0/query/expand/0/name"},
           {"/streams/0/relationships/0/stream", R"("nix")", "unknown_stream", "/streams/0/relationships/0/stream"},
           {"/selection_presets/0/streams/0/name", R"("nix")", "unknown_stream", "/selection_presets/0/streams/0/name"},
           {"/selection_presets/0/streams/0/view", R"("nix")", "unknown_view", "/selection_presets/0/streams/0/view"},
           {"/streams/0/query/expand/0/default_limit", "51", "invalid_expand_limits", "/streams/0/query/expand/0"},
           {"/streams/0/relationships/0",
            R"({"name":"attachments","stream":"attachments","foreign_key":"id","cardinality":"has_one"})",
            "invalid_expand_limits", "/streams/0/query/expand/0"},
           {"/streams/0/schema/properties/body", R"({"$ref":"https://elsewhere.example/body"})", "nonlocal_schema_reference",
            "/streams/0/schema/properties/body/$ref"},
           {"/streams/0/schema/properties/body", R"({"items":[{"$dynamicRef":"other.json#x"}]})", "nonlocal_schema_reference",
            "/streams/0/schema/properties/body/items/0/$dynamicRef"}}) {
    expect_fault(fault);
  }
}

TEST(Declaration, ChecksTheTypeOfTheCursorField) {
  for (const std::string_view field : {"body", "tags", "mixed", "title"}) {
    const std::string json = "\"" + std::string(field) + "\"";
    expect_fault({"/streams/0/cursor_field", json, "invalid_cursor_field", "/streams/0/cursor_field"});
  }
  for (const std::string_view type :
       {R"({"type":"integer"})", R"({"type":"number"})", R"({"type":["integer","null"]})", R"({"type":"string","format":"date"})",
        R"({"type":["null","string"],"format":"date-time"})"}) {
    boost::json::value document = example();
    edit(document, "/streams/0/schema/properties/place", type);
    edit(document, "/streams/0/cursor_field", "\"place\"");
    const auto parsed = parse_declaration(boost::json::serialize(document));
    EXPECT_TRUE(parsed.has_value()) << type << ": " << parsed.error().message;
  }
}

TEST(Declaration, BlobRefHasOneShape) {
  const std::string at = "/streams/1/schema/properties/blob_ref";
  for (const auto& [pointer, json] :
       std::vector<std::pair<std::string, std::string>>{{at, R"({"type":"string"})"},
                                                        {at, R"({})"},
                                                        {at, R"(true)"},
                                                        {at + "/required", "[]"},
                                                        {at + "/required", ""},
                                                        {at + "/properties", ""},
                                                        {at + "/properties/blob_id", ""},
                                                        {at + "/properties/mime_type", ""},
                                                        {at + "/properties/sha256", R"({"type":"integer"})"},
                                                        {at + "/properties/size_bytes", R"({"type":"string"})"}}) {
    expect_fault({pointer, json, "invalid_blob_ref", at});
  }
}

TEST(Declaration, RequiresStreamNamesThatFitTheIdGrammar) {
  for (const std::string_view name :
       {R"("")", R"("*")", R"("a:b")", R"("a/b")", R"("a\\b")", R"("a..b")", R"("..")", R"(".")", R"("a\u0000b")"}) {
    expect_fault({"/streams/0/name", name, "invalid_stream_name", "/streams/0/name"});
  }
  const std::string longest = "\"" + std::string(limits::kMaxNameBytes, 'n') + "\"";
  const std::string longer = "\"" + std::string(limits::kMaxNameBytes + 1, 'n') + "\"";
  expect_fault({"/streams/0/name", longer, "invalid_stream_name", "/streams/0/name"});
  for (const std::string_view name : {std::string_view(longest), std::string_view(R"("a b.c-d ü")")}) {
    boost::json::value document = example();
    edit(document, "/streams/0/name", name);
    edit(document, "/selection_presets", "");
    EXPECT_TRUE(parse_declaration(boost::json::serialize(document)).has_value()) << name;
  }
}

TEST(Declaration, ChecksFieldNames) {
  boost::json::value document = example();
  for (const std::string_view name : {"a.b", "a/b", "\"q\"", "ключ", "$ref", "a b", ".."}) {
    document.at_pointer("/streams/0/schema/properties").as_object()[{name.data(), name.size()}] =
        boost::json::object{{"type", "string"}};
  }
  const auto parsed = parse_declaration(boost::json::serialize(document));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_NE(parsed->streams[0].field("$ref"), nullptr);
  for (const std::string& name : {std::string(), std::string("a\0b", 3), std::string(limits::kMaxNameBytes + 1, 'f')}) {
    boost::json::value bad = example();
    bad.at_pointer("/streams/0/schema/properties").as_object()[name] = boost::json::object{};
    Error error = parse_declaration(boost::json::serialize(bad)).error();
    EXPECT_EQ(error.details().rule, "source.declaration.invalid_field_name");
  }
}

TEST(Declaration, IgnoresReferencesInsideData) {
  const auto data =
      parse_declaration(edited("/streams/0/schema/properties/tags", R"({"const":{"$ref":"x"},"default":{"$ref":"x"}})"));
  EXPECT_TRUE(data.has_value()) << data.error().message;
  const auto local = parse_declaration(edited("/streams/0/schema/$defs", R"({"text":{"type":"string"}})"));
  EXPECT_TRUE(local.has_value()) << local.error().message;
}

TEST(Declaration, MessagesNamePositionAndRemedy) {
  const auto parsed = parse_declaration(edited("/streams/0/cursor_field", R"("updated")"));
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message,
            "stream \"notes\": cursor_field names \"updated\", which schema.properties does not have; declare it or "
            "correct the name (at /streams/0/cursor_field)");
}

TEST(Declaration, DerivesDefaultKeys) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://sources.example/notes", "notes"}, {"https://sources.example/a/Slack%20Export/", "slack-export"},
      {"https://sources.example/", ""},           {"https://sources.example", ""},
      {"https://sources.example/x?y=z#w", "x"},   {"https://sources.example/.well_known", "well_known"},
      {"https://sources.example/%C3%BC", ""},     {"urn:example:mail", "mail"}};
  for (const auto& [id, key] : cases) {
    SourceDeclaration declaration;
    declaration.source_id = id;
    EXPECT_EQ(declaration.default_key(), key) << id;
    EXPECT_TRUE(key.empty() || is_connector_key(key));
  }
  for (const std::string_view key : {"gmail", "a", "0.x_y-z"}) EXPECT_TRUE(is_connector_key(key)) << key;
  for (const std::string_view key : {"", "-a", ".a", "A", "a b", "a/b", "ü"}) EXPECT_FALSE(is_connector_key(key)) << key;
}

TEST(Declaration, ListsUnenforcedKeywordsWithTheirStream) {
  const auto parsed = parse_declaration(edited("/streams/0/schema/properties/body", R"({"type":"string","pattern":"^a"})"));
  ASSERT_TRUE(parsed.has_value());
  const std::vector<std::string> listed = parsed->unenforced();
  EXPECT_NE(std::find(listed.begin(), listed.end(), "notes: /properties/body/pattern"), listed.end());
}

}  // namespace
}  // namespace ladder::model
