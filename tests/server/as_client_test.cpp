// The owner's view as a client equals what that client gets, byte for byte, and records no read.
#include "api/render/render.h"
#include "support/server_fixture.h"

namespace ladder::test_support {
namespace {

using server::Access;
using server::GrantRequest;
using server::GrantSelection;

constexpr std::string_view kFiles =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/files"},
  "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Files"},"streams":[
  {"name":"files","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
   "schema":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string","x_pdpp_role":"primary-title"},
     "blob_ref":{"type":"object","required":["blob_id"],"properties":{"blob_id":{"type":"string"},
       "mime_type":{"type":"string"},"sha256":{"type":"string"},"size_bytes":{"type":"integer"}}}}},
   "query":{"search":{"lexical_fields":["name"]}}}]})";

std::string told(const Error& error) { return std::string(error.wire()) + ": " + error.message + " (" + error.param + ")"; }

template <class T, class Render>
std::string told(const Result<T>& result, Render render) {
  return result ? render(*result) : told(result.error());
}

class AsClientTest : public ServerFixture {
 protected:
  AsClientTest() {
    must(server().sources().add(owner(), searched_notes(), "notes"));
    must(server().sources().add(owner(), kFiles, "files"));
    must(server().sources().add_connection(owner(), "files", "", "disk"));
    must(server().sources().add_connection(owner(), "notes", "", "home"));
    for (int i = 0; i < 30; ++i) {
      put(format("n{}", i),
          format(
              R"("title":"Note {} about rain","body":"{}","secret":"hidden {}","words":{},"updated_at":"2026-{:02}-10T08:00:00Z")",
              i, std::string(200, 'r') + " rain " + std::string(static_cast<std::size_t>(i) * 300, 'x'), i, i, 1 + i % 10),
          i % 3 == 0 ? "home" : "work");
    }
    TextSource bytes("the bytes of a file");
    blob_ = must(server().ingest().put_blob(owner(), "text/plain", bytes)).blob_id;
    ingest(record_line("f1", format(R"("name":"rain.txt","blob_ref":{{"blob_id":"{}"}})", blob_)), "disk", "files");
  }

  // The fixture's notes, searchable.
  static std::string searched_notes() {
    std::string text = notes_declaration();
    const std::string_view before = R"("schema":{"type":"object","required":["id"])";
    text.replace(
        text.find(before), 0,
        R"("query":{"search":{"lexical_fields":["title","body","secret"]},"range_filters":{"updated_at":["gte","lte"]}},)");
    text.replace(text.find(R"("declaration_version":"1")"), 25, R"("declaration_version":"2")");
    return text;
  }

  std::string token_for(std::string_view client, std::vector<GrantSelection> streams, std::optional<Instant> expires = {}) {
    GrantRequest request;
    request.client_id = client;
    request.streams = std::move(streams);
    request.expires_at = expires;
    return must(server().grants().create(owner(), request)).token;
  }

  // Returns all that can be requested, with every result.
  std::vector<std::string> answers(const Access& access) {
    std::vector<std::string> all;
    const auto note = [&](std::string what) { all.push_back(std::move(what)); };
    for (const std::string stream : {"notes", "diary", "files", "none"}) {
      for (const std::string connection : {"", "work", "home", "disk"}) {
        api::RecordsRequest list;
        list.stream = stream;
        list.scope.connection_id = connection;
        list.limit = 100;
        list.count = api::CountKind::kExact;
        note(told(server().reads().records(access, list),
                  [](const api::RecordsPage& page) { return api::render(page, "/", {}); }));
      }
    }
    for (const std::string connection : {"work", "home", "disk"}) {
      for (const std::string id : {"n0", "n1", "n2", "n9", "n20", "f1", "none"}) {
        api::RecordRequest one;
        one.record = {connection, connection == "disk" ? "files" : "notes", id};
        one.max_field_chars = 500;
        note(told(server().reads().record(access, one), [](const api::Record& record) { return api::render(record, {}); }));
        for (const std::string field : {"title", "body", "secret", "updated_at", "blob_ref", "words"}) {
          api::FieldWindowRequest window{one.record, field, at_offset(0, 120)};
          note(told(server().windows().read(access, window), [](const api::FieldWindow& read) { return api::to_json(read); }));
        }
      }
    }
    for (const std::string q : {"rain", "hidden", "rain hidden", "absent"}) {
      api::SearchRequest search;
      search.q = q;
      search.limit = 100;
      note(told(server().search().find(access, search),
                [](const api::SearchPage& page) { return api::render(page, false, "/", {}); }));
    }
    note(told(server().reads().schema(access, {}),
              [](const api::SchemaView& view) { return api::render_schema(view, api::SchemaForm::kFull, true, {}); }));
    note(told(server().reads().blob(access, {blob_, {}, 0, 100}),
              [](const api::Blob& blob) { return blob.mime_type + blob.digest + blob.bytes; }));
    return all;
  }

