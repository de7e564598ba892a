// Creating, listing and revoking grants.
#include "support/server_fixture.h"

namespace ladder::test_support {
namespace {

using server::GrantRequest;
using server::GrantSelection;

GrantSelection selection(std::string stream, std::string connection = {}, std::vector<std::string> fields = {}) {
  GrantSelection made;
  made.stream = std::move(stream);
  made.connection_id = std::move(connection);
  made.fields = std::move(fields);
  return made;
}

constexpr std::string_view kPairs =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/pairs"},
  "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Pairs"},"streams":[
  {"name":"pairs","semantics":"mutable_state","primary_key":["a","b"],"selection":{"fields":true,"resources":true},
   "schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}},
  {"name":"notes","semantics":"mutable_state","primary_key":["a"],"selection":{"fields":false,"resources":false},
   "schema":{"type":"object","properties":{"a":{"type":"string"}}}}]})";

class GrantsTest : public ServerFixture {
 protected:
  GrantsTest() {
    must(server().add_connection(owner(), "notes", "", "home"));
    must(server().add_source(owner(), kPairs, ""));
    must(server().add_connection(owner(), "pairs", "", "two"));
  }
  GrantRequest request(std::vector<GrantSelection> streams) {
    GrantRequest made;
    made.client_id = "agent";
    made.streams = std::move(streams);
    return made;
  }
  Error refusal(const GrantRequest& refused) {
    const auto issued = server().create_grants(owner(), refused);
    EXPECT_FALSE(issued);
    return issued ? Error{} : issued.error();
  }
};

TEST_P(GrantsTest, CreatesOneGrantPerSourceAndOneToken) {
  const auto issued =
      must(server().create_grants(owner(), request({selection("diary"), selection("notes"), selection("pairs")})));
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  for (const std::string& id : issued.grant_ids) {
    EXPECT_TRUE(id.starts_with("grt_"));
    EXPECT_EQ(id.size(), 20U);
  }
  EXPECT_TRUE(issued.token.starts_with("ldr_c_"));

  const auto first = must(server().grant(owner(), issued.grant_ids[0]));
  EXPECT_EQ(first.status, "active");
  EXPECT_EQ(first.grant.client_id, "agent");
  EXPECT_EQ(first.grant.subject_id, "local");
  EXPECT_EQ(first.grant.source_id, "https://sources.example/notes");
  EXPECT_EQ(first.grant.declaration_version, "1");
  EXPECT_EQ(first.grant.purpose_code, "https://pdpp.dev/purpose/agent_context");
  EXPECT_FALSE(first.grant.single_use);
  EXPECT_FALSE(first.grant.expires_at);
  ASSERT_EQ(first.grant.streams.size(), 2U);
  EXPECT_EQ(first.grant.streams[0].name, "diary");
  EXPECT_EQ(first.grant.streams[1].name, "notes");
  EXPECT_EQ(first.grant.streams[1].instance_ids, (std::vector<std::string>{"work", "home"})) << "every active connection";
  EXPECT_EQ(first.grant.streams[1].fields,
            (std::vector<std::string>{"blocks", "body", "id", "secret", "title", "updated_at", "words"}));

  const auto second = must(server().grant(owner(), issued.grant_ids[1]));
  EXPECT_EQ(second.grant.source_id, "https://sources.example/pairs");
  ASSERT_EQ(second.grant.streams.size(), 2U);
  EXPECT_EQ(second.grant.streams[0].name, "notes") << "the name is shared by two sources";
}

// Returns the fixture's declaration, with the body required or not.
std::string versioned(std::string_view version, std::string_view required) {
  std::string text = notes_declaration();
  const auto replace = [&text](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
  replace(R"("declaration_version":"1")", format(R"("declaration_version":"{}")", version));
  replace(R"("required":["id"])", format(R"("required":{})", required));
  return text;
}

TEST_P(GrantsTest, ListAlwaysGrantedFields) {
  using Names = std::vector<std::string>;
  const auto added = must(server().add_source(owner(), versioned("2", R"(["id","body"])"), ""));
  ASSERT_EQ(added.always_granted.size(), 1U);
  EXPECT_EQ(added.always_granted[0].stream, "notes");
  EXPECT_EQ(added.always_granted[0].fields, Names{"body"});
  const auto issued = must(server().create_grants(owner(), request({selection("notes", "work", {"title"})})));
  const auto widened = must(server().grant(owner(), issued.grant_ids[0]));
  EXPECT_TRUE(widened.is_widened());
  ASSERT_EQ(widened.origins.size(), 1U);
  EXPECT_EQ(widened.origins[0].named, Names{"title"});
  EXPECT_EQ(widened.origins[0].added, (Names{"id", "body"}));
  EXPECT_EQ(widened.origins[0].content, Names{"body"});
  EXPECT_EQ(widened.origins[0].still_required, Names{"body"});

  // The newer declaration does not change the grant, and its fields are still known from the older one.
  EXPECT_TRUE(must(server().add_source(owner(), versioned("3", R"(["id"])"), "")).always_granted.empty());
  const auto later = must(server().grants(owner()));
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].origins[0].content, Names{"body"});
  EXPECT_TRUE(later[0].origins[0].still_required.empty());
  EXPECT_EQ(later[0].grant.streams[0].fields, (Names{"title", "id", "body"}));
  const auto reissued = must(server().create_grants(owner(), request({selection("notes", "work", {"title"})})));
  const auto narrow = must(server().grant(owner(), reissued.grant_ids[0]));
  EXPECT_FALSE(narrow.is_widened());
  EXPECT_EQ(narrow.origins[0].added, Names{"id"});
}

