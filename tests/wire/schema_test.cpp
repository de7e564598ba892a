// Schema discovery over HTTP: /v1/schema in its forms, /v1/connectors, /v1/streams and one stream (PDPP "schema and
// streams").
#include "rest_fixture.h"

#include <algorithm>

namespace ladder::wire {
namespace {

using Names = std::vector<std::string>;

Names members(const boost::json::value& object) {
  Names names;
  for (const auto& member : object.as_object()) names.emplace_back(member.key());
  return names;
}

// Returns the first array element with this `name`.
const boost::json::object& named(const boost::json::value& array, std::string_view name) {
  static const boost::json::object kNone;
  for (const auto& entry : array.as_array()) {
    if (entry.at("name").as_string() == name) return entry.as_object();
  }
  ADD_FAILURE() << "no " << name;
  return kNone;
}

class Schema : public Rest {
 protected:
  Schema() {
    add_library();
    put_lines("books", line("b1", R"({"id":"b1","title":"One","pages":3,"bought_at":"2026-03-01T00:00:00Z"})") +
                           line("b2", R"({"id":"b2","title":"Two","pages":5,"bought_at":"2026-04-01T00:00:00Z"})"));
    issued =
        issue({{"shelf", "books", {"id", "title", "pages", "bought_at"}, {}, {}, {}}, {"shelf", "chapters", {}, {}, {}, {}}});
  }
  server::IssuedGrants issued;
};

TEST_P(Schema, TheFullFormIsCorrect) {
  const Answer schema = get("/v1/schema?nonsense=1", issued.token);
  EXPECT_EQ(schema.status, 200) << "unknown parameters are ignored here";
  EXPECT_EQ(schema.string("/object"), "schema");
  EXPECT_EQ(schema.string("/bearer/token_kind"), "client");
  EXPECT_EQ(schema.string("/bearer/scope"), "grant");
  EXPECT_EQ(schema.string("/bearer/grant_id"), issued.grant_ids.front());
  EXPECT_EQ(schema.string("/bearer/client_id"), "agent");
  EXPECT_FALSE(schema.has("/stream_count"));
  EXPECT_EQ(schema.at("/connectors").as_array().size(), 1U);
  EXPECT_EQ(schema.string("/connectors/0/source/id"), "https://sources.example/library");
  EXPECT_EQ(schema.string("/connectors/0/connector_id"), "library");
  EXPECT_EQ(schema.number("/connectors/0/stream_count"), 2);

  const auto& books = named(schema.at("/connectors/0/streams"), "books");
  EXPECT_EQ(books.at("object").as_string(), "stream_metadata");
  EXPECT_EQ(books.at("schema").at("required").at(0).as_string(), "id");
  EXPECT_EQ(books.at("cursor_field").as_string(), "bought_at");
  EXPECT_EQ(books.at("query").at("range_filters").at("pages").as_array().size(), 4U);
  EXPECT_EQ(books.at("query").at("aggregations").at("sum").at(0).as_string(), "pages");
  const auto& pages = books.at("field_capabilities").at("pages");
  EXPECT_TRUE(pages.at("granted").as_bool());
  EXPECT_TRUE(pages.at("range_filter").at("usable").as_bool());
  EXPECT_TRUE(pages.at("aggregation").at("sum").at("usable").as_bool());
  EXPECT_FALSE(pages.at("aggregation").at("group_by").at("declared").as_bool());
  const auto& shelf = books.at("field_capabilities").at("shelf");
  EXPECT_FALSE(shelf.at("granted").as_bool());
  EXPECT_TRUE(shelf.at("exact_filter").at("declared").as_bool());
  EXPECT_FALSE(shelf.at("exact_filter").at("usable").as_bool());
  EXPECT_EQ(shelf.at("exact_filter").at("reason").as_string(), "field_not_granted");
  EXPECT_EQ(books.at("field_capabilities").at("title").at("semantic_search").at("reason").as_string(), "not_served");
  // The summaries are outside the grant, so no expansion leads to them.
  ASSERT_EQ(books.at("expand_capabilities").as_array().size(), 1U);
  const auto& chapters = books.at("expand_capabilities").at(0);
  EXPECT_EQ(chapters.at("name").as_string(), "chapters");
  EXPECT_EQ(chapters.at("cardinality").as_string(), "has_many");
  EXPECT_EQ(chapters.at("child_parent_key_field").as_string(), "book_id");
  EXPECT_EQ(chapters.at("default_limit").as_int64(), 2);
  EXPECT_EQ(chapters.at("max_limit").as_int64(), 4);
  EXPECT_TRUE(chapters.at("usable").as_bool());
  EXPECT_EQ(schema.text.find("summar"), std::string::npos);
  EXPECT_EQ(books.at("views").as_array().size(), 1U) << "only views that are granted as a whole";
  EXPECT_EQ(boost::json::serialize(books.at("granted_connections")), R"([{"connection_id":"shelf","display_name":"The shelf"}])")
      << "PDPP's schema is closed";
  EXPECT_EQ(books.at("connection_figures").at(0).at("connection_id").as_string(), "shelf");
  EXPECT_EQ(books.at("connection_figures").at(0).at("record_count").as_int64(), 2);
}

TEST_P(Schema, TheCompactFormHasALinePerField) {
  for (const char* form : {"compact", "COMPACT"}) {
    const Answer compact = get(format("/v1/schema?view={}&detail=full", form), issued.token);
    ASSERT_EQ(compact.status, 200) << compact.text;
    EXPECT_EQ(compact.string("/detail"), "compact");
    EXPECT_EQ(compact.number("/connector_count"), 1);
    EXPECT_EQ(compact.number("/stream_count"), 2);
    EXPECT_EQ(compact.string("/connectors/0/granted_connections/0/connection_id"), "shelf") << "lifted";
    const auto& books = named(compact.at("/connectors/0/streams"), "books");
    EXPECT_FALSE(books.contains("granted_connections"));
    EXPECT_EQ(books.at("record_count").as_int64(), 2);
    const auto& fields = books.at("field_capabilities").as_object();
    EXPECT_EQ(fields.at("id").as_string(), "t=string,eq");
    EXPECT_EQ(fields.at("title").as_string(), "t=text,role=primary-title,eq,lex,sem=unusable:not_served");
    EXPECT_EQ(fields.at("pages").as_string(), "t=integer,eq,r=gte|gt|lte|lt,a=sum|min|max");
    EXPECT_EQ(fields.at("shelf").as_string(), "t=string,g=false,eq=unusable:field_not_granted,a=unusable:field_not_granted");
    EXPECT_EQ(fields.at("notes").as_string(), "g=false");
    EXPECT_EQ(books.at("expand_capabilities").at(0).at("name").as_string(), "chapters");
    EXPECT_FALSE(books.contains("schema"));
  }
  // A stream whose connections differ keeps its own.
  must(server().sources().add_connection(owner(), "library", "", "attic"));
  const std::string mixed =
      issue({{"", "books", {}, {}, {}, {}}, {"shelf", "chapters", {}, {}, {}, {}}, {"shelf", "covers", {}, {}, {}, {}}}).token;
  const Answer two = get("/v1/schema?view=compact", mixed);
  EXPECT_EQ(two.at("/connectors/0/granted_connections").as_array().size(), 1U);
  EXPECT_EQ(named(two.at("/connectors/0/streams"), "books").at("granted_connections").as_array().size(), 2U);
  EXPECT_FALSE(named(two.at("/connectors/0/streams"), "covers").contains("granted_connections"));
}

TEST_P(Schema, ScopesNarrowAndFullDetailNeedsOneStream) {
  const Answer all = get("/v1/schema", owner_token());
  EXPECT_EQ(all.string("/bearer/scope"), "owner");
  EXPECT_FALSE(all.has("/bearer/grant_id"));
  EXPECT_EQ(all.at("/connectors").as_array().size(), 2U);
  const Answer one = get("/v1/schema?stream=diary", owner_token());
  EXPECT_EQ(one.number("/connector_count"), 1);
  EXPECT_EQ(one.number("/stream_count"), 1);
  EXPECT_EQ(get("/v1/schema?connection_id=shelf", owner_token()).number("/stream_count"), 4);
  EXPECT_EQ(get("/v1/schema?connection_id=work&stream=books", owner_token()).number("/stream_count"), 0);
  EXPECT_EQ(get("/v1/schema?stream=books&detail=full", issued.token).number("/stream_count"), 1);
  expect_error(get("/v1/schema?detail=full", issued.token), 400, "invalid_request", "detail");

  must(server().sources().add(owner(), test_support::notes_declaration("https://other.example/notes"), "others"));
  must(server().sources().add_connection(owner(), "others", "", "elsewhere"));
  const Answer ambiguous = get("/v1/schema?stream=notes&detail=full", owner_token());
  expect_error(ambiguous, 409, "ambiguous_schema_detail");
  EXPECT_EQ(ambiguous.at("/error/available_connections").as_array().size(), 2U);
  EXPECT_EQ(boost::json::serialize(ambiguous.at("/error/available_connections/1")),
            R"({"connection_id":"elsewhere","display_name":"elsewhere"})")
      << "PDPP's schema is closed, and asks for a name";
  EXPECT_EQ(ambiguous.string("/error/available_sources/1/connector_key"), "others");
  EXPECT_EQ(ambiguous.string("/error/available_sources/0/stream"), "notes");
  EXPECT_EQ(ambiguous.string("/error/retry_with"), "connection_id");
  EXPECT_EQ(get("/v1/schema?stream=notes&detail=full&connection_id=elsewhere", owner_token()).number("/stream_count"), 1);
  EXPECT_EQ(get("/v1/schema?stream=notes", owner_token()).number("/stream_count"), 2);
  expect_error(get("/v1/streams/notes", owner_token()), 409, "ambiguous_connection");
  EXPECT_EQ(get("/v1/streams/notes?connector_id=others", owner_token()).string("/granted_connections/0/connection_id"),
            "elsewhere");
}

TEST_P(Schema, ManyStreamsAreCompact) {
  std::string streams;
  for (int i = 0; i < 60; ++i) {
    streams += format(
        R"({}{{"name":"s{}","semantics":"mutable_state","primary_key":["id"],"selection":{{"fields":true,"resources":true}},
      "schema":{{"type":"object","properties":{{"id":{{"type":"string"}}}}}}}})",
        i == 0 ? "" : ",", i);
  }
  must(server().sources().add(owner(),
                              R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/wide"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Wide"},"streams":[)" +
                                  streams + "]}",
                              "wide"));
  must(server().sources().add_connection(owner(), "wide", "", "wide"));
  const Answer index = get("/v1/schema", owner_token());
  EXPECT_EQ(index.string("/detail"), "compact");
  EXPECT_EQ(index.number("/stream_count"), 66);
  EXPECT_EQ(index.warnings(), (Names{"compatibility_fallback"}));
  EXPECT_FALSE(get("/v1/schema?stream=s1", owner_token()).has("/detail"));
}

