// Sources and connections: adding, replacing, listing, and refusals.
#include "support/server_fixture.h"

namespace ladder::test_support {
namespace {

// Returns a source with one stream, with variable parts.
std::string declaration(std::string_view id, std::string_view version, std::string_view stream_members,
                        std::string_view properties = R"("id":{"type":"string"},"day":{"type":"string","format":"date"})") {
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"{}"}},"declaration_version":"{}",
    "publisher":{{"id":"https://sources.example/"}},"display":{{"name":"S"}},"streams":[{{"name":"items","semantics":"mutable_state",
    "selection":{{"fields":true,"resources":true}},"schema":{{"type":"object","properties":{{{}}}}},{}}}]}})",
                id, version, properties, stream_members);
}

class CatalogTest : public ServerFixture {
 protected:
  Error refusal(const Result<server::AddedSource>& result) {
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
  }
  std::int64_t records_of(const std::string& connection, const std::string& stream) {
    const auto summary = must(server().sources().connection(owner(), connection));
    const auto found = std::ranges::find(summary.streams, stream, &server::ConnectionSummary::StreamCount::stream);
    return found == summary.streams.end() ? -1 : found->records;
  }
};

TEST_P(CatalogTest, FieldsKeepTheirDeclaredOrder) {
  const std::string key = R"("primary_key":["z"])";
  const auto declared = [&](std::string_view properties) {
    return declaration("https://sources.example/order", "1", key, properties);
  };
  must(server().sources().add(owner(), declared(R"("z":{"type":"string"},"a":{"type":"string"})"), "order"));
  must(server().sources().add_connection(owner(), "order", "", "ordered"));
  const auto view = must(server().reads().schema(owner(), {"items", "ordered", true}));
  ASSERT_EQ(view.sources.at(0).streams.at(0).fields.size(), 2U);
  EXPECT_EQ(view.sources[0].streams[0].fields[0].name, "z");
  // A different member order is the same declaration; different content is not.
  must(server().sources().add(owner(), declared(R"("a":{"type":"string"},"z":{"type":"string"})"), "order"));
  EXPECT_EQ(refusal(server().sources().add(owner(), declared(R"("z":{"type":"string"})"), "order")).code, Code::kConflict);
}

TEST_P(CatalogTest, ASourceGetsItsKeyFromItsId) {
  const auto added = must(
      server().sources().add(owner(), declaration("https://sources.example/a/My%20Photos", "1", R"("primary_key":["id"])"), ""));
  EXPECT_EQ(added.source_id, "https://sources.example/a/My%20Photos");
  EXPECT_EQ(added.key, "my-photos");
  EXPECT_EQ(must(server().sources().add_connection(owner(), "my-photos", "", "p")).source_key, "my-photos");
}

TEST_P(CatalogTest, ASourceListsItsUnsupportedKeywords) {
  const auto added = must(server().sources().add(
      owner(),
      declaration("https://sources.example/mail", "1", R"("primary_key":["id"])", R"("id":{"type":"string","pattern":"^m"})"),
      ""));
  ASSERT_EQ(added.unenforced.size(), 1U);
  EXPECT_NE(added.unenforced[0].find("/properties/id/pattern"), std::string::npos);
}

TEST_P(CatalogTest, BadDeclarationsAndKeysAreRefused) {
  EXPECT_EQ(refusal(server().sources().add(owner(), "{", "")).code, Code::kConnectorInvalid);
  EXPECT_EQ(
      refusal(server().sources().add(owner(), declaration("https://s.example/x", "1", R"("primary_key":["nope"])"), "")).code,
      Code::kConnectorInvalid);
  const std::string good = declaration("https://s.example/x", "1", R"("primary_key":["id"])");
  EXPECT_EQ(refusal(server().sources().add(owner(), good, "Bad Key")).code, Code::kConnectorInvalid);
  const Error taken = refusal(server().sources().add(owner(), good, "notes"));
  EXPECT_EQ(taken.code, Code::kConflict);
  EXPECT_NE(taken.message.find("https://sources.example/notes"), std::string::npos);
  const Error keyless =
      refusal(server().sources().add(owner(), declaration("https://s.example/%20", "1", R"("primary_key":["id"])"), ""));
  EXPECT_EQ(keyless.code, Code::kConnectorInvalid);
  EXPECT_NE(keyless.message.find("--key"), std::string::npos);
}

