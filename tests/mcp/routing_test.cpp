// Every row of the routing table, and the order of the checks (docs/reference/mcp.md).
#include "base/text/base64.h"
#include "base/text/format.h"
#include "protocol_fixture.h"

namespace ladder::mcp_tests {
namespace {

using mcp::Era;

class Routing : public Protocol {};

constexpr std::string_view kOldClaim =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}})";
constexpr std::string_view kFutureClaim =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}})";

TEST_F(Routing, AClaimMakesARequestModern) {
  const HeardReply heard = modern_http("tools/list");
  EXPECT_EQ(heard.status(), 200);
  EXPECT_EQ(heard.string("/result/resultType"), "complete");
  EXPECT_EQ(heard.string("/result/_meta/io.modelcontextprotocol~1serverInfo/name"), "shelf");
}

TEST_F(Routing, AMalformedClaimIsModernAndNeverFallsBack) {
  for (const std::string_view version : {"7", "null", "[]", "{}", "true"}) {
    const HeardReply heard =
        http(message("1", "tools/list", format(R"("_meta":{{"io.modelcontextprotocol/protocolVersion":{}}})", version)));
    EXPECT_EQ(heard.error(), -32602) << version;
    EXPECT_EQ(heard.status(), 400);
    EXPECT_NE(heard.string("/error/message").find("io.modelcontextprotocol/protocolVersion"), std::string::npos);
  }
}

TEST_F(Routing, InitializeWithAModernClaimIsNotAMethod) {
  const HeardReply heard = modern_http("initialize", R"("protocolVersion":"2025-11-25")");
  EXPECT_EQ(heard.error(), -32601);
  EXPECT_EQ(heard.status(), 404);
  EXPECT_EQ(heard.at("/id").as_int64(), 1);
}

TEST_F(Routing, InitializeWithoutAClaimIsLegacy) {
  const HeardReply heard = http(message("0", "initialize", R"("protocolVersion":"2025-06-18","capabilities":{})"));
  EXPECT_EQ(heard.status(), 200);
  EXPECT_EQ(heard.string("/result/protocolVersion"), "2025-06-18");
  EXPECT_FALSE(heard.has("/result/resultType"));
  EXPECT_FALSE(heard.has("/result/_meta"));
}

TEST_F(Routing, ARequestWithoutAClaimIsLegacy) {
  for (const auto& version : {std::optional<std::string>(), std::optional<std::string>("2025-11-25"),
                              std::optional<std::string>("2025-06-18"), std::optional<std::string>("2025-03-26")}) {
    const HeardReply heard = http(message("1", "tools/list"), {version, {}, {}});
    EXPECT_EQ(heard.status(), 200) << version.value_or("none");
    EXPECT_TRUE(heard.has("/result/tools"));
    EXPECT_FALSE(heard.has("/result/resultType"));
    EXPECT_FALSE(heard.has("/result/ttlMs"));
  }
}

TEST_F(Routing, NoClaimUnderAModernHeaderNamesTheMissingKeys) {
  for (const char* version : {"2026-07-28", "2031-01-01"}) {
    for (const char* method : {"tools/list", "initialize", "server/discover"}) {
      const HeardReply heard = http(message("1", method), {version, method, {}});
      EXPECT_EQ(heard.error(), -32602) << method;
      EXPECT_EQ(heard.status(), 400);
      EXPECT_NE(heard.string("/error/message").find("io.modelcontextprotocol/protocolVersion"), std::string::npos);
      EXPECT_NE(heard.string("/error/message").find("io.modelcontextprotocol/clientCapabilities"), std::string::npos);
    }
  }
}

TEST_F(Routing, HeaderAndBodyMustAgree) {
  const std::string body = modern("1", "tools/list");
  for (const char* version : {"2025-11-25", "2025-03-26", "2031-01-01", "nonsense", ""}) {
    const HeardReply heard = http(body, {version, "tools/list", {}});
    EXPECT_EQ(heard.error(), -32020) << version;
    EXPECT_EQ(heard.status(), 400);
  }
  const HeardReply reverse = http(message("1", "tools/list", kOldClaim), {"2026-07-28", "tools/list", {}});
  EXPECT_EQ(reverse.error(), -32020);
  EXPECT_EQ(http(body, {{}, "tools/list", {}}).error(), -32020) << "a missing header differs";
  EXPECT_EQ(http(body, {" 2026-07-28\t", " tools/list ", {}}).error(), 0) << "spaces around a value do not count";
}

