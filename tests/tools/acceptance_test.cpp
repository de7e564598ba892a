// The acceptance table over both engines, as a host sees it (docs/inside/acceptance.md): identity, ladder, search and
// documents.
#include "base/text/base64.h"
#include "crypto/hash.h"
#include "dialogue.h"
#include "model/handle.h"

#include <regex>

namespace ladder::dialogue {
namespace {

class Acceptance : public Dialogue {
 protected:
  // Grants one of everything: long text, nested text, bytes, a blob, a field with a slash.
  void give_everything() {
    test_support::TextSource bytes("%PDF-1.4 bytes");
    const api::Blob blob = test_support::must(server().ingest().put_blob(owner(), "application/pdf", bytes));
    picture_ = base64::encode("\x89PNG\r\n\x1a\n" + repeated("pixels", 900));
    long_ = repeated("words before ", 700) + "the wombat slept " + repeated("words after ", 700);
    give("k1", text("blip", long_) + "," + text("quuxo", picture_) + R"(,"wexo":{"a/b":[{"c~d":)" +
                   json_text(repeated("deep ", 300)) + R"(}]},"nints":7,"zintle":"2026-01-02T00:00:00Z",)" +
                   text("se/cr~et", repeated("slash ", 100)) +
                   format(R"(,"blob_ref":{{"blob_id":"{}","mime_type":"application/pdf"}})", blob.blob_id));
    give("k2", text("blip", "a small wombat") + R"(,"quuxo":null,"zintle":"2026-01-01T00:00:00Z")");
  }

  std::string picture_, long_;
};

TEST_P(Acceptance, UnlistedResourcesCanBeRead) {
  give_everything();
  Host host = reader();
  const value hello =
      host.request("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}})");
  EXPECT_EQ(hello.at("result").at("protocolVersion"), "2025-11-25");
  const value listed = host.request("resources/list", "{}").at("result").at("resources");
  ASSERT_FALSE(listed.as_array().empty());
  for (const value& one : listed.as_array()) {
    EXPECT_TRUE(std::string_view(one.at("uri").as_string()).starts_with("pdpp://stream/")) << "granted streams, no records";
    EXPECT_FALSE(host.resource(one.at("uri").as_string()).at("contents").as_array().empty());
  }
  EXPECT_EQ(host.request("resources/templates/list", "{}").at("result").at("resourceTemplates").as_array().size(), 4U);
  const HostResult said = host.read("one/flumm:k1", "blip");
  const value read = host.resource(said.result.at("_meta").at("dev.pdpp/resource").at("uri").as_string());
  EXPECT_EQ(read.at("contents").at(0).at("text"), said.result.at("content").at(0).at("text"));
}

TEST_P(Acceptance, EveryToolObeysItsWireContract) {
  give_everything();
  Host host = reader();
  for (const auto& [tool, args] : std::vector<std::pair<std::string, std::string>>{
           {"schema", "{}"},
           {"schema", R"({"stream":"flumm"})"},
           {"aggregate", R"({"stream":"flumm","metric":"count","group_by":"quuxo"})"},
           {"query_records", R"({"stream":"flumm"})"},
           {"search", R"({"query":"wombat"})"},
           {"fetch", R"({"id":"one/flumm:k1"})"},
           {"fetch", R"({"id":"one/flumm:k2","fields":["blip"]})"},
           {"read_record_field", R"({"id":"one/flumm:k1","field_path":"blip","offset_chars":100,"limit_chars":50})"}}) {
    const HostResult said = host.call(tool, args);  // the host checks the properties of every response
    ASSERT_FALSE(said.is_error()) << said.text();
    EXPECT_EQ(said.text().find("pdpp://record/"), std::string::npos) << tool;
    EXPECT_EQ(said.text().find(picture_.substr(0, 40)), std::string::npos) << tool;
    const auto* const meta = said.result.as_object().if_contains("_meta");
    const std::string hidden = meta ? boost::json::serialize(*meta) : "";
    std::size_t uris = 0;
    for (std::size_t at = hidden.find("pdpp://"); at != std::string::npos; at = hidden.find("pdpp://", at + 1), ++uris) {
      const value read = host.resource(hidden.substr(at, hidden.find('"', at) - at));
      EXPECT_TRUE(read.as_object().contains("contents")) << tool << read;
    }
    if (tool == "search" || tool == "query_records" || tool == "fetch" || tool == "read_record_field") {
      EXPECT_GT(uris, 0U) << tool;
    }
  }
}

TEST_P(Acceptance, TheLadderCoversEveryKindOfValue) {
  give_everything();
  Host host = reader();
  for (const auto& [tool, args, record] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"query_records", R"({"stream":"flumm"})", "/content_ladder/records/0"},
           {"fetch", R"({"id":"one/flumm:k1"})", "/content_ladder"}}) {
    const HostResult said = host.call(tool, args);
    ASSERT_FALSE(said.is_error()) << said.text();
    const value& entry = said.at(record);
    EXPECT_EQ(entry.at("id"), "one/flumm:k1");
    // Values that all records share are given once, next to them.
    const auto* const common = said.at("/content_ladder").as_object().if_contains("common");
    const auto of = [&](const char* name) {
      return common && common->as_object().contains(name) ? common->at(name) : entry.at(name);
    };
    EXPECT_EQ(of("connection_id"), "one");
    EXPECT_EQ(of("stream"), "flumm");
    EXPECT_EQ(entry.at("record_id"), "k1");
    std::set<std::string> paths;
    for (const char* const list : {"field_windows", "json_fields", "binary_fields"}) {
      if (!entry.as_object().contains(list)) continue;
      for (const value& field : entry.at(list).as_array()) {
        paths.insert(std::string(field.at("field_path").as_string()));
        static const std::set<std::string> kWords = {"complete", "truncated", "snippet-only", "binary-only", "unavailable"};
        EXPECT_TRUE(kWords.contains(std::string(field.at("preview_status").as_string())));
        EXPECT_EQ(field.at("text_like").as_bool(), std::string_view(list) != "binary_fields");
        EXPECT_TRUE(field.as_object().contains("type"));
        if (field.at("field_path") == "blip") {
          EXPECT_EQ(std::string(field.at("digest").as_string()), crypto::digest_text(crypto::sha256(long_)));
          EXPECT_EQ(field.at("size_chars"), utf8::count(long_));
          EXPECT_EQ(field.at("size_grade"), "large");
          EXPECT_EQ(field.at("type"), "string");
        }
        if (field.at("field_path") == "quuxo") {
          EXPECT_EQ(field.at("mime_type"), "image/png");
          EXPECT_EQ(field.at("size_bytes"), std::ssize(base64::decode(picture_).value()));
          EXPECT_TRUE(host.resource(field.at("resource").as_string()).as_object().contains("contents"));
        }
        if (field.at("field_path") == "blob_ref") {
          EXPECT_EQ(field.at("mime_type"), "application/pdf");
          const value bytes = host.resource(field.at("resource").as_string());
          EXPECT_EQ(base64::decode(std::string(bytes.at("contents").at(0).at("blob").as_string())), "%PDF-1.4 bytes");
        }
      }
    }
    for (const char* const path : {"blip", "quuxo", "blob_ref"}) EXPECT_TRUE(paths.contains(path)) << tool << path;
    if (tool == "query_records") {
      EXPECT_TRUE(paths.contains("wexo") && paths.contains("/se~1cr~0et"));
    }
  }
}