TEST_P(Schema, StreamsAndConnectorsAreListed) {
  const Answer streams = get("/v1/streams", issued.token);
  EXPECT_EQ(streams.string("/object"), "list");
  EXPECT_FALSE(streams.at("/has_more").as_bool());
  EXPECT_TRUE(streams.at("/links/next").is_null());
  const auto& books = named(streams.at("/data"), "books");
  EXPECT_EQ(members(boost::json::value(books)),
            (Names{"object", "name", "record_count", "last_updated", "freshness", "connection_id", "connector_instance_id",
                   "display_name", "connector_id", "source"}));
  EXPECT_EQ(books.at("record_count").as_int64(), 2);
  EXPECT_EQ(parse_time(std::string(books.at("last_updated").as_string())), parse_time("2026-04-01T00:00:00Z"));
  EXPECT_TRUE(named(streams.at("/data"), "chapters").at("last_updated").is_null());
  EXPECT_EQ(books.at("freshness").at("status").as_string(), "unknown");

  const Answer connectors = get("/v1/connectors", issued.token);
  EXPECT_EQ(connectors.string("/data/0/object"), "connector");
  EXPECT_EQ(connectors.number("/data/0/stream_count"), 2);
  const auto& listed = named(connectors.at("/data/0/streams"), "books");
  EXPECT_EQ(listed.at("record_count").as_int64(), 2);
  const auto& can = listed.at("capabilities");
  EXPECT_EQ(members(can), (Names{"records", "records_url", "metadata_url", "stream_metadata", "aggregate", "aggregate_url",
                                 "exact_filters", "range_filters", "expand", "changes_since"}));
  EXPECT_EQ(can.at("aggregate_url").as_string(), "/v1/streams/books/aggregate");
  EXPECT_EQ(can.at("range_filters").as_array().size(), 2U);
  EXPECT_TRUE(named(connectors.at("/data/0/streams"), "chapters").at("capabilities").at("aggregate_url").is_null());
  EXPECT_EQ(get(std::string(can.at("records_url").as_string()), issued.token).status, 200);
  EXPECT_EQ(get(std::string(can.at("metadata_url").as_string()), issued.token).status, 200);

  EXPECT_EQ(get("/v1/streams?connection_id=work", owner_token()).at("/data").as_array().size(), 2U);
  EXPECT_EQ(get("/v1/connectors?connector_id=library", owner_token()).at("/data").as_array().size(), 1U);
  EXPECT_TRUE(get("/v1/streams?connection_id=work", issued.token).at("/data").as_array().empty());
  EXPECT_TRUE(get("/v1/streams?connector_id=notes", issued.token).at("/data").as_array().empty());
  EXPECT_TRUE(get("/v1/streams?connector_id=none", issued.token).at("/data").as_array().empty()) << "the same answer";
  expect_error(get("/v1/streams?connection_id=none", owner_token()), 404, "connection_not_found");
  expect_error(get("/v1/streams?connector_id=none", owner_token()), 404, "not_found", "connector_id");
  expect_error(get("/v1/streams?nonsense=1", owner_token()), 400, "invalid_request", "nonsense");
  expect_error(get("/v1/connectors?nonsense=1", owner_token()), 400, "invalid_request");
}

