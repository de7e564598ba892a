// Each method answers in both eras.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/protocol/lists.h"
#include "mcp/render/budget.h"
#include "protocol_fixture.h"

namespace ladder::mcp_tests {
namespace {

using mcp::Era;

class Methods : public Protocol {};

TEST_F(Methods, IdsAreReturnedUnchanged) {
  for (const std::string& id : std::vector<std::string>{"0", "1", "-7", "9007199254740993", "1e3", "1.0", R"("")", R"("1")",
                                                        R"("ü\n\u0041")", "\"" + std::string(254, 'x') + "\""}) {
    EXPECT_NE(http(message(id, "ping")).reply.body.find("\"id\":" + id + ","), std::string::npos) << id;
    EXPECT_NE(http(message(id, "nothing")).reply.body.find("\"id\":" + id + ","), std::string::npos) << id;
    EXPECT_EQ(http(message(id, "ping")).reply.log.at(0).id, id);
  }
}

TEST_F(Methods, InvalidIdsAreRefusedWithoutAnEcho) {
  for (const std::string& id :
       std::vector<std::string>{"null", "1.5", "true", "[]", "{}", "1e999", "\"" + std::string(255, 'x') + "\""}) {
    const HeardReply heard = http(message(id, "ping"));
    EXPECT_EQ(heard.error(), -32600) << id;
    EXPECT_EQ(heard.status(), 400);
    EXPECT_FALSE(heard.has("/id")) << "never null";
  }
}

TEST_F(Methods, RefusesMalformedMessages) {
  for (const std::string_view text :
       {"7", "\"x\"", "null", "{}", R"({"jsonrpc":"2.0"})", R"({"jsonrpc":"2.0","id":1})", R"({"id":1,"method":"ping"})",
        R"({"jsonrpc":2.0,"id":1,"method":"ping"})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","result":{}})", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", R"({"jsonrpc":"2.0","id":1,"method":"ping","params":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":7}})", R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"x"})",
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_meta":{}}})"}) {
    const HeardReply heard = http(text);
    EXPECT_EQ(heard.error(), -32600) << text;
    EXPECT_EQ(heard.status(), 400) << text;
    EXPECT_EQ(stdio(text).error(), -32600) << text;
  }
}

TEST_F(Methods, RefusesInvalidJson) {
  const std::string deep =
      R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + std::string(70, '[') + std::string(70, ']') + "}";
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("{} {}"), std::string("\"\xFF\""), std::string("{'a':1}"), deep,
        R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":")" + std::string(4 * 1024 * 1024, 'x') + "\"}}"}) {
    const HeardReply heard = http(text);
    EXPECT_EQ(heard.error(), -32700) << text.substr(0, 80);
    EXPECT_EQ(heard.status(), 400);
    EXPECT_FALSE(heard.has("/id"));
    EXPECT_EQ(heard.reply.log.at(0).outcome, "parse_error");
  }
}

TEST_F(Methods, InitializeNegotiatesTheVersion) {
  for (const auto& [asked, answered] : {std::pair{"2025-11-25", "2025-11-25"},
                                        {"2025-06-18", "2025-06-18"},
                                        {"2025-03-26", "2025-03-26"},
                                        {"2024-11-05", "2025-11-25"},
                                        {"2026-07-28", "2025-11-25"},
                                        {"", "2025-11-25"}}) {
    const HeardReply heard = stdio(message("0", "initialize", format(R"("protocolVersion":"{}")", asked)));
    EXPECT_EQ(heard.string("/result/protocolVersion"), answered);
    EXPECT_EQ(heard.string("/result/serverInfo/name"), "shelf");
    EXPECT_EQ(heard.string("/result/serverInfo/version"), "1.2.3");
    EXPECT_EQ(boost::json::serialize(heard.at("/result/capabilities")),
              R"({"tools":{},"resources":{},"prompts":{},"completions":{}})");
    EXPECT_EQ(heard.string("/result/instructions"), mcp::instructions());
  }
  EXPECT_EQ(stdio(message("0", "initialize")).error(), -32602);
  EXPECT_EQ(stdio(message("0", "initialize", R"("protocolVersion":7)")).error(), -32602);
}

