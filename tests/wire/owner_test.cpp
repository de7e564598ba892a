// Only the owner's token may wipe a stream, write by a source's key, and introspect a token (PDPP "tokens", "reads" and
// "ingest").
#include "rest_fixture.h"

namespace ladder::wire {
namespace {

class OwnerRoutes : public Rest {
 protected:
  Answer introspect(const std::string& token, const std::string& by) {
    return send("POST", "/introspect", by, "token=" + token + "&token_type_hint=access_token",
                headers({{"Content-Type", "application/x-www-form-urlencoded"}}));
  }
};

TEST_P(OwnerRoutes, AStreamOfOneConnectionIsWiped) {
  must(server().add_connection(owner(), "notes", "", "home"));
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += test_support::record_line(format("n{}", i), text_member("body", "x"));
  ASSERT_EQ(ingest(lines).accepted, 300);
  ASSERT_EQ(ingest(lines, "home").accepted, 300);
  ASSERT_EQ(ingest(test_support::record_line("d1", text_member("body", "x")), "work", "diary").accepted, 1);
  const std::string client = token_for({"", "notes", {}, {}, {}, {}});
  const std::string all = "/v1/streams/notes/records";
  std::string since;
  for (std::string target = all + "?changes_since=beginning&limit=100&connection_id=work"; since.empty();) {
    const Answer page = get(target, client);
    ASSERT_EQ(page.status, 200) << page.text;
    if (page.has("/next_changes_since")) since = page.string("/next_changes_since");
    else target = page.string("/links/next");
  }
  expect_error(send("DELETE", all + "?connection_id=work", client), 403, "permission_error");
  expect_error(send("DELETE", all, client), 403, "permission_error");
  expect_error(send("DELETE", all, owner_token()), 400, "invalid_request", "connection_id");
  expect_error(send("DELETE", all + "?connection_id=none", owner_token()), 404, "connection_not_found");
  expect_error(send("DELETE", "/v1/streams/none/records?connection_id=work", owner_token()), 404, "stream_not_declared");
  expect_error(send("DELETE", all + "?connector_id=notes", owner_token()), 409, "ambiguous_connection");

  const Answer wiped = send("DELETE", all + "?connection_id=work", owner_token());
  EXPECT_EQ(wiped.status, 204);
  EXPECT_EQ(wiped.text, "");
  EXPECT_EQ(get(all + "?connection_id=work&count=exact", client).number("/meta/count/value"), 0);
  EXPECT_EQ(get(all + "?connection_id=home&count=exact", client).number("/meta/count/value"), 300);
  EXPECT_EQ(get("/v1/streams/diary/records", owner_token()).ids().size(), 1U);
  EXPECT_EQ(get(all + "?limit=100&connection_id=work&changes_since=" + since, client).ids().size(), 100U)
      << "tombstones are reported";
  EXPECT_EQ(send("DELETE", all + "?connection_id=work", owner_token()).status, 204) << "again is fine";
  EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>());
}

// A reader that began before an erasure prevents the truncation of SQLite's log, and the erased bytes stay in it.
TEST_P(OwnerRoutes, AnErasureIsConfirmedAfterTheBytesAreGone) {
  must(server().add_connection(owner(), "notes", "", "desk"));
  const std::string body = test_support::record_line("r1", text_member("body", "hello"));
  ASSERT_EQ(send("POST", "/v1/ingest/notes?connection_id=desk", owner_token(), body).number("/records_accepted"), 1);
  const std::string record = "/v1/streams/notes/records/r1?connection_id=desk";
  {
    const auto reader = must(store().read());
    (void)must(reader->counters(1));
    const Answer erased = send("DELETE", record, owner_token());
    if (store().engine() == "sqlite") {
      EXPECT_EQ(erased.status, 202) << erased.text;
      EXPECT_EQ(erased.string("/status"), "/v1/erasures");
      EXPECT_EQ(get("/v1/erasures", owner_token()).text, R"({"cleared":false})");
    }
    EXPECT_EQ(get(record, owner_token()).status, 404) << "no read finds it meanwhile";
  }
  EXPECT_EQ(get("/v1/erasures", owner_token()).text, R"({"cleared":true})");
  EXPECT_EQ(send("DELETE", record, owner_token()).status, 204);
  server::GrantRequest request;
  request.client_id = "reader";
  request.streams = {{"", "notes", {}, {}, {}, {}}};
  expect_error(get("/v1/erasures", must(server().create_grants(owner(), request)).token), 403, "permission_error");
}

TEST_P(OwnerRoutes, ASourcesKeyNamesItsOnlyConnection) {
  const std::string body = test_support::record_line("r1", text_member("body", "hello"));
  EXPECT_EQ(send("POST", "/v1/ingest/notes?connector_id=notes", owner_token(), body).number("/records_accepted"), 1);
  EXPECT_EQ(send("DELETE", "/v1/streams/notes/records/r1?connector_id=notes", owner_token()).status, 204);
  expect_error(send("POST", "/v1/ingest/notes?connector_id=none", owner_token(), body), 404, "connection_not_found",
               "connector_id");
  expect_error(send("POST", "/v1/ingest/notes", owner_token(), body), 400, "invalid_request", "connection_id");
  must(server().add_connection(owner(), "notes", "", "home"));
  const Answer ambiguous = send("POST", "/v1/ingest/notes?connector_id=notes", owner_token(), body);
  expect_error(ambiguous, 409, "ambiguous_connection");
  EXPECT_EQ(ambiguous.at("/error/available_connections").as_array().size(), 2U);
  expect_error(send("POST", "/v1/ingest/none?connection_id=work", owner_token(), body), 404, "stream_not_declared");
}

TEST_P(OwnerRoutes, TheOwnerCanIntrospectTokens) {
  const server::IssuedGrants issued = issue({{"work", "notes", {"id", "body"}, parse_time("2026-01-01"), {}, {}}});
  const Answer active = introspect(issued.token, owner_token());
  EXPECT_EQ(active.status, 200);
  EXPECT_EQ(active.header("Cache-Control"), "no-store");
  EXPECT_EQ(active.header("Pragma"), "no-cache");
  EXPECT_TRUE(active.at("/active").as_bool());
  EXPECT_EQ(active.string("/pdpp_token_kind"), "client");
  EXPECT_EQ(active.string("/subject_id"), "local");
  EXPECT_EQ(active.string("/client_id"), "agent");
  EXPECT_EQ(active.string("/grant_id"), issued.grant_ids.front());
  EXPECT_FALSE(active.has("/exp")) << "it does not end by itself";
  EXPECT_TRUE(active.string("/aud").starts_with("http://127.0.0.1:"));
  ASSERT_EQ(active.at("/authorization_details").as_array().size(), 1U);
  EXPECT_EQ(active.string("/authorization_details/0/type"), "https://pdpp.dev/data-access");
  EXPECT_EQ(active.string("/authorization_details/0/access_mode"), "continuous");
  EXPECT_EQ(active.string("/authorization_details/0/streams/0/name"), "notes");
  EXPECT_TRUE(active.has("/authorization_details/0/streams/0/time_constraint/since"));
  EXPECT_EQ(active.string("/pdpp/context_kind"), "oauth_rar_0_1");
  EXPECT_EQ(active.string("/pdpp/source/id"), "https://sources.example/notes");
  EXPECT_EQ(active.string("/pdpp/source_declaration/version"), "1");
  EXPECT_FALSE(active.has("/grant")) << "rights appear once";

  const Answer own = introspect(owner_token(), owner_token());
  EXPECT_EQ(own.string("/pdpp_token_kind"), "owner");
  EXPECT_GT(own.number("/exp"), 1'700'000'000);
  EXPECT_FALSE(own.has("/authorization_details"));

  add_library();
  const server::IssuedGrants both = issue({{"work", "notes", {}, {}, {}, {}}, {"shelf", "books", {}, {}, {}, {}}});
  const Answer two = introspect(both.token, owner_token());
  EXPECT_EQ(two.at("/authorization_details").as_array().size(), 2U) << "one per grant";
  EXPECT_EQ(two.at("/grant_ids").as_array().size(), 2U);

  must(server().revoke_grant(owner(), issued.grant_ids.front()));
  const Answer revoked = introspect(issued.token, owner_token());
  EXPECT_EQ(revoked.status, 200);
  EXPECT_FALSE(revoked.at("/active").as_bool());
  EXPECT_EQ(revoked.string("/inactive_reason"), "grant_revoked");
  EXPECT_FALSE(revoked.has("/authorization_details"));
}

TEST_P(OwnerRoutes, GrantsListAlwaysGrantedFields) {
  const server::IssuedGrants issued = issue({{"work", "notes", {"title"}, {}, {}, {}}});
  const Answer all = get("/grants", owner_token());
  EXPECT_EQ(all.status, 200) << all.text;
  ASSERT_EQ(all.at("/grants").as_array().size(), 1U);
  const Answer one = get("/grants/" + issued.grant_ids.front(), owner_token());
  EXPECT_EQ(one.string("/grant_id"), issued.grant_ids.front());
  EXPECT_EQ(one.string("/status"), "active");
  EXPECT_EQ(one.string("/client_id"), "agent");
  EXPECT_EQ(one.string("/streams/0/stream"), "notes");
  EXPECT_EQ(one.at("/streams/0/fields"), boost::json::parse(R"(["title","id"])"));
  EXPECT_EQ(one.at("/streams/0/named"), boost::json::parse(R"(["title"])"));
  EXPECT_EQ(one.at("/streams/0/added"), boost::json::parse(R"(["id"])"));
  EXPECT_EQ(one.at("/grant/streams/0/fields"), one.at("/streams/0/fields"));
  EXPECT_EQ(all.at("/grants/0"), boost::json::parse(one.text));
  const Answer token = introspect(issued.token, owner_token());
  EXPECT_EQ(token.at("/added_fields"),
            boost::json::parse(format(R"([{{"grant_id":"{}","stream":"notes","fields":["id"]}}])", issued.grant_ids.front())));
  for (const std::string& target : {std::string("/grants"), "/grants/" + issued.grant_ids.front()}) {
    expect_error(get(target, issued.token), 403, "permission_error");
    expect_error(get(target, ""), 401, "authentication_error");
  }
  expect_error(get("/grants/grt_0", owner_token()), 404, "not_found");
}

TEST_P(OwnerRoutes, OnlyTheOwnerCanIntrospectTokens) {
  const std::string client = token_for({"work", "notes", {}, {}, {}, {}});
  expect_error(introspect(client, client), 403, "permission_error");
  expect_error(introspect(client, ""), 401, "authentication_error");
  const Answer unknown = introspect("ldr_c_nonsense", owner_token());
  EXPECT_EQ(unknown.text, R"({"active":false})");
  EXPECT_TRUE(store().add_owner("eve", clock().now()));
  const std::string others = must(server().create_owner_token(owner("eve")));
  EXPECT_EQ(introspect(others, owner_token()).text, R"({"active":false})") << "another owner's";
  expect_error(send("POST", "/introspect", owner_token(), "token=x"), 400, "invalid_request", "Content-Type");
  expect_error(send("POST", "/introspect", owner_token(), "", headers({{"Content-Type", "application/x-www-form-urlencoded"}})),
               400, "invalid_request", "token");
  expect_error(send("POST", "/introspect", owner_token(), std::string(5000, 'x')), 413, "resource_limit");
}

LADDER_FOR_EVERY_ENGINE(OwnerRoutes);

}  // namespace
}  // namespace ladder::wire