TEST_F(Routing, NotificationsFollowTheirHeader) {
  const std::string plain = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  for (const auto& version :
       {std::optional<std::string>(), std::optional<std::string>("2025-06-18"), std::optional<std::string>("2026-07-28")}) {
    const HeardReply heard = http(plain, {version, {}, {}});
    EXPECT_EQ(heard.status(), 202) << version.value_or("none");
    EXPECT_EQ(heard.reply.body, "");
  }
  EXPECT_EQ(http(modern("", "notifications/cancelled"), {"2026-07-28", {}, {}}).status(), 202) << "they need no Mcp-Method";
  EXPECT_EQ(http(modern("", "notifications/anything")).status(), 202);
  const HeardReply future = http(plain, {"2031-01-01", {}, {}});
  EXPECT_EQ(future.status(), 400);
  EXPECT_EQ(future.error(), -32022);
  EXPECT_FALSE(future.has("/id"));
  EXPECT_EQ(http(plain, {"2024-11-05", {}, {}}).status(), 400);
  const HeardReply bytes = http(modern("", "notifications/x"), {"\xFF\xFE", {}, {}});
  EXPECT_EQ(bytes.status(), 400);
  const HeardReply odd = http(
      R"({"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}})", {"\xFF\xFE", {}, {}});
  EXPECT_EQ(odd.error(), -32022);
  EXPECT_EQ(odd.string("/error/data/requested"), "") << "bytes that are no text are not repeated";
  EXPECT_EQ(http(modern("", "notifications/cancelled"), {"2025-11-25", {}, {}}).error(), -32020);
}

TEST_F(Routing, ArraysBelongToOneLegacyVersion) {
  const std::string array = "[" + message("1", "ping") + "," + R"({"jsonrpc":"2.0","method":"notifications/x"},)" +
                            message("\"1\"", "tools/list") + "]";
  for (const auto& version : {std::optional<std::string>(), std::optional<std::string>("2025-03-26")}) {
    const HeardReply heard = http(array, {version, {}, {}});
    EXPECT_EQ(heard.status(), 200);
    ASSERT_TRUE(heard.body.is_array()) << heard.reply.body;
    ASSERT_EQ(heard.body.as_array().size(), 2U);
    EXPECT_EQ(heard.at("/0/id").as_int64(), 1);
    EXPECT_EQ(heard.at("/1/id").as_string(), "1");
    EXPECT_EQ(heard.reply.log.size(), 2U);
  }
  for (const char* version : {"2025-06-18", "2025-11-25", "2026-07-28", "nonsense"}) {
    const HeardReply heard = http(array, {version, {}, {}});
    EXPECT_EQ(heard.error(), -32600) << version;
    EXPECT_EQ(heard.status(), 400);
    EXPECT_FALSE(heard.has("/id"));
  }
  const HeardReply silent = http(R"([{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":4,"result":{}}])");
  EXPECT_EQ(silent.status(), 202);
  EXPECT_EQ(silent.reply.body, "");
}

TEST_F(Routing, ArraysWithAnInvalidElementAreRefused) {
  std::string many = "[";
  for (int at = 0; at < 17; ++at) many += (at == 0 ? "" : ",") + message(std::to_string(at), "ping");
  for (const std::string& array : std::vector<std::string>{
           "[]", "[" + modern("1", "tools/list") + "]", "[" + message("1", "ping") + ",7]", "[" + message("null", "ping") + "]",
           "[[]]", "[" + message("1", "initialize", R"("protocolVersion":"2025-03-26")") + "]", many + "]"}) {
    const HeardReply heard = http(array);
    EXPECT_EQ(heard.error(), -32600) << array.substr(0, 200);
    EXPECT_EQ(heard.status(), 400);
  }
}

TEST_F(Routing, DiscoverWithoutAClaimIsNotALegacyMethod) {
  const HeardReply heard = http(message("1", "server/discover"));
  EXPECT_EQ(heard.error(), -32601);
  EXPECT_EQ(heard.status(), 200);
}