TEST_F(Methods, TheInstructionsFitAndBeginWithTheEssentials) {
  const std::string_view text = mcp::instructions();
  std::size_t units = 0;
  for (std::size_t at = 0; at < text.size();) units += utf8::next(text, at) > 0xFFFF ? 2 : 1;
  EXPECT_LE(units, 2048U);
  const std::string first(utf8::slice(text, 0, 512));
  for (const char* word : {"schema", "connection_id", "filter", "limit", "cursor", "fields"}) {
    EXPECT_NE(first.find(word), std::string::npos) << word;
  }
  for (const char* word :
       {"read_record_field", "projected records", "bounded field windows", "grant_id", "owner tokens", "optional"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(text.find("pdpp://"), std::string::npos);
}

TEST_F(Methods, DiscoverReturnsWhatInitializeReturned) {
  const HeardReply heard = modern_http("server/discover");
  EXPECT_EQ(boost::json::serialize(heard.at("/result/supportedVersions")), R"(["2026-07-28"])");
  EXPECT_EQ(boost::json::serialize(heard.at("/result/capabilities")),
            R"({"tools":{},"resources":{},"prompts":{},"completions":{}})");
  EXPECT_EQ(heard.string("/result/instructions"), mcp::instructions());
  EXPECT_EQ(heard.string("/result/resultType"), "complete");
  EXPECT_GE(heard.at("/result/ttlMs").as_int64(), 0);
  EXPECT_EQ(heard.string("/result/cacheScope"), "public");
  EXPECT_FALSE(heard.has("/result/serverInfo"));
  EXPECT_EQ(heard.string("/result/_meta/io.modelcontextprotocol~1serverInfo/version"), "1.2.3");
}

TEST_F(Methods, PingIsLegacyOnly) {
  EXPECT_EQ(boost::json::serialize(http(message("0", "ping")).at("/result")), "{}");
  EXPECT_EQ(modern_http("ping").status(), 404);
}

TEST_F(Methods, ListsAreOnePageWithTheirScope) {
  struct Row {
    const char *method, *member, *scope;
    std::size_t size;
  };
  for (const Row& row : {Row{"tools/list", "tools", "public", 4}, Row{"resources/list", "resources", "private", 0},
                         Row{"resources/templates/list", "resourceTemplates", "public", 1}}) {
    const HeardReply modern_one = modern_http(row.method);
    EXPECT_EQ(modern_one.at(format("/result/{}", row.member)).as_array().size(), row.size);
    EXPECT_EQ(modern_one.string("/result/cacheScope"), row.scope);
    EXPECT_GE(modern_one.at("/result/ttlMs").as_int64(), 0);
    EXPECT_FALSE(modern_one.has("/result/nextCursor"));
    const HeardReply legacy_one = http(message("1", row.method));
    EXPECT_EQ(legacy_one.at("/result").as_object().size(), 1U) << "nothing but the list";
    EXPECT_EQ(legacy_one.at(format("/result/{}", row.member)), modern_one.at(format("/result/{}", row.member)));
    for (const char* cursor : {R"("cursor":"")", R"("cursor":"x")", R"("cursor":7)"}) {
      EXPECT_EQ(http(message("1", row.method, cursor)).error(), -32602) << cursor;
    }
    EXPECT_EQ(http(message("1", row.method, R"("cursor":null)")).error(), 0);
  }
}

TEST_F(Methods, ToolsAreListedWithHintsAndRequestedSchemas) {
  const HeardReply flat = http(message("1", "tools/list"));
  EXPECT_EQ(flat.string("/result/tools/0/name"), "read_title");
  EXPECT_EQ(flat.string("/result/tools/0/title"), "Read a title");
  EXPECT_FALSE(flat.has("/result/tools/0/inputSchema/oneOf"));
  EXPECT_EQ(boost::json::serialize(flat.at("/result/tools/0/annotations")),
            R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})");
  mcp::Options options = book_options();
  options.input_schemas = mcp::InputSchemas::kFull;
  const mcp::Server full(options, book_tools());
  const auto reply = full.handle(message("1", "tools/list"), {}, books(), {});
  EXPECT_NE(reply.body.find(R"("inputSchema":{"type":"object","oneOf":[]})"), std::string::npos);
}

TEST_F(Methods, AToolAnswersTextFirstAndStructuredContentLast) {
  const std::string text = R"({"type":"text","text":"The third clock"})";
  const std::string link = R"({"type":"resource_link","uri":"book://b1","name":"b1"})";
  const std::string structured =
      R"("structuredContent":{"provider_url":"https://shelf.example","request_id":"req_7","text":"The third clock"}}})";
  const HeardReply legacy_one = http(message("1", "tools/call", R"("name":"read_title","arguments":{"id":"b1"})"));
  EXPECT_EQ(legacy_one.reply.body, R"({"jsonrpc":"2.0","id":1,"result":{"content":[)" + text + "," + link +
                                       R"(],"_meta":{"dev.pdpp/resource":{"uri":"book://b1"}},)" + structured);
  const HeardReply modern_one = modern_http("tools/call", R"("name":"read_title","arguments":{"id":"b1"})", "read_title");
  EXPECT_EQ(modern_one.reply.body,
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[)" + text + "," + link +
                R"(],"resultType":"complete","_meta":{"dev.pdpp/resource":{"uri":"book://b1"},)" +
                R"("io.modelcontextprotocol/serverInfo":{"name":"shelf","title":"Ladder","version":"1.2.3"}},)" + structured);
  EXPECT_EQ(modern_one.reply.log.at(0).method, "tools/call");
  EXPECT_EQ(modern_one.reply.log.at(0).tool, "read_title");
  EXPECT_EQ(modern_one.reply.log.at(0).outcome, "ok");
}

TEST_F(Methods, TheProtocolOverheadStaysWithinItsReserve) {
  mcp::Options options = book_options();
  options.server_name = std::string(64, 'n');  // the longest allowed
  options.version = "10.20.30-rc.40";
  const mcp::Server server(options, book_tools());
  const std::string call = modern("1", "tools/call", R"("name":"echo","arguments":{"a":"b"})");
  const auto body = boost::json::parse(server.handle(call, {}, books(), {}).body);
  const std::string arguments = R"({"a":"b"})";  // once as escaped text, once as structured content
  const std::size_t frame = boost::json::serialize(body.at("result")).size() - mcp::escaped_bytes(arguments) - arguments.size();
  EXPECT_LE(frame, mcp::kResultFrameBytes);
}

TEST_F(Methods, AToolErrorIsAResult) {
  for (const char* arguments : {R"("arguments":{})", R"("arguments":{"id":7})", R"("x":1)", R"("arguments":null)"}) {
    const HeardReply heard = modern_http("tools/call", format(R"("name":"read_title",{})", arguments), "read_title");
    EXPECT_EQ(heard.error(), 0) << arguments;
    EXPECT_EQ(heard.status(), 200);
    EXPECT_TRUE(heard.at("/result/isError").as_bool());
    EXPECT_FALSE(heard.has("/result/structuredContent"));
    EXPECT_EQ(heard.string("/result/resultType"), "complete");
    EXPECT_EQ(heard.reply.log.at(0).outcome, "invalid_request");
  }
  EXPECT_EQ(http(message("1", "tools/call", R"("name":"read_title","arguments":{"id":"b9"})")).reply.log.at(0).outcome,
            "not_found");
}

TEST_F(Methods, MalformedCallsAreErrors) {
  for (const char* params : {"", R"("name":7)", R"("name":"nothing")", R"("name":"Echo")", R"("name":"echo","name":"echo")",
                             R"("name":"echo","arguments":[])", R"("name":"echo","arguments":"{}")",
                             R"("name":"echo","arguments":{"a":1,"a":2})", R"("name":"echo","arguments":{"a":1e999})"}) {
    const HeardReply heard = http(message("1", "tools/call", params));
    EXPECT_EQ(heard.error(), -32602) << params;
    EXPECT_EQ(heard.status(), 200);
    EXPECT_EQ(heard.reply.log.at(0).outcome, "invalid_params");
  }
  EXPECT_NE(http(message("1", "tools/call", R"("name":"nothing")")).string("/error/message").find("\"nothing\""),
            std::string::npos);
}

TEST_F(Methods, ArgumentsArriveAsTheyWereSent) {
  const HeardReply heard = http(message(
      "1", "tools/call",
      R"("name":"echo","arguments":{"s":"a\u00fc\n","n":12345678901234567,"t":true,"z":null,"o":{"a":[1,"2"]}},"_meta":{"claudecode/toolUseId":"t"})"));
  EXPECT_EQ(heard.string("/result/content/0/text"), R"({"s":"aü\n","n":12345678901234567,"t":true,"z":null,"o":{"a":[1,"2"]}})");
}

TEST_F(Methods, AProgramErrorStaysInternal) {
  const HeardReply heard = modern_http("tools/call", R"("name":"broken")", "broken");
  EXPECT_EQ(heard.error(), -32603);
  EXPECT_EQ(heard.status(), 200);
  EXPECT_EQ(heard.reply.body.find("secret"), std::string::npos);
  EXPECT_EQ(heard.reply.log.at(0).outcome, "internal_error");
}

TEST_F(Methods, ResourcesAreReadOrFail) {
  const HeardReply text = modern_http("resources/read", R"("uri":"book://b1")", "book://b1");
  EXPECT_EQ(text.string("/result/contents/0/uri"), "book://b1");
  EXPECT_EQ(text.string("/result/contents/0/mimeType"), "application/json");
  EXPECT_NE(text.string("/result/contents/0/text").find("third"), std::string::npos);
  EXPECT_FALSE(text.has("/result/contents/0/blob"));
  EXPECT_EQ(text.at("/result/ttlMs").as_int64(), 0);
  EXPECT_EQ(text.string("/result/cacheScope"), "private");
  EXPECT_EQ(text.string("/result/_meta/dev.pdpp~1next"), "book://b2");
  const HeardReply bytes = http(message("1", "resources/read", R"("uri":"book://b2")"));
  EXPECT_EQ(bytes.string("/result/contents/0/blob"), "AAEC");
  EXPECT_FALSE(bytes.has("/result/contents/0/text"));
  const HeardReply nothing = http(message("1", "resources/read", R"("uri":"book://blank")"));
  EXPECT_EQ(nothing.string("/result/contents/0/blob"), "") << "a picture of no bytes is no text";
  EXPECT_FALSE(bytes.has("/result/_meta"));
  EXPECT_FALSE(bytes.has("/result/ttlMs"));
}

TEST_F(Methods, FailedReadsHaveTheirErasCodes) {
  struct Row {
    const char* uri;
    int legacy, modern;
    const char* outcome;
  };
  for (const Row& row :
       {Row{"book://b9", -32002, -32602, "not_found"}, Row{"film://b1", -32602, -32602, "invalid_handle"},
        Row{"book://hidden", -32602, -32602, "field_not_granted"}, Row{"book://burnt", -32603, -32603, "store_unavailable"}}) {
    const std::string params = format(R"("uri":"{}")", row.uri);
    const HeardReply old = http(message("1", "resources/read", params));
    EXPECT_EQ(old.error(), row.legacy) << row.uri;
    EXPECT_EQ(old.status(), 200);
    EXPECT_EQ(old.reply.log.at(0).outcome, row.outcome);
    const HeardReply fresh = modern_http("resources/read", params, row.uri);
    EXPECT_EQ(fresh.error(), row.modern) << row.uri;
    EXPECT_EQ(fresh.status(), 200);
    if (row.modern == -32602) {
      EXPECT_EQ(fresh.string("/error/data/uri"), row.uri);
    }
  }
  EXPECT_EQ(http(message("1", "resources/read")).error(), -32602);
  EXPECT_EQ(http(message("1", "resources/read", R"("uri":7)")).error(), -32602);
}

TEST_F(Methods, OtherMethodsAreNotFound) {
  for (const char* method : {"logging/setLevel", "resources/subscribe", "subscriptions/listen", "tasks/get",
                             "notifications/initialized", "", "Tools/List", "nothing"}) {
    const HeardReply old = http(message("1", method));
    EXPECT_EQ(old.error(), -32601) << method;
    EXPECT_EQ(old.status(), 200);
    EXPECT_EQ(old.at("/id").as_int64(), 1);
    const HeardReply fresh = http(modern("1", method), {"2026-07-28", method, {}});
    EXPECT_EQ(fresh.error(), -32601) << method;
    EXPECT_EQ(fresh.status(), 404);
    EXPECT_EQ(fresh.at("/id").as_int64(), 1);
  }
  EXPECT_EQ(http(message("1", "a person's secret")).reply.log.at(0).method, "-") << "invented names are not logged";
}

TEST_F(Methods, UnknownMetaAndParamsAreIgnored) {
  const HeardReply heard =
      http(message("1", "tools/list",
                   R"("_meta":{"progressToken":0,"x-codex-turn-metadata":{},"openai/locale":"de","traceparent":"00"},"x":1)"));
  EXPECT_TRUE(heard.has("/result/tools"));
  const HeardReply retried =
      modern_http("tools/call", R"("name":"echo","inputResponses":{},"requestState":"x","task":{"ttl":1})", "echo");
  EXPECT_EQ(retried.error(), 0);
  EXPECT_EQ(http(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":null,"more":1})").error(), 0);
  EXPECT_EQ(http(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":null}})").error(), 0);
  EXPECT_EQ(http(" \n" + message("1", "ping") + "\r\n ").error(), 0);
}

TEST_F(Methods, TheCallersAddressOverridesTheOptions) {
  mcp::Envelope envelope;
  envelope.provider_url = "http://127.0.0.1:7";
  const auto reply =
      server().handle(message("1", "tools/call", R"("name":"read_title","arguments":{"id":"b1"})"), envelope, books(), {});
  EXPECT_NE(reply.body.find(R"("provider_url":"http://127.0.0.1:7")"), std::string::npos);
}

}  // namespace
}  // namespace ladder::mcp_tests