  static GrantSelection notes(std::vector<std::string> fields, std::string connection = {}, std::optional<Instant> since = {}) {
    GrantSelection made;
    made.stream = "notes";
    made.fields = std::move(fields);
    made.connection_id = std::move(connection);
    made.since = since;
    return made;
  }
  static GrantSelection files() {
    GrantSelection made;
    made.stream = "files";
    return made;
  }

  std::string blob_;
};

TEST_P(AsClientTest, GivesWhatTheClientsOwnTokenGives) {
  const auto since = parse_time("2026-04-01T00:00:00Z");
  const std::vector<std::vector<GrantSelection>> choices = {
      {notes({"title", "updated_at"})},
      {notes({"title", "body", "updated_at"}, "work", since), files()},
      {notes({}, "home", since)},
      {files()},
  };
  int client = 0;
  for (const auto& choice : choices) {
    const std::string name = format("agent-{}", ++client);
    const Access own = must(server().accesses().authenticate(token_for(name, choice)));
    const auto expected = answers(own), shown = answers(must(server().grants().access_as_client(owner(), name)));
    ASSERT_EQ(expected.size(), shown.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i], shown[i]) << name << ", answer " << i;
  }
}

TEST_P(AsClientTest, IsNotRecordedAsARead) {
  token_for("agent", {notes({"title", "body", "updated_at"}), files()});
  answers(must(server().grants().access_as_client(owner(), "agent")));
  ASSERT_TRUE(server().ledger().sweep());
  EXPECT_TRUE(must(server().ledger().page(owner(), {})).entries.empty());
  EXPECT_TRUE(must(server().ledger().seen(owner(), {})).empty());
  ASSERT_TRUE(server().accesses().flush_uses());
  for (const server::GrantSummary& grant : must(server().grants().list(owner()))) EXPECT_FALSE(grant.row.last_used_at);
}

TEST_P(AsClientTest, EndsWithTheGrants) {
  const std::string token = token_for("agent", {notes({"title"})}, clock().now() + 10 * kSecond);
  const api::RecordRequest one{{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}};
  EXPECT_TRUE(server().reads().record(must(server().grants().access_as_client(owner(), "agent")), one));
  clock().move(10 * kSecond);
  EXPECT_TRUE(must(server().grants().access_as_client(owner(), "agent")).grants().empty());
  EXPECT_FALSE(server().reads().record(must(server().grants().access_as_client(owner(), "agent")), one));

  token_for("agent", {notes({"title"})});
  const auto active = must(server().grants().access_as_client(owner(), "agent"));
  ASSERT_EQ(active.grants().size(), 1U);
  must(server().grants().revoke(owner(), active.grants().front()->grant.grant_id));
  EXPECT_TRUE(must(server().grants().access_as_client(owner(), "agent")).grants().empty());
}

TEST_P(AsClientTest, UsesTheNewerOfTwoEqualGrants) {
  token_for("agent", {notes({"title", "body"}), files()});
  clock().move(kSecond);
  token_for("agent", {notes({"title"}, "work")});
  const Access seen = must(server().grants().access_as_client(owner(), "agent"));
  ASSERT_EQ(seen.grants().size(), 2U) << "that of the files, which nothing replaced, and the newer one of the notes";
  const api::RecordRequest one{{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}};
  const auto record = must(server().reads().record(seen, one));
  EXPECT_FALSE(json::member(record.data, "body"));
  EXPECT_TRUE(json::member(record.data, "title"));
}

TEST_P(AsClientTest, IsForTheOwnerOnly) {
  const Access agent = must(server().accesses().authenticate(token_for("agent", {notes({"title"})})));
  EXPECT_EQ(server().grants().access_as_client(agent, "agent").error().code, Code::kPermission);
  EXPECT_EQ(server().grants().access_as_client(must(server().grants().access_as_client(owner(), "agent")), "agent").error().code,
            Code::kPermission);
  ASSERT_TRUE(store().add_owner("other", clock().now()));
  EXPECT_TRUE(must(server().grants().access_as_client(owner("other"), "agent")).grants().empty()) << "grants of another owner";
  EXPECT_TRUE(must(server().grants().access_as_client(owner(), "nobody")).grants().empty());
}

LADDER_FOR_EVERY_ENGINE(AsClientTest);

}  // namespace
}  // namespace ladder::test_support