TEST_P(CatalogTest, ASourceKeepsItsKeyWhenItsDeclarationIsReplaced) {
  const std::string id = "https://sources.example/items";
  EXPECT_EQ(must(server().sources().add(owner(), declaration(id, "1", R"("primary_key":["id"])"), "mine")).key, "mine");
  EXPECT_EQ(must(server().sources().add(owner(), declaration(id, "1", R"("primary_key":["id"])"), "")).key, "mine");
  EXPECT_EQ(must(server().sources().add(owner(), declaration(id, "2", R"("primary_key":["id"])"), "mine")).key, "mine");
  EXPECT_EQ(refusal(server().sources().add(owner(), declaration(id, "2", R"("primary_key":["id"])"), "other")).code,
            Code::kConflict);
  EXPECT_EQ(
      refusal(server().sources().add(owner(), declaration(id, "2", R"("primary_key":["id"],"cursor_field":"day")"), "")).code,
      Code::kConflict)
      << "the same version with another text";
}

TEST_P(CatalogTest, ANewStreamReachesExistingConnections) {
  const std::string id = "https://sources.example/items";
  must(server().sources().add(owner(), declaration(id, "1", R"("primary_key":["id"])"), ""));
  must(server().sources().add_connection(owner(), "items", "", "c"));
  std::string more = declaration(id, "2", R"("primary_key":["id"])");
  const std::string streams = "\"streams\":[";
  more.insert(more.find(streams) + streams.size(),
              R"({"name":"extra","semantics":"mutable_state","selection":{"fields":true,"resources":true},
                 "schema":{"type":"object","properties":{"id":{"type":"string"}}},"primary_key":["id"]},)");
  must(server().sources().add(owner(), more, ""));
  EXPECT_EQ(ingest("{\"data\":{\"id\":\"1\"}}\n", "c", "extra").added, 1);
  EXPECT_EQ(records_of("c", "extra"), 1);
  EXPECT_EQ(records_of("c", "items"), 0);
}

TEST_P(CatalogTest, KeysAndOrderCannotChangeUnderRecords) {
  const std::string id = "https://sources.example/items";
  must(server().sources().add(owner(), declaration(id, "1", R"("primary_key":["id"])"), ""));
  must(server().sources().add_connection(owner(), "items", "", "c"));
  must(server().sources().add(owner(), declaration(id, "2", R"("primary_key":["id"],"cursor_field":"day")"), ""));
  ASSERT_EQ(ingest("{\"data\":{\"id\":\"1\"}}\n", "c", "items").added, 1);
  for (const char* changed : {R"("primary_key":["id","day"],"cursor_field":"day")", R"("primary_key":["id"])",
                              R"("primary_key":["id"],"cursor_field":"day","consent_time_field":"day")"}) {
    const Error error = refusal(server().sources().add(owner(), declaration(id, "3", changed), ""));
    EXPECT_EQ(error.code, Code::kConflict) << changed;
    EXPECT_NE(error.message.find("\"items\" has 1 records in connection \"c\""), std::string::npos) << error.message;
  }
  must(server().sources().add(owner(), declaration(id, "3", R"("primary_key":["id"],"cursor_field":"day","description":"days")"),
                              ""));
  ASSERT_EQ(ingest("{\"op\":\"delete\",\"key\":\"1\"}\n", "c", "items").deleted, 1);
  must(server().sources().add(owner(), declaration(id, "4", R"("primary_key":["id"])"), ""));
}

TEST_P(CatalogTest, ConnectionsHaveTheirOwnIds) {
  const auto made = must(server().sources().add_connection(owner(), "notes", "My notes", ""));
  EXPECT_EQ(made.connection_id.size(), 4U + 24U);
  EXPECT_TRUE(made.connection_id.starts_with("cin_"));
  EXPECT_EQ(made.display_name, "My notes");
  EXPECT_EQ(made.status, "active");
  EXPECT_EQ(made.source_id, "https://sources.example/notes");
  EXPECT_EQ(made.created_at, clock().now());
  ASSERT_EQ(made.streams.size(), 2U);
  EXPECT_EQ(made.streams[0].stream, "notes");
  EXPECT_NE(must(server().sources().add_connection(owner(), "notes", "", "")).connection_id, made.connection_id);
}