TEST_P(Schema, AStreamIsShownOrRefusedAlike) {
  const Answer books = get("/v1/streams/books", issued.token);
  EXPECT_EQ(books.string("/object"), "stream_metadata");
  EXPECT_EQ(books.string("/connector_key"), "library");
  EXPECT_EQ(books.string("/links/self"), "/v1/streams/books");
  EXPECT_FALSE(books.has("/time_constraint"));
  const std::string narrow = token_for({"shelf", "books", {"id"}, parse_time("2026-01-01"), {}, {"b1", "b2"}});
  const Answer bounds = get("/v1/streams/books", narrow);
  EXPECT_EQ(bounds.string("/time_constraint/field"), "bought_at");
  EXPECT_EQ(bounds.at("/resources").as_array().size(), 2U);
  const Answer ungranted = get("/v1/streams/covers", issued.token), missing = get("/v1/streams/nosuch", issued.token);
  expect_error(ungranted, 403, "grant_stream_not_allowed");
  expect_error(missing, 403, "grant_stream_not_allowed");
  expect_error(get("/v1/streams/nosuch", owner_token()), 404, "not_found");
  expect_error(get("/v1/streams/books?connection_id=work", owner_token()), 404, "connection_not_found");
  expect_error(get("/v1/streams/books?connection_id=work", issued.token), 404, "connection_not_found");
}

LADDER_FOR_EVERY_ENGINE(Schema);

}  // namespace
}  // namespace ladder::wire