TEST_P(GrantsTest, UsesAreRecordedOncePerHour) {
  const auto issued = must(server().create_grants(owner(), request({selection("notes"), selection("pairs")})));
  const auto used = [&] { return must(server().grant(owner(), issued.grant_ids[1])).row.last_used_at; };
  ASSERT_TRUE(server().flush_grant_uses());
  EXPECT_FALSE(used()) << "no request yet";
  const Instant first = clock().now();
  must(server().authenticate(issued.token));
  EXPECT_FALSE(used()) << "asking writes nothing";
  ASSERT_TRUE(server().flush_grant_uses());
  EXPECT_EQ(used(), first);
  clock().move(kDay / 48);
  must(server().authenticate(issued.token));
  ASSERT_TRUE(server().flush_grant_uses());
  EXPECT_EQ(used(), first) << "half an hour later";
  clock().move(kDay / 48);
  must(server().authenticate(issued.token));
  ASSERT_TRUE(server().flush_grant_uses());
  EXPECT_EQ(used(), first + kDay / 24) << "an hour later";
  EXPECT_EQ(must(server().grant(owner(), issued.grant_ids[0])).row.last_used_at, used()) << "every grant of the token";
}

TEST_P(GrantsTest, OwnerTokensCanBeRevoked) {
  const std::string usual = must(server().create_owner_token(owner()));
  const std::string week = must(server().create_owner_token(owner(), {clock().now() + 7 * kDay}));
  const std::string endless = must(server().create_owner_token(owner(), {{}, true}));
  const auto past = server().create_owner_token(owner(), {clock().now()});
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().code, Code::kInvalidRequest);
  const auto listed = must(server().owner_tokens(owner()));
  ASSERT_EQ(listed.size(), 3U);
  EXPECT_EQ(listed[0].expires_at, clock().now() + 365 * kDay);
  EXPECT_EQ(listed[1].expires_at, clock().now() + 7 * kDay);
  EXPECT_FALSE(listed[2].expires_at);
  EXPECT_EQ(server().owner_tokens(must(server().authenticate(issue({selection("notes")}).token))).error().code,
            Code::kPermission);

  const server::Access revoked = must(server().authenticate(usual));
  EXPECT_EQ(must(server().revoke_owner_token(owner(), listed[0].token_id)).status, "revoked");
  EXPECT_EQ(server().authenticate(usual).error().code, Code::kAuthentication);
  EXPECT_EQ(server().grants(revoked).error().code, Code::kAuthentication) << "an existing session has ended";
  EXPECT_EQ(server().revoke_owner_token(owner(), "tok_0").error().code, Code::kNotFound);
  must(server().authenticate(week));
  clock().move(400 * kDay);
  EXPECT_EQ(server().authenticate(week).error().code, Code::kAuthentication);
  must(server().authenticate(endless));
  EXPECT_EQ(must(server().owner_tokens(owner()))[1].status, "expired");
}

TEST_P(GrantsTest, AConnectionMeansAllItsStreams) {
  const auto issued = must(server().create_grants(owner(), request({selection("*", "two")})));
  ASSERT_EQ(issued.grant_ids.size(), 1U);
  const auto made = must(server().grant(owner(), issued.grant_ids[0]));
  ASSERT_EQ(made.grant.streams.size(), 2U);
  EXPECT_EQ(made.grant.streams[0].name, "pairs");
  EXPECT_EQ(made.grant.streams[1].name, "notes");
  for (const auto& stream : made.grant.streams) EXPECT_EQ(stream.instance_ids, std::vector<std::string>{"two"});
  EXPECT_TRUE(made.origins[0].all);
  EXPECT_EQ(refusal(request({selection("*", "none")})).code, Code::kConnectionNotFound);
  EXPECT_EQ(refusal(request({selection("*")})).code, Code::kStreamNotDeclared) << "not everything there is";
  EXPECT_EQ(refusal(request({selection("*", "two", {"a"})})).code, Code::kInvalidRequest);
}