TEST_F(Routing, AnUnknownLegacyVersionIsRefusedExceptByInitialize) {
  for (const char* version : {"2024-11-05", "nonsense", "", "2025-11-25, 2025-11-25"}) {
    const HeardReply heard = http(message("1", "ping"), {version, {}, {}});
    EXPECT_EQ(heard.error(), -32600) << version;
    EXPECT_EQ(heard.status(), 400);
    EXPECT_EQ(http(message("1", "initialize", R"("protocolVersion":"2024-11-05")"), {version, {}, {}}).status(), 200);
  }
}

TEST_F(Routing, ResponsesAreAcceptedInTheLegacyEraOnly) {
  const std::string response = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  EXPECT_EQ(http(response).status(), 202);
  EXPECT_EQ(http(response, {"2025-11-25", {}, {}}).status(), 202);
  const HeardReply heard = http(response, {"2026-07-28", {}, {}});
  EXPECT_EQ(heard.error(), -32600);
  EXPECT_EQ(heard.status(), 400);
}

TEST_F(Routing, AnUnknownVersionNamesTheSupportedOnes) {
  for (const auto& [claim, version] : {std::pair{kOldClaim, "2025-11-25"}, {kFutureClaim, "2031-01-01"}}) {
    const HeardReply heard = http(message("1", "server/discover", claim), {version, "server/discover", {}});
    EXPECT_EQ(heard.error(), -32022);
    EXPECT_EQ(heard.status(), 400);
    EXPECT_EQ(heard.string("/error/data/requested"), version);
    const HeardReply discovered = modern_http("server/discover");
    EXPECT_EQ(heard.at("/error/data/supported"), discovered.at("/result/supportedVersions"));
  }
}

TEST_F(Routing, ModernChecksHaveAFixedOrder) {
  // Each message has all faults from its row on; the first one is reported.
  struct Row {
    std::string text;
    Headers headers;
    int code, status;
  };
  const std::string no_capabilities =
      message("1", "nothing/here", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"})");
  const std::vector<Row> rows = {
      {"{", {"nonsense", "x", "y"}, -32700, 400},
      {R"({"jsonrpc":"1.0","id":1,"method":"nothing/here"})", {"2026-07-28", "x", "y"}, -32600, 400},
      {no_capabilities, {"nonsense", "x", "y"}, -32602, 400},
      {message("1", "nothing/here", kFutureClaim), {"2026-07-28", "x", "y"}, -32020, 400},
      {message("1", "nothing/here", kFutureClaim), {"2031-01-01", "x", "y"}, -32022, 400},
      {modern("1", "nothing/here"), {"2026-07-28", "x", "y"}, -32020, 400},
      {modern("1", "nothing/here"), {"2026-07-28", "nothing/here", "y"}, -32601, 404},
      {modern("1", "tools/call", R"("name":"nothing")"), {"2026-07-28", "tools/call", "other"}, -32020, 400},
      {modern("1", "tools/call", R"("name":"nothing")"), {"2026-07-28", "tools/call", "nothing"}, -32602, 200},
      {modern("1", "tools/call"), {"2026-07-28", "tools/call", {}}, -32602, 200},
      {modern("1", "tools/call", R"("name":"read_title","arguments":{})"), {"2026-07-28", "tools/call", "read_title"}, 0, 200},
  };
  for (const Row& row : rows) {
    const HeardReply heard = http(row.text, row.headers);
    EXPECT_EQ(heard.error(), row.code) << row.text;
    EXPECT_EQ(heard.status(), row.status) << row.text;
  }
}

