// POST /mcp of the real program: what HTTP adds to the protocol. tests/mcp tests the protocol itself.
#include "rest_fixture.h"

#include <thread>

namespace ladder::wire {
namespace {

constexpr std::string_view kList = R"({"jsonrpc":"2.0","id":0,"method":"tools/list"})";

class McpOverHttp : public Rest {
 protected:
  McpOverHttp() { put("n1", text_member("body", "the third clock") + "," + text_member("secret", "hidden")); }

  std::string client_token() { return token_for({"work", "notes", {"id", "body"}, {}, {}, {}}); }
  static http::Headers json_headers() {
    return headers({{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}});
  }
  Answer post(std::string_view body, const std::string& token, http::Headers with = json_headers()) {
    return send("POST", "/mcp", token, std::string(body), std::move(with));
  }
  Answer modern(std::string_view method, std::string_view params, const std::string& token, const std::string& name = {}) {
    http::Headers with = json_headers();
    with.set("MCP-Protocol-Version", "2026-07-28");
    with.set("Mcp-Method", std::string(method));
    if (!name.empty()) with.set("Mcp-Name", name);
    return post(
        format(
            R"({{"jsonrpc":"2.0","id":"m","method":"{}","params":{{{}{}"_meta":{{)"
            R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
            method, params, params.empty() ? "" : ","),
        token, std::move(with));
  }
};

TEST_P(McpOverHttp, WithoutATokenEveryRequestNamesTheAuthorizationServer) {
  for (const char* method : {"POST", "GET", "DELETE"}) {
    for (const std::string& token : {std::string(), std::string("nonsense")}) {
      http::Headers with = json_headers();
      with.set("MCP-Protocol-Version", "2024-11-05");
      const Answer answer = send(method, "/mcp", token, std::string(method) == "POST" ? "{" : "", with);
      expect_error(answer, 401, "authentication_error");
      const std::string metadata = answer.string("/error/resource_metadata");
      EXPECT_TRUE(metadata.ends_with("/.well-known/oauth-protected-resource/mcp")) << metadata;
      EXPECT_EQ(answer.header("WWW-Authenticate"), "Bearer resource_metadata=\"" + metadata + "\", scope=\"ladder:read\"" +
                                                       (token.empty() ? "" : ", error=\"invalid_token\""));
    }
  }
}

TEST_P(McpOverHttp, TheMetadataNamesTheEndpoint) {
  const Answer answer = get("/.well-known/oauth-protected-resource/mcp", "", headers({{"MCP-Protocol-Version", "2024-11-05"}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.string("/resource").ends_with("/mcp"));
  EXPECT_EQ(answer.string("/pdpp_agent_discovery/mcp/endpoint"), answer.string("/resource"));
  EXPECT_EQ(boost::json::serialize(answer.at("/pdpp_token_kinds_supported")), R"(["client"])");
}

TEST_P(McpOverHttp, OwnersAndRevokedGrantsAreRefused) {
  expect_error(post(kList, owner_token()), 403, "permission_error");
  expect_error(send("GET", "/mcp", owner_token()), 403, "permission_error");
  const server::IssuedGrants issued = issue({{"work", "notes", {"id", "body"}, {}, {}, {}}});
  EXPECT_EQ(post(kList, issued.token).status, 200);
  must(server().grants().revoke(owner(), issued.grant_ids.front()));
  for (int tries = 0; tries < 600 && post(kList, issued.token).status == 200; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // calls that list no data may succeed for a second
  }
  expect_error(post(kList, issued.token), 403, "grant_revoked");
}

TEST_P(McpOverHttp, OtherMethodsAre405WithAToken) {
  const std::string token = client_token();
  for (const char* method : {"GET", "DELETE", "PUT"}) {
    const Answer answer = send(method, "/mcp", token, "", headers({{"Accept", "text/event-stream"}}));
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.header("Allow"), "POST");
  }
}

TEST_P(McpOverHttp, ChecksContentTypes) {
  const std::string token = client_token();
  for (const char* type : {"application/json", "application/json; charset=utf-8", "Application/JSON"}) {
    EXPECT_EQ(post(kList, token, headers({{"Content-Type", type}})).status, 200) << type;
  }
  for (const char* type : {"text/plain", "application/jsonp", ""}) {
    const Answer answer = post(kList, token, headers({{"Content-Type", type}}));
    EXPECT_EQ(answer.status, 415) << type;
    EXPECT_EQ(answer.number("/error/code"), -32600);
  }
  const auto accepting = [&](const char* accept) {
    return post(kList, token, headers({{"Content-Type", "application/json"}, {"Accept", accept}})).status;
  };
  for (const char* accept : {"*/*", "application/json", "text/event-stream, application/json;q=0.9", "application/*"}) {
    EXPECT_EQ(accepting(accept), 200) << accept;
  }
  for (const char* accept : {"text/event-stream", "text/html"}) EXPECT_EQ(accepting(accept), 406) << accept;
}

TEST_P(McpOverHttp, ServesBothErasOnOneEndpoint) {
  const std::string token = client_token();
  const Answer hello = post(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})", token);
  EXPECT_EQ(hello.status, 200);
  EXPECT_TRUE(hello.header("Content-Type").starts_with("application/json"));
  EXPECT_EQ(hello.string("/result/protocolVersion"), "2025-06-18");
  EXPECT_EQ(hello.string("/result/serverInfo/name"), "ladder");
  EXPECT_EQ(hello.header("Mcp-Session-Id"), "");
  const Answer ready = post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", token);
  EXPECT_EQ(ready.status, 202);
  EXPECT_EQ(ready.text, "");
  const Answer old = post(kList, token);
  EXPECT_EQ(old.at("/result/tools").as_array().size(), 6U);
  EXPECT_EQ(old.number("/id"), 0);
  const Answer fresh = modern("tools/list", "", token);
  EXPECT_EQ(fresh.status, 200);
  EXPECT_EQ(fresh.at("/result/tools"), old.at("/result/tools"));
  EXPECT_EQ(fresh.string("/result/resultType"), "complete");
  EXPECT_EQ(modern("nothing/here", "", token).status, 404);
  EXPECT_EQ(modern("initialize", "", token).status, 404);
  const Answer mismatched = modern("tools/call", R"("name":"schema")", token, "search");
  EXPECT_EQ(mismatched.status, 400);
  EXPECT_EQ(mismatched.number("/error/code"), -32020);
  EXPECT_EQ(post(kList, token, headers({{"Content-Type", "application/json"}, {"MCP-Protocol-Version", "nonsense"}})).status,
            400);
  EXPECT_EQ(post("{", token).number("/error/code"), -32700);
  EXPECT_EQ(post(kList, token, json_headers()).header("Request-Id").empty(), false);
}

TEST_P(McpOverHttp, AToolReadsUnderTheGrant) {
  const std::string token = client_token();
  const std::string call =
      R"("name":"read_record_field","arguments":{"connection_id":"work","stream":"notes","record_id":"n1","field_path":"body"})";
  const Answer read = modern("tools/call", call, token, "read_record_field");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.string("/result/structuredContent/window/text"), "the third clock") << read.text;
  EXPECT_FALSE(read.has("/result/isError"));
  EXPECT_LT(read.text.find("\"content\""), read.text.find("\"structuredContent\""));
  std::string secret = call;
  secret.replace(secret.find("body"), 4, "secret");
  const Answer refused = modern("tools/call", secret, token, "read_record_field");
  EXPECT_EQ(refused.status, 200);
  EXPECT_TRUE(refused.at("/result/isError").as_bool());
  EXPECT_FALSE(refused.has("/result/structuredContent"));
  EXPECT_EQ(refused.text.find("hidden"), std::string::npos);
  const Answer unknown = modern("tools/call", R"("name":"nothing")", token, "nothing");
  EXPECT_EQ(unknown.number("/error/code"), -32602);
  const Answer missing = modern("resources/read", R"("uri":"pdpp://record/bm90aGluZw")", token, "pdpp://record/bm90aGluZw");
  EXPECT_EQ(missing.number("/error/code"), -32602) << missing.text;
}

TEST_P(McpOverHttp, ATooLargeMessageIsNotRead) {
  const std::string token = client_token();
  const std::string large(4 * 1024 * 1024 + 1, ' ');
  EXPECT_EQ(post(large, token).status, 413);
  const std::string fits = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":")" + std::string(4'000'000, 'x') + "\"}}";
  EXPECT_EQ(post(fits, token).status, 200);
}

TEST_P(McpOverHttp, UnknownPathsAreRefusedWithABodyToo) {
  const std::string token = client_token();
  EXPECT_EQ(send("POST", "/mcp/x", token, std::string(kList), json_headers()).status, 404);
  EXPECT_EQ(send("POST", "/enrol", "", "{}", json_headers()).status, 404);
  const Answer put = send("PUT", "/mcp", token, std::string(kList), json_headers());
  EXPECT_EQ(put.status, 405);
  EXPECT_EQ(put.header("Allow"), "POST");
  EXPECT_EQ(send("PUT", "/mcp", "", std::string(kList), json_headers()).status, 401);
  expect_error(send("GET", "/v1/schema", token, "{}", json_headers()), 413, "resource_limit");
}

TEST_P(McpOverHttp, ForeignPagesMayNotCall) {
  http::Headers with = json_headers();
  with.set("Origin", "https://evil.example");
  EXPECT_EQ(post(kList, client_token(), with).status, 403);
}

LADDER_FOR_EVERY_ENGINE(McpOverHttp);

}  // namespace
}  // namespace ladder::wire
