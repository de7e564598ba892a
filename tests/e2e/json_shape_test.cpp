// The JSON keys that scripts rely on (docs/reference/cli.md), command by command.
#include "owner.h"

#include <algorithm>
#include <set>

namespace ladder::e2e {
namespace {

std::set<std::string> keys_of(const boost::json::value& value) {
  std::set<std::string> keys;
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) keys.emplace(member.key());
  }
  return keys;
}

using Keys = std::set<std::string>;

class JsonShapes : public EveryEngine {};

TEST_P(JsonShapes, EveryCommandHasItsKeys) {
  EXPECT_EQ(keys_of(owner.json({"init"})), (Keys{"db", "engine", "owner"}));
  const auto source = owner.json({"source", "add", owner.write_file("notes.json", kNotesDeclaration)});
  EXPECT_EQ(keys_of(source), (Keys{"source_id", "key", "unenforced", "always_granted"}));
  EXPECT_EQ(text_at(source, "/key"), "notes");
  EXPECT_EQ(text_at(source, "/source_id"), "https://sources.example/notes");
  const auto named = owner.json({"connection", "add", "notes", "--id", "home", "--name", "At home"});
  EXPECT_EQ(text_at(named, "/connection_id"), "home");
  EXPECT_EQ(keys_of(named),
            (Keys{"connection_id", "connector_key", "source_id", "display_name", "status", "created_at", "streams"}));
  const auto unnamed = owner.json({"connection", "add", "notes"});
  EXPECT_NE(text_at(unnamed, "/connection_id"), "home");

  const auto receipt = owner.ingest(note("n1", "text") + "[]\n", {"--json"}).json();
  EXPECT_EQ(keys_of(receipt), (Keys{"stream", "records_attempted", "records_accepted", "records_rejected", "errors", "rejections",
                                    "added", "changed", "unchanged", "deleted", "absent", "replaced_surrogates"}));
  EXPECT_EQ(keys_of(receipt.at("rejections").at(0)), (Keys{"input_index", "line", "code", "message", "receipt_id"}));

  const auto connections = owner.json({"connection", "list"}).at("connections").as_array();
  ASSERT_EQ(connections.size(), 2U);
  const auto shown = owner.json({"connection", "show", "home"});
  const auto& streams = shown.at("streams").as_array();
  const auto notes =
      std::find_if(streams.begin(), streams.end(), [](const auto& stream) { return stream.at("name") == "notes"; });
  ASSERT_NE(notes, streams.end());
  EXPECT_EQ(notes->at("records"), 1);

  const auto issued = owner.json({"grant", "create", "--client", "c", "--stream", "home/notes", "--expires", "2999-01-01"});
  EXPECT_EQ(keys_of(issued), (Keys{"grant_ids", "token", "grants"}));
  const std::string id = text_at(issued, "/grant_ids/0");
  const auto grant = owner.json({"grant", "show", id});
  EXPECT_EQ(keys_of(grant),
            (Keys{"grant_id", "status", "client_id", "source_id", "issued_at", "expires_at", "streams", "grant"}));
  EXPECT_EQ(owner.json({"grant", "list"}).at("grants").at(0), grant);
  EXPECT_TRUE(keys_of(owner.json({"grant", "revoke", id})).contains("revoked_at"));
  EXPECT_EQ(keys_of(issued.at("grants").at(0)), keys_of(grant));
  EXPECT_EQ(keys_of(grant.at("streams").at(0)),
            (Keys{"stream", "connection_ids", "fields", "all_fields", "named", "added", "added_content"}));
  EXPECT_EQ(keys_of(owner.json({"token", "create"})), (Keys{"token_id", "token"}));
  EXPECT_EQ(keys_of(owner.json({"token", "list"}).at("tokens").at(0)), (Keys{"token_id", "status", "created_at", "expires_at"}));
}

TEST_P(JsonShapes, AWindowIsTheRestBody) {
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "0123456789")).exit_code, 0);
  const auto body = owner.json({"read", "home/notes:n1", "body", "--offset", "2", "--limit", "3"});
  EXPECT_EQ(keys_of(body), (Keys{"object", "id", "connection_id", "stream", "record_id", "url", "field", "window"}));
  EXPECT_EQ(keys_of(body.at("field")), (Keys{"path", "type", "text_like", "size_chars", "digest"}));
  EXPECT_EQ(keys_of(body.at("window")),
            (Keys{"text", "total_chars", "start_chars", "end_chars", "limit_chars", "complete", "has_more", "match_start_chars",
                  "match_end_chars", "next_offset_chars", "previous_offset_chars", "next_cursor", "previous_cursor"}));
  EXPECT_EQ(text_at(body, "/id"), "home/notes:n1");
  EXPECT_EQ(text_at(body, "/window/text"), "234");
  EXPECT_EQ(number_at(body, "/window/next_offset_chars"), 5);
  EXPECT_EQ(number_at(body, "/window/previous_offset_chars"), 0);
  EXPECT_EQ(text_at(body, "/field/digest"), "sha256:84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882");
  const auto match = owner.json({"read", "home/notes:n1", "body", "--q", "45", "--before", "1", "--after", "1"});
  EXPECT_EQ(text_at(match, "/window/text"), "3456");
  EXPECT_TRUE(keys_of(match.at("window")).contains("next_match_cursor"));
  const auto past = owner.json({"read", "home/notes:n1", "body", "--offset", "99"});
  EXPECT_EQ(number_at(past, "/window/start_chars"), 10);
  EXPECT_FALSE(past.at("window").at("complete").as_bool());
}

LADDER_FOR_EVERY_ENGINE(JsonShapes);

TEST(JsonErrors, AnAmbiguousRecordListsTheChoices) {
  Owner owner;
  owner.set_up();
  owner.done({"connection", "add", "notes", "--id", "work"});
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  owner.done({"ingest", "--connection", "work", "--stream", "notes"}, note("n1", "other"));
  const Outcome outcome = owner.ladder({"read", "notes:n1", "body", "--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  const auto error = outcome.json().at("error");
  EXPECT_EQ(error.at("code"), "ambiguous_connection");
  EXPECT_EQ(error.at("available_connections").as_array().size(), 2U);
  const Outcome told = owner.ladder({"read", "notes:n1", "body"});
  EXPECT_NE(told.err.find("work"), std::string::npos) << told.summary();
}

TEST(JsonErrors, AStaleCursorSaysHowToContinue) {
  Owner owner;
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "0123456789")).exit_code, 0);
  const auto first = owner.json({"read", "home/notes:n1", "body", "--limit", "4"});
  ASSERT_EQ(owner.ingest(note("n1", "abcdefghijklm")).exit_code, 0);
  const Outcome stale =
      owner.ladder({"read", "home/notes:n1", "body", "--cursor", text_at(first, "/window/next_cursor"), "--json"});
  EXPECT_EQ(stale.exit_code, 1);
  const auto error = stale.json().at("error");
  EXPECT_EQ(error.at("code"), "stale_cursor") << stale.summary();
  EXPECT_EQ(error.at("size_chars"), 13);
  EXPECT_EQ(error.at("resume_offset_chars"), 4);
  EXPECT_EQ(error.at("record"), "home/notes:n1");
}

}  // namespace
}  // namespace ladder::e2e