TEST_F(Routing, MirroredHeadersAreComparedAsText) {
  const auto call = [&](std::optional<std::string> method, std::optional<std::string> name, std::string_view called) {
    return http(modern("1", "tools/call", format(R"("name":"{}")", called)), {"2026-07-28", std::move(method), std::move(name)})
        .error();
  };
  EXPECT_EQ(call("tools/call", "echo", "echo"), 0);
  EXPECT_EQ(call("tools/call", "=?base64?ZWNobw==?=", "echo"), 0);
  EXPECT_EQ(call("=?base64?dG9vbHMvY2FsbA==?=", " echo ", "echo"), 0);
  EXPECT_EQ(call("tools/call", "=?base64?w6TDtg==?=", "äö"), -32602) << "agreed, but there is no such tool";
  for (const char* name : {"Echo", "", "=?base64?ZWNobw=?=", "=?base64?ZWNobw?=", "=?base64?ZW Nobw==?=", "=?base64?ZWNob-==?=",
                           "=?base64?/w==?=", "=?base64?ZWNobx==?=", "=?Base64?ZWNobw==?="}) {
    EXPECT_EQ(call("tools/call", name, "echo"), -32020) << name;
  }
  EXPECT_EQ(call("tools/call", {}, "echo"), -32020);
  EXPECT_EQ(call({}, "echo", "echo"), -32020);
  EXPECT_EQ(call("Tools/call", "echo", "echo"), -32020);
  EXPECT_EQ(http(modern("1", "tools/call"), {"2026-07-28", "tools/call", "echo"}).error(), -32020) << "a name out of nowhere";
  EXPECT_EQ(http(modern("1", "resources/read", R"("uri":"book://b1")"), {"2026-07-28", "resources/read", "book://b2"}).error(),
            -32020);
  EXPECT_EQ(http(modern("1", "resources/read", R"("uri":"book://b1")"), {"2026-07-28", "resources/read", "book://b1"}).error(),
            0);
  EXPECT_EQ(http(modern("1", "tools/list"), {"2026-07-28", "tools/list", "whatever"}).error(), 0)
      << "only named methods mirror one";
}

TEST_F(Routing, OverStdioTheFirstRequestDecides) {
  // Without a negotiated era the message's own claim counts.
  EXPECT_TRUE(stdio(modern("1", "server/discover")).has("/result/supportedVersions"));
  EXPECT_TRUE(stdio(message("1", "tools/list")).has("/result/tools"));
  EXPECT_EQ(stdio(message("1", "server/discover")).error(), -32601);
  // Negotiated: modern.
  EXPECT_TRUE(stdio(modern("1", "tools/list"), Era::kModern).has("/result/resultType"));
  const HeardReply bare = stdio(message("1", "initialize", R"("protocolVersion":"2025-11-25")"), Era::kModern);
  EXPECT_EQ(bare.error(), -32602);
  EXPECT_NE(bare.string("/error/message").find("2026-07-28"), std::string::npos) << "it names the version that is spoken";
  EXPECT_EQ(stdio(modern("1", "ping"), Era::kModern).error(), -32601);
  EXPECT_EQ(stdio("[" + message("1", "ping") + "]", Era::kModern).error(), -32600);
  // Negotiated: legacy. A claim is then just an unknown member of _meta.
  EXPECT_FALSE(stdio(modern("1", "tools/list"), Era::kLegacy).has("/result/resultType"));
  EXPECT_EQ(stdio(modern("1", "server/discover"), Era::kLegacy).error(), -32601);
  EXPECT_TRUE(stdio("[" + message("1", "ping") + "]", Era::kLegacy, "2025-03-26").has("/0/result"));
  EXPECT_EQ(stdio("[" + message("1", "ping") + "]", Era::kLegacy, "2025-06-18").error(), -32600);
}

TEST_F(Routing, APreviewGivesStdioWhatItNeeds) {
  const auto glance = [](const std::string& text) { return mcp::glance(mcp::read_incoming(text, mcp::kMaxLineBytes)); };
  EXPECT_EQ(glance(modern("1", "server/discover")).settles, Era::kModern);
  EXPECT_EQ(glance(message("1", "tools/list")).settles, Era::kLegacy);
  EXPECT_EQ(glance(message("1", "tools/list", kFutureClaim)).settles, std::nullopt) << "refused; nothing is settled by that";
  const auto handshake = glance(message("1", "initialize", R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(handshake.negotiates, "2025-06-18");
  EXPECT_EQ(handshake.cancelled_by, std::nullopt);
  EXPECT_EQ(glance(message("1", "initialize", R"("protocolVersion":"1999")")).negotiates, "2025-11-25");
  EXPECT_EQ(glance(message("\"\\u0061\"", "ping")).cancelled_by, "\"a\"");
  EXPECT_EQ(glance(message("", "notifications/cancelled", R"("requestId":"a")")).cancels, "\"a\"");
  EXPECT_EQ(glance(message("", "notifications/cancelled", R"("requestId":0)")).cancels, "0");
  EXPECT_EQ(glance(message("", "notifications/cancelled")).cancels, std::nullopt);
  EXPECT_FALSE(glance(message("", "notifications/initialized")).is_request);
  EXPECT_FALSE(glance("{").is_request);
}

}  // namespace
}  // namespace ladder::mcp_tests