TEST_P(Acceptance, TextOfABlobIsReadByWindows) {
  give_everything();
  const HostResult said = reader().read("one/flumm:k1", "blip", R"(,"q":"wombat","before_chars":4,"after_chars":6)");
  EXPECT_EQ(said.string("/window/text"), "the wombat slept");
}

TEST_P(Acceptance, AWindowHasExactlyTheSpecifiedMembers) {
  give_everything();
  Host host = reader();
  const auto names = [](const value& object) {
    std::set<std::string> all;
    for (const auto& member : object.as_object()) all.insert(std::string(member.key()));
    return all;
  };
  for (const char* const more : {"", R"(,"q":"wombat")", R"(,"offset_chars":999999)"}) {
    const HostResult said = host.read("one/flumm:k1", "blip", more);
    EXPECT_EQ(names(said.at("")), (std::set<std::string>{"record", "field", "window"}));
    EXPECT_EQ(names(said.at("/record")), (std::set<std::string>{"id", "connection_id", "stream", "record_id"}));
    for (const std::string& name : names(said.at("/field"))) {
      EXPECT_TRUE((std::set<std::string>{"path", "mime_type", "text_like", "size_chars", "digest"}.contains(name))) << name;
    }
    EXPECT_EQ(names(said.at("/window")), (std::set<std::string>{"text", "start_chars", "end_chars", "limit_chars", "complete",
                                                                "next_cursor", "previous_cursor", "match"}));
    EXPECT_EQ(said.at("/window/match").is_null(), std::string_view(more).find("q") == std::string_view::npos);
  }
}