TEST_P(CatalogTest, BadConnectionsAreRefused) {
  for (const std::string id : {"a/b", "a\\b", "a:b", "..", ".", "a..b", "a\nb", "\xFF"}) {
    EXPECT_EQ(server().sources().add_connection(owner(), "notes", "", id).error().code, Code::kInvalidId) << id;
  }
  EXPECT_EQ(server().sources().add_connection(owner(), "notes", "", std::string(256, 'x')).error().code, Code::kInvalidId);
  EXPECT_EQ(server().sources().add_connection(owner(), "notes", "two\nlines", "").error().code, Code::kInvalidRequest);
  EXPECT_EQ(server().sources().add_connection(owner(), "notes", "", "work").error().code, Code::kConflict);
  const Error unknown = server().sources().add_connection(owner(), "nope", "", "").error();
  EXPECT_EQ(unknown.code, Code::kNotFound);
  EXPECT_NE(unknown.message.find("\"notes\""), std::string::npos);
}

TEST_P(CatalogTest, OnlyMeaningfulNamesAreShown) {
  const auto shown = [&](std::string_view name, std::string_view id) {
    return must(server().sources().add_connection(owner(), "notes", name, id)).display_name;
  };
  EXPECT_EQ(shown("", "c1"), "");
  EXPECT_EQ(shown("  ", "c2"), "");
  EXPECT_EQ(shown("legacy", "c3"), "");
  EXPECT_EQ(shown("Default account", "c4"), "");
  EXPECT_EQ(shown("c5", "c5"), "");
  EXPECT_EQ(shown("notes", "c6"), "");
  EXPECT_EQ(shown("https://registry.pdpp.dev/connectors/notes", "c7"), "");
  EXPECT_EQ(shown("Mam's notes", "c8"), "Mam's notes");
}

TEST_P(CatalogTest, ListsEverythingWithCounts) {
  put("a", "");
  put("b", "");
  must(server().sources().add_connection(owner(), "notes", "", "home"));
  const auto all = must(server().sources().connections(owner()));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(records_of("work", "notes"), 2);
  EXPECT_EQ(records_of("home", "notes"), 0);
  const Error unknown = server().sources().connection(owner(), "nope").error();
  EXPECT_EQ(unknown.code, Code::kConnectionNotFound);
  EXPECT_NE(unknown.message.find("\"work\""), std::string::npos);
  EXPECT_NE(unknown.message.find("\"home\""), std::string::npos);
}

TEST_P(CatalogTest, OwnersDoNotSeeEachOther) {
  ASSERT_TRUE(store().add_owner("guest", clock().now()));
  EXPECT_TRUE(must(server().sources().connections(owner("guest"))).empty());
  EXPECT_EQ(server().sources().connection(owner("guest"), "work").error().code, Code::kConnectionNotFound);
  EXPECT_EQ(server().sources().add_connection(owner("guest"), "notes", "", "").error().code, Code::kNotFound);
  must(server().sources().add(owner("guest"), notes_declaration(), ""));
  must(server().sources().add_connection(owner("guest"), "notes", "", "work"));  // an id names one connection of an owner
  EXPECT_EQ(server().sources().add_connection(owner("guest"), "notes", "", "work").error().code, Code::kConflict);
  EXPECT_EQ(must(server().sources().connections(owner("guest"))).size(), 1U);
  EXPECT_EQ(must(server().sources().connections(owner())).size(), 1U);
}

TEST_P(CatalogTest, SeesChangesOfAnotherProcess) {
  ASSERT_EQ(must(server().sources().connections(owner())).size(), 1U);
  const auto other_store = place().open(store::OpenMode::kExisting);
  server::ResourceServer other(*other_store, clock());
  must(other.sources().add_connection(must(other.accesses().local_owner("local")), "notes", "", "late"));
  EXPECT_EQ(must(server().sources().connections(owner())).size(), 2U);
  EXPECT_EQ(ingest(record_line("x", ""), "late").added, 1);
}

LADDER_FOR_EVERY_ENGINE(CatalogTest);

}  // namespace
}  // namespace ladder::test_support