TEST_P(GrantsTest, LimitsConnectionFieldsTimeAndRecords) {
  GrantSelection narrow = selection("notes", "home", {"title"});
  narrow.since = *parse_time("2026-01-01T00:00:00Z");
  narrow.until = *parse_time("2026-02-01");
  narrow.records = {"n1", "n2"};
  const auto issued = must(server().create_grants(owner(), request({narrow})));
  const auto stored = must(server().grant(owner(), issued.grant_ids.at(0)));
  const grant::StreamGrant& stream = stored.grant.streams.at(0);
  EXPECT_EQ(stream.instance_ids, std::vector<std::string>{"home"});
  EXPECT_EQ(stream.fields, (std::vector<std::string>{"title", "id"})) << "required fields are included";
  EXPECT_EQ(stream.time->field, "updated_at");
  EXPECT_EQ(stream.time->since, narrow.since);
  EXPECT_EQ(stream.time->until, narrow.until);
  EXPECT_EQ(stream.resources, narrow.records);
}

TEST_P(GrantsTest, FieldsWithoutAConnectionSelectTheirStreams) {
  const auto issued = must(server().create_grants(owner(), request({selection("notes", "", {"title"})})));
  ASSERT_EQ(issued.grant_ids.size(), 1U) << "the other source's notes have no title";
  EXPECT_EQ(must(server().grant(owner(), issued.grant_ids[0])).grant.source_id, "https://sources.example/notes");
  const Error none = refusal(request({selection("notes", "", {"title", "a"})}));
  EXPECT_EQ(none.code, Code::kUnknownField);
  EXPECT_NE(none.message.find("\"two\" has no \"title\""), std::string::npos) << none.message;
  EXPECT_EQ(refusal(request({selection("notes", "two", {"title"})})).code, Code::kInvalidRequest) << "that one was named";
}

TEST_P(GrantsTest, TheSameStreamOfTwoConnectionsIsOneEntry) {
  const auto issued = must(server().create_grants(
      owner(), request({selection("notes", "home"), selection("notes", "work"), selection("notes", "home")})));
  ASSERT_EQ(issued.grant_ids.size(), 1U);
  const auto stored = must(server().grant(owner(), issued.grant_ids[0]));
  ASSERT_EQ(stored.grant.streams.size(), 1U);
  EXPECT_EQ(stored.grant.streams[0].instance_ids, (std::vector<std::string>{"home", "work"}));
  EXPECT_EQ(refusal(request({selection("notes", "home", {"title"}), selection("notes", "work")})).code, Code::kInvalidRequest);
}

TEST_P(GrantsTest, CompoundKeysHaveAReadableForm) {
  GrantSelection pair = selection("pairs");
  pair.records = {R"(["x",7])", R"([ "y" , "8" ])"};
  const auto issued = must(server().create_grants(owner(), request({pair})));
  EXPECT_EQ(must(server().grant(owner(), issued.grant_ids[0])).grant.streams.at(0).resources,
            (std::vector<std::string>{R"(["x","7"])", R"(["y","8"])"}));
  for (const char* key : {"x", R"(["x"])", R"(["x","y","z"])", R"({"a":1})", R"([["x"],"y"])"}) {
    pair.records = {key};
    EXPECT_EQ(refusal(request({pair})).code, Code::kInvalidRequest) << key;
  }
}

TEST_P(GrantsTest, SingleUseEndsWithinADay) {
  GrantRequest once = request({selection("notes")});
  once.single_use = true;
  const auto issued = must(server().create_grants(owner(), once));
  const auto stored = must(server().grant(owner(), issued.grant_ids[0]));
  EXPECT_TRUE(stored.grant.single_use);
  EXPECT_TRUE(stored.row.single_use);
  EXPECT_EQ(stored.row.expires_at, clock().now() + kDay);
  clock().move(kDay - kSecond);
  EXPECT_TRUE(server().authenticate(issued.token));
  clock().move(kSecond);
  EXPECT_EQ(server().authenticate(issued.token).error().code, Code::kGrantExpired);
  EXPECT_EQ(must(server().grant(owner(), issued.grant_ids[0])).status, "expired");

  once.expires_at = clock().now() + 60 * kSecond;
  const auto soon = must(server().create_grants(owner(), once));
  EXPECT_EQ(must(server().grant(owner(), soon.grant_ids[0])).row.expires_at, clock().now() + 60 * kSecond);
}

