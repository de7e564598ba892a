// REST over real sockets, on both engines: windows, pages, refusals, the owner's changes and public requests.
#include "rest_fixture.h"

#include <set>

namespace ladder::wire {
namespace {

TEST_P(Rest, ServesWindowsRecordsAndPages) {
  std::string body;
  while (body.size() < 10'000) body += "Zeile \"eins\" 🙂\n";
  put("n/1", text_member("body", body) + R"(,"updated_at":"2026-01-01T00:00:00Z","words":12345678901234567890)");
  for (int i = 0; i < 30; ++i) put(format("k{:02}", i), format("\"updated_at\":\"2026-02-{:02}T00:00:00Z\"", i % 28 + 1));
  const std::string token = token_for({"work", "notes", {"id", "body", "updated_at", "words"}, {}, {}, {}});

  const Answer window = get("/v1/streams/notes/records/n%2F1/field-window?field=body&limit_chars=20000", token);
  EXPECT_EQ(window.status, 200);
  const auto& fields = window.body.at("window").as_object();
  EXPECT_EQ(fields.at("limit_chars").as_int64(), 16'384);
  EXPECT_EQ(fields.at("text").as_string(), body);
  EXPECT_EQ(window.body.at("meta").at("warnings").at(0).at("code").as_string(), "limit_clamped");
  EXPECT_EQ(window.body.at("url").as_string(), "/v1/streams/notes/records/n%2F1/field-window");

  const Answer record = get("/v1/streams/notes/records/n%2F1?max_field_chars=10", token);
  EXPECT_EQ(record.status, 200);
  EXPECT_EQ(record.body.at("id").as_string(), "n/1");
  EXPECT_EQ(record.body.at("data").at("body").as_string().size(), 10U);
  const std::string next(record.body.at("truncated_fields").at(0).at("field_window_read").at("url").as_string());
  EXPECT_EQ(get(next, token).body.at("window").at("start_chars").as_int64(), 10);

  std::set<std::string> seen;
  std::string target = "/v1/streams/notes/records?limit=7&count=exact&order=asc";
  for (int pages = 0; pages < 10 && !target.empty(); ++pages) {
    const Answer page = get(target, token);
    ASSERT_EQ(page.status, 200) << boost::json::serialize(page.body);
    EXPECT_EQ(page.body.at("meta").at("count").at("value").as_int64(), 31);
    for (const auto& one : page.body.at("data").as_array())
      EXPECT_TRUE(seen.insert(std::string(one.at("id").as_string())).second);
    target = page.body.at("links").at("next").is_null() ? "" : std::string(page.body.at("links").at("next").as_string());
  }
  EXPECT_EQ(seen.size(), 31U);
}

TEST_P(Rest, RefusalsAlwaysUseTheEnvelope) {
  put("n1", text_member("secret", "XYZZY"));
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  const std::string record = "/v1/streams/notes/records/n1";
  expect_error(get(record, ""), 401, "authentication_error");
  EXPECT_NE(get(record, "").headers.get("WWW-Authenticate")->find("resource_metadata="), std::string_view::npos);
  expect_error(get(record, "ldr_c_wrong"), 401, "authentication_error");
  expect_error(get(record + "/field-window?field=secret", token), 403, "field_not_granted");
  expect_error(get(record + "/field-window", token), 400, "invalid_field_path", "field");
  expect_error(get(record + "/field-window?field=a/b", token), 400, "invalid_field_path", "field");
  expect_error(get(record + "/field-window?field=body&q=", token), 400, "invalid_window");
  expect_error(get(record + "/field-window?field=body&q=x&offset_chars=1", token), 400, "invalid_window");
  expect_error(get("/v1/streams/diary/records", token), 403, "grant_stream_not_allowed");
  expect_error(get("/v1/streams/nosuch/records", token), 403, "grant_stream_not_allowed");
  expect_error(get("/v1/streams/nosuch", token), 403, "grant_stream_not_allowed");
  expect_error(get("/v1/streams/notes/records/none", token), 404, "not_found");
  expect_error(get("/v1/streams/notes/records?nonsense=1", token), 400, "invalid_request");
  expect_error(get("/v1/streams/notes/records?order=sideways", token), 400, "invalid_request");
  expect_error(get("/v1/streams/notes/records?sort=body", token), 400, "invalid_sort");
  expect_error(get("/v1/streams/notes/records?fields=nosuch", token), 400, "unknown_field");
  expect_error(get("/v1/streams/notes/records?connection_id=work&connector_instance_id=home", token), 400, "invalid_argument");
  EXPECT_EQ(get("/nowhere", token).status, 404);
  EXPECT_TRUE(get("/nowhere", token).body.contains("error"));
  EXPECT_EQ(send("PUT", record, token).status, 405);
}

// Follows the Fetch standard: a browser sends a preflight without the token, and then lets the page read what was
// allowed.
TEST_P(Rest, PagesOfAnAllowedOriginMayCall) {
  put("n1", text_member("body", "hello"));
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  const std::string record = "/v1/streams/notes/records/n1";
  const auto from = [](const char* origin) { return headers({{"Origin", origin}}); };
  const auto ask = [&](const char* origin, const std::string& target) {
    http::Headers with = from(origin);
    with.set("Access-Control-Request-Method", "GET");
    with.set("Access-Control-Request-Headers", "authorization");
    return send("OPTIONS", target, "", {}, std::move(with));
  };
  for (const std::string& target : {record, std::string("/mcp"), std::string("/v1/nowhere")}) {
    const Answer preflight = ask("https://app.example", target);
    EXPECT_EQ(preflight.status, 204) << preflight.text;
    EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://app.example");
    for (const char* const name : {"Authorization", "Content-Type", "Range", "If-Range", "If-None-Match", "PDPP-Version"}) {
      EXPECT_NE(preflight.header("Access-Control-Allow-Headers").find(name), std::string::npos) << name;
    }
    EXPECT_NE(preflight.header("Access-Control-Allow-Methods").find("POST"), std::string::npos);
    EXPECT_EQ(preflight.header("Access-Control-Allow-Credentials"), "");
    EXPECT_EQ(preflight.header("Vary"), "Origin");
  }
  const Answer read = get(record, token, from("https://app.example"));
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.header("Access-Control-Allow-Origin"), "https://app.example");
  EXPECT_NE(read.header("Access-Control-Expose-Headers").find("Request-Id"), std::string::npos);
  EXPECT_EQ(get(record, "", from("https://app.example")).header("Access-Control-Allow-Origin"), "https://app.example")
      << "the page reads why it is refused, too";

  for (const char* const other : {"https://evil.example", "https://app.example.evil.example", "http://app.example", "null"}) {
    EXPECT_EQ(ask(other, record).status, 403) << other;
    EXPECT_EQ(ask(other, record).header("Access-Control-Allow-Origin"), "") << other;
    EXPECT_EQ(get(record, token, from(other)).status, 403) << other;
    EXPECT_EQ(get(record, token, from(other)).header("Access-Control-Allow-Origin"), "") << other;
  }
  const Answer nearby = get(record, token, from("http://localhost:3000"));
  EXPECT_EQ(nearby.status, 200);
  EXPECT_EQ(nearby.header("Access-Control-Allow-Origin"), "") << "it was not allowed by name";
  EXPECT_EQ(get(record, token).header("Access-Control-Allow-Origin"), "");
}

TEST_P(Rest, TheOwnerIngestsErasesAndRevokes) {
  const Answer stored = send("POST", "/v1/ingest/notes?connection_id=work", owner_token(),
                             test_support::record_line("r1", text_member("body", "hello")) + "broken\n");
  EXPECT_EQ(stored.status, 200);
  EXPECT_EQ(stored.body.at("records_accepted").as_int64(), 1);
  EXPECT_EQ(stored.body.at("rejections").at(0).at("code").as_string(), "malformed_ndjson");
  const server::IssuedGrants issued = issue({{"work", "notes", {}, {}, {}, {}}});
  EXPECT_EQ(get("/v1/streams/notes/records/r1", issued.token).status, 200);
  expect_error(send("POST", "/v1/ingest/notes?connection_id=work", issued.token, "{}\n"), 403, "permission_error");
  expect_error(send("DELETE", "/v1/streams/notes/records/r1?connection_id=work", issued.token), 403, "permission_error");
  EXPECT_EQ(send("DELETE", "/v1/streams/notes/records/r1?connection_id=work", owner_token()).status, 204);
  expect_error(get("/v1/streams/notes/records/r1", issued.token), 404, "not_found");
  EXPECT_EQ(send("POST", "/grants/" + issued.grant_ids.at(0) + "/revoke", owner_token()).status, 200);
  expect_error(get("/v1/streams/notes/records", issued.token), 403, "grant_revoked");
}

TEST_P(Rest, DescribesItself) {
  put("n1", text_member("body", "x"));
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(get("/healthz", "").status, 200);
  EXPECT_EQ(get("/readyz", "").status, 200);
  EXPECT_EQ(get("/.well-known/oauth-protected-resource", "").body.at("pdpp_core_query_base").as_string().ends_with("/v1"), true);
  const Answer schema = get("/v1/schema", token);
  const auto& stream = schema.body.at("connectors").at(0).at("streams").at(0).as_object();
  EXPECT_EQ(stream.at("name").as_string(), "notes");
  EXPECT_TRUE(stream.at("field_capabilities").at("body").at("granted").as_bool());
  EXPECT_FALSE(stream.at("field_capabilities").at("secret").at("granted").as_bool());
  EXPECT_EQ(get("/v1/streams", token).body.at("data").as_array().size(), 1U);
  EXPECT_EQ(get("/v1/streams", owner_token()).body.at("data").as_array().size(), 2U);
  EXPECT_EQ(get("/v1/streams/notes", token).body.at("object").as_string(), "stream_metadata");
  const auto paths = get("/openapi.json", "").body.at("paths").as_object();
  EXPECT_TRUE(paths.contains("/v1/streams/{stream}/records/{id}/field-window"));
  EXPECT_TRUE(paths.at("/v1/streams/{stream}/records/{id}").as_object().contains("delete"));
}

LADDER_FOR_EVERY_ENGINE(Rest);

}  // namespace
}  // namespace ladder::wire