TEST_P(Acceptance, SearchAndFetchIdentify) {
  give_everything();
  give("k3", text("blip", "a wombat elsewhere"), "two");
  Host host = reader();
  const HostResult found = host.call("search", R"({"query":"wombat"})");
  ASSERT_EQ(found.at("/results").as_array().size(), 3U);
  for (const value& result : found.at("/results").as_array()) {
    const std::string connection(result.at("connection_id").as_string());
    const std::string key = test_support::must(model::parse_record_id(std::string(result.at("id").as_string()))).record_id;
    EXPECT_EQ(result.at("id"), (connection + "/flumm:" + key).c_str());
    EXPECT_EQ(result.at("url"),
              ("https://ladder.example/v1/streams/flumm/records/" + key + "?connection_id=" + connection).c_str());
    EXPECT_EQ(result.at("connector_key"), "zorpl");
    EXPECT_TRUE(std::ranges::any_of(found.calls(), [&](const mcp::ToolCall& call) {
      return boost::json::parse(call.args).at("id") == result.at("id");
    })) << "the text calls by the same id";
    const HostResult document = host.call("fetch", format(R"({{"id":{}}})", boost::json::serialize(result.at("id"))));
    EXPECT_EQ(document.at("/url"), result.at("url"));
    EXPECT_FALSE(document.at("").as_object().contains("data"));
  }
  EXPECT_FALSE(found.has("connection_id=")) << "ids carry it";
  EXPECT_FALSE(found.has("pdpp://"));
}

TEST_P(Acceptance, KeysOutsideTheGrammarStayReadable) {
  Host host = reader();
  const std::vector<std::string> odd = {"a/b", "back\\slash", "x..y", "line\nbreak", "turn\xE2\x80\xAEround"};
  const std::vector<std::string> plain = {"with space",          "a:b:c", "emoji🙂", "漢字",
                                          std::string(600, 'l'), "100%",  "q\"uote", "#?&="};
  for (const auto& keys : {odd, plain}) {
    for (const std::string& key : keys) give(key, text("blip", "wombat " + key));
  }
  const HostResult found = host.call("search", R"({"query":"wombat","limit":100})");
  ASSERT_EQ(found.at("/results").as_array().size(), odd.size() + plain.size());
  for (std::size_t i = 0; i < odd.size() + plain.size(); ++i) {
    const value& result = found.at(format("/results/{}", i));
    const std::string id(result.at("id").as_string());
    const std::string key = test_support::must(model::parse_record_id(id)).record_id;
    const bool fits = std::ranges::find(plain, key) != plain.end();
    EXPECT_EQ(id.starts_with("one/flumm:/"), !fits) << id;
    const std::string line = found.lines()[i];
    EXPECT_NE(line.find(json_text(id)), std::string::npos) << "unchanged in the text";
    EXPECT_FALSE(line.ends_with(" connection_id=one")) << "the id has it: " << line;
    const HostResult window = host.call(mcp::testing::calls_in(line).front());
    ASSERT_FALSE(window.is_error()) << window.text();
    EXPECT_EQ(window.string("/window/text"), "wombat " + key);
    EXPECT_EQ(window.string("/record/id"), id);
    const std::string uri = "pdpp://record/" + model::encode_record_handle({"one", "flumm", key});
    EXPECT_EQ(host.read(uri, "blip").text(), window.text()) << "inline, and the same";
    const HostResult document = host.call("fetch", format(R"({{"id":{}}})", json_text(uri)));
    EXPECT_EQ(document.string("/id"), id);
    EXPECT_EQ(host.resource(uri).at("contents").at(0).at("mimeType"), "application/json");
  }
}

TEST_P(Acceptance, CompoundKeysAndTwoConnectionsAreDistinguished) {
  const auto pair = [&](const std::string& connection) {
    const std::string line =
        R"({"key":["l","r/s"],"data":{"left":"l","right":"r/s",)" + text("blip", "wombat of " + connection) + "}}\n";
    ASSERT_EQ(ingest(line, connection, "pairs").accepted, 1);
  };
  pair("one");
  pair("two");
  give("k", text("blip", "here"), "one");
  give("k", text("blip", "there"), "two");
  Host host = this->host({{"", "pairs", {}, {}, {}, {}}, {"", "flumm", {}, {}, {}, {}}});
  const HostResult found = host.call("search", R"({"query":"wombat"})");
  ASSERT_EQ(found.at("/results").as_array().size(), 2U);
  for (const mcp::ToolCall& call : found.calls()) {
    if (call.tool == "read_record_field") {
      EXPECT_TRUE(host.call(call).string("/window/text").starts_with("wombat of ")) << call.args;
    }
  }
  const HostResult ambiguous = host.call("fetch", R"({"id":"flumm:k"})");
  EXPECT_EQ(ambiguous.code(), "ambiguous_connection");
  EXPECT_EQ(ambiguous.error().at("http_status"), 409);
  EXPECT_EQ(ambiguous.error().at("available_connections").as_array().size(), 2U);
  EXPECT_EQ(host.call("fetch", R"({"id":"flumm:k","connection_id":"two"})").string("/id"), "two/flumm:k");
  EXPECT_EQ(host.read("two/flumm:k", "blip").string("/window/text"), "there");
}