TEST_P(GrantsTest, RefusalsNameWhatExists) {
  GrantRequest nameless = request({selection("notes")});
  nameless.client_id = " ";
  EXPECT_EQ(refusal(nameless).param, "client");
  nameless.client_id = "two\nlines";
  EXPECT_EQ(refusal(nameless).param, "client");
  EXPECT_EQ(refusal(request({})).code, Code::kInvalidRequest);

  const Error connection = refusal(request({selection("notes", "nope")}));
  EXPECT_EQ(connection.code, Code::kConnectionNotFound);
  EXPECT_NE(connection.message.find("\"home\""), std::string::npos);
  const Error stream = refusal(request({selection("nope", "home")}));
  EXPECT_EQ(stream.code, Code::kStreamNotDeclared);
  EXPECT_NE(stream.message.find("\"diary\""), std::string::npos);
  const Error anywhere = refusal(request({selection("nope")}));
  EXPECT_EQ(anywhere.code, Code::kStreamNotDeclared);
  EXPECT_NE(anywhere.message.find("\"pairs\""), std::string::npos);
  const Error field = refusal(request({selection("notes", "home", {"nope"})}));
  EXPECT_EQ(field.code, Code::kUnknownField);

  GrantRequest past = request({selection("notes")});
  past.expires_at = clock().now();
  EXPECT_EQ(refusal(past).code, Code::kInvalidRequest);
  GrantRequest purposeless = request({selection("notes")});
  purposeless.purpose_code = "fun";
  EXPECT_EQ(refusal(purposeless).code, Code::kInvalidRequest);
  GrantSelection timeless = selection("pairs");
  timeless.since = 0;
  EXPECT_EQ(refusal(request({timeless})).code, Code::kInvalidRequest);
  EXPECT_TRUE(must(server().grants(owner())).empty()) << "a refused request leaves nothing behind";
}

TEST_P(GrantsTest, AStreamWithoutAConnectionSaysHowToAddOne) {
  must(server().add_source(owner(), notes_declaration("https://sources.example/idle"), "idle"));
  const auto issued = must(server().create_grants(owner(), request({selection("notes", "home")})));
  EXPECT_EQ(issued.grant_ids.size(), 1U);
  std::string lonely(kPairs);
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"/pairs\"", "/lonely\""}, {"\"name\":\"pairs\"", "\"name\":\"alone\""}}) {
    lonely.replace(lonely.find(from), from.size(), to);
  }
  must(server().add_source(owner(), lonely, ""));
  const Error error = refusal(request({selection("alone")}));
  EXPECT_EQ(error.code, Code::kConnectionNotFound);
  EXPECT_NE(error.message.find("ladder connection add lonely"), std::string::npos) << error.message;
}

TEST_P(GrantsTest, ListsAndRevokesOnce) {
  const auto issued = must(server().create_grants(owner(), request({selection("pairs")})));
  const auto other = must(server().create_grants(owner(), request({selection("diary")})));
  auto all = must(server().grants(owner()));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(std::ranges::count(all, "active", &server::GrantSummary::status), 2);

  clock().move(kSecond);
  const auto revoked = must(server().revoke_grant(owner(), issued.grant_ids[0]));
  EXPECT_EQ(revoked.status, "revoked");
  EXPECT_EQ(revoked.row.revoked_at, clock().now());
  clock().move(kSecond);
  EXPECT_EQ(must(server().revoke_grant(owner(), issued.grant_ids[0])).row.revoked_at, clock().now() - kSecond);
  EXPECT_EQ(must(server().grant(owner(), issued.grant_ids[0])).status, "revoked");
  EXPECT_EQ(must(server().grant(owner(), other.grant_ids[0])).status, "active");
  EXPECT_EQ(server().revoke_grant(owner(), "grt_0000000000000000").error().code, Code::kNotFound);
  EXPECT_EQ(server().grant(owner(), "grt_0000000000000000").error().code, Code::kNotFound);
}

TEST_P(GrantsTest, AnotherOwnersGrantsAreHidden) {
  ASSERT_TRUE(store().add_owner("guest", clock().now()));
  const auto issued = must(server().create_grants(owner(), request({selection("diary")})));
  EXPECT_TRUE(must(server().grants(owner("guest"))).empty());
  EXPECT_EQ(server().grant(owner("guest"), issued.grant_ids[0]).error().code, Code::kNotFound);
  EXPECT_EQ(server().revoke_grant(owner("guest"), issued.grant_ids[0]).error().code, Code::kNotFound);
  EXPECT_EQ(server().create_grants(owner("guest"), request({selection("notes", "work")})).error().code,
            Code::kConnectionNotFound);
  EXPECT_TRUE(server().authenticate(issued.token));
}

LADDER_FOR_EVERY_ENGINE(GrantsTest);

}  // namespace
}  // namespace ladder::test_support