TEST_P(Acceptance, ALimitHoldsOverAllSources) {
  add_source(kNonsense, "second");
  add_connection("second", "three");
  for (const char* const connection : {"one", "two", "three"}) {
    for (int i = 0; i < 4; ++i) give(format("k{}", i), text("blip", format("wombat {}", i)), connection);
  }
  Host host =
      this->host({{"one", "flumm", {}, {}, {}, {}}, {"two", "flumm", {}, {}, {}, {}}, {"three", "flumm", {}, {}, {}, {}}});
  std::set<std::string> seen;
  std::string args = R"({"query":"wombat","limit":5})";
  for (int page = 0; page < 3; ++page) {
    const HostResult found = host.call("search", args);
    EXPECT_EQ(found.at("/results").as_array().size(), page < 2 ? 5U : 2U);
    for (const value& result : found.at("/results").as_array()) {
      EXPECT_TRUE(seen.insert(std::string(result.at("id").as_string())).second);
      EXPECT_TRUE(found.has(result.at("id").as_string()));
    }
    if (page == 0) {
      EXPECT_TRUE(found.has("source_mix=one(")) << found.text();
    }
    if (page < 2) args = found.calls().back().args;
  }
  EXPECT_EQ(seen.size(), 12U);
  const HostResult shared = host.call("query_records", R"({"stream":"flumm"})");
  EXPECT_EQ(shared.code(), "ambiguous_connection") << shared.text();
  const HostResult schema = host.call("schema", R"({"stream":"flumm"})");
  for (const char* const connection : {"one", "two", "three"})
    EXPECT_TRUE(schema.has(format("connection_id=\"{}\"", connection)));
}

TEST_P(Acceptance, ClaimsOnlyWhatTheServerProved) {
  give("k1", text("blip", "nothing here") + R"(,"wexo":{"text":"a wombat in a field that is not searched"})");
  give("k2", text("quuxo", "wombat") + "," + text("blip", "body"));
  const HostResult found = reader().call("search", R"({"query":"wombat"})");
  ASSERT_EQ(found.at("/results").as_array().size(), 1U) << found.text();
  EXPECT_EQ(found.at("/results/0/evidence_excerpts/0/field_path"), "quuxo");
  EXPECT_FALSE(found.has("\"field_path\":\"blip\"") || found.has("wexo"));
}

// A host sees the same under nonsense names as under meaningful ones, except for the names (R11, R133).
TEST_P(Acceptance, NamesChangeNothing) {
  add_source(kEnglish, "gmail");
  add_connection("gmail", "six");
  std::vector<std::string> told;
  for (const Names& n : {kNonsense, kEnglish}) {
    const std::string connection = n.source == "zorpl" ? "one" : "six";
    give("k1",
         text(n.title, "A wombat") + "," + text(n.text, repeated("lorem ", 900)) + R"(,")" + n.number + R"(":3,")" + n.time +
             R"(":"2026-02-03T00:00:00Z")",
         connection, n.stream);
    Host host = this->host({{connection, n.stream, {}, {}, {}, {}}});
    std::string all;
    for (const auto& [tool, args] :
         std::vector<std::pair<std::string, std::string>>{{"schema", "{}"},
                                                          {"schema", format(R"({{"stream":"{}"}})", n.stream)},
                                                          {"search", R"({"query":"wombat"})"},
                                                          {"fetch", format(R"({{"id":"{}/{}:k1"}})", connection, n.stream)},
                                                          {"query_records", format(R"({{"stream":"{}"}})", n.stream)}}) {
      const HostResult said = host.call(tool, args);
      all += said.text() + boost::json::serialize(said.at(""));
    }
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\\b" + connection + "\\b", "CONNECTION"},
                                                                                   {n.source, "SOURCE"},
                                                                                   {n.stream, "STREAM"},
                                                                                   {n.title, "FIRST"},
                                                                                   {n.other, "OTHER"},
                                                                                   {n.number, "NUMBER"},
                                                                                   {n.time, "TIME"}}) {
      all = std::regex_replace(all, std::regex(from), to);
    }
    all = std::regex_replace(all, std::regex(n.text), "SECOND");
    all = std::regex_replace(all, std::regex("grt_[0-9a-f]+|ldr_[A-Za-z0-9_-]+|20[0-9T:.-]+Z"), "X");
    told.push_back(all);
  }
  const auto difference = std::ranges::mismatch(told[0], told[1]);
  const auto at = difference.in1 - told[0].begin();
  EXPECT_EQ(told[0], told[1]) << told[0].substr(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - 60)), 200) << "\n"
                              << told[1].substr(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - 60)), 200);
}

LADDER_FOR_EVERY_ENGINE(Acceptance);

}  // namespace
}  // namespace ladder::dialogue
