// Tests reads by URI and their errors (R6, R59–R67, R73, R97–R100, R146, R181, R188, R198).
#include "mcp/tools/resources.h"

#include "base/text/base64.h"
#include "mcp/testing/tool_bench.h"
#include "model/handle.h"

#include <regex>

namespace ladder::mcp {
namespace {

using testing::Answer;
using testing::json_text;
using testing::repeated;
using testing::ToolBench;
using Kind = ResourceFailure::Kind;

class Resources : public ::testing::Test {
 protected:
  ResourceRead read(const std::string& uri) {
    auto result = bench.read(uri);
    EXPECT_TRUE(std::holds_alternative<ResourceRead>(result)) << uri;
    if (const auto* const failure = std::get_if<ResourceFailure>(&result)) {
      ADD_FAILURE() << failure->message;
      return {{{}}, {}};
    }
    return std::get<ResourceRead>(std::move(result));
  }

  ResourceFailure failed(const std::string& uri) {
    auto result = bench.read(uri);
    EXPECT_TRUE(std::holds_alternative<ResourceFailure>(result)) << uri;
    return std::holds_alternative<ResourceFailure>(result) ? std::get<ResourceFailure>(result) : ResourceFailure{};
  }

  static std::string meta_text(const ResourceRead& read, const char* name) {
    const auto value = boost::json::parse(read.meta).at("dev.pdpp/resource").at(name);
    return value.is_null() ? "" : std::string(value.as_string());
  }

  static std::string window_uri(const model::FieldWindowHandle& handle) {
    return "pdpp://field-window/" + model::encode_field_window_handle(handle);
  }

  ToolBench bench;
};

TEST_F(Resources, Templates) {
  std::vector<std::string> uris;
  for (const ResourceTemplate& one : resource_templates()) uris.push_back(one.uri_template);
  EXPECT_EQ(uris, (std::vector<std::string>{"pdpp://stream/{name}", "pdpp://record/{handle}", "pdpp://field-window/{handle}",
                                            "pdpp://blob/{handle}"}));
}

TEST_F(Resources, AWindowReadEqualsTheToolResult) {
  bench.add("zorp", "k", format(R"({{"a":{}}})", json_text(repeated("word 漢字 ", 3'000))));
  const std::vector<std::string> selectors = {"", R"(,"offset_chars":100,"limit_chars":50)",
                                              R"(,"q":"漢","before_chars":5,"after_chars":5)", R"(,"limit_chars":16384)"};
  for (const std::string& selector : selectors) {
    const Answer tool = bench.call("read_record_field", R"({"id":"cin_a/zorp:k","field_path":"a")" + selector + "}");
    const std::string tool_call = bench.port.calls.back();
    const ResourceRead resource = read(std::string(tool.meta.at("dev.pdpp/resource").at("uri").as_string()));
    ASSERT_EQ(resource.items.size(), 2U);
    EXPECT_EQ(resource.items[0].text, tool.text());
    EXPECT_EQ(resource.items[0].mime_type, "text/plain");
    auto json = boost::json::parse(resource.items[1].text);
    EXPECT_TRUE(json.as_object().contains("resource"));
    json.as_object().erase("resource");
    EXPECT_EQ(json, tool.structured);
    EXPECT_EQ(bench.port.calls.back(), tool_call) << "the server gets the same request";
    EXPECT_EQ(boost::json::parse(resource.meta), tool.meta);
  }
}

TEST_F(Resources, NextAndPreviousRebuildTheField) {
  std::string whole;
  for (int i = 0; i < 20'000; ++i) whole += format("{} ", i);
  bench.add("zorp", "k", format(R"({{"a":{}}})", json_text(whole)));
  model::FieldWindowHandle handle{{"cin_a", "zorp", "k"}, "a", {}};
  handle.window.limit_chars = 16'384;
  ResourceRead window = read(window_uri(handle));
  std::string rebuilt;
  int count = 0;
  while (true) {
    const auto json = boost::json::parse(window.items[1].text);
    rebuilt += std::string(json.at("window").at("text").as_string());
    EXPECT_LE(json.at("window").at("limit_chars").as_int64(), 16'384);
    ++count;
    const std::string next = meta_text(window, "next_uri");
    if (next.empty()) break;
    window = read(next);
  }
  EXPECT_EQ(rebuilt, whole);
  int back = 1;
  for (std::string uri = meta_text(window, "previous_uri"); !uri.empty(); uri = meta_text(window, "previous_uri")) {
    window = read(uri);
    ++back;
  }
  EXPECT_EQ(back, count);
}

TEST_F(Resources, HandlesAreOpaqueAndUrlSafe) {
  const model::RecordRef record{"cin a/b", "str eam", "ключ/..x"};
  bench.port.stored.push_back({record, R"({"fie ld/x":"value"})"});
  const std::regex safe("[A-Za-z0-9_-]+");
  const std::string handle = model::encode_record_handle(record);
  EXPECT_TRUE(std::regex_match(handle, safe));
  const auto body = boost::json::parse(read("pdpp://record/" + handle).items[0].text);
  EXPECT_EQ(body.at("id"), "ключ/..x");
  const ResourceRead window = read(window_uri({record, "/fie ld~1x", {}}));
  EXPECT_EQ(boost::json::parse(window.items[1].text).at("window").at("text"), "value");
}

TEST_F(Resources, RecordsAreBoundedWithUrisToReadOn) {
  bench.add("zorp", "k",
            format(R"({{"a":{},"photo":"{}","ref":{{"blob_id":"b1","mime_type":"image/png"}}}})",
                   json_text(repeated("x y", 100'000)), repeated("QUJD", 9'000)));
  const ResourceRead record = read("pdpp://record/" + model::encode_record_handle({"cin_a", "zorp", "k"}));
  ASSERT_EQ(record.items.size(), 1U);
  EXPECT_LE(record.items[0].text.size(), 40'000U);
  const auto body = boost::json::parse(record.items[0].text);
  ASSERT_EQ(body.at("resources").as_array().size(), 3U);
  for (const auto& entry : body.at("resources").as_array()) {
    if (entry.at("field_path") == "ref") continue;
    read(std::string(entry.at("uri").as_string()));
  }
  EXPECT_EQ(record.items[0].text.find("QUJDQUJD"), std::string::npos);
}

TEST_F(Resources, EveryFormOfTheUriIsTheSameRecord) {
  bench.add("zorp", "k", R"({"a":1})");
  read("pdpp://record/" + model::encode_record_handle({"cin_a", "zorp", "k"}));
  read("pdpp://record/cin_a%2Fzorp%3Ak");
  read("pdpp://record/cin_a/zorp:k");
  EXPECT_EQ(bench.port.calls[0], bench.port.calls[1]);
  EXPECT_EQ(bench.port.calls[0], bench.port.calls[2]);
}

TEST_F(Resources, StreamsShowTheirMetadata) {
  api::StreamView stream;
  stream.name = "zorp x";
  stream.semantics = "append_only";
  bench.port.view.sources = {{"connector", "https://x.example/s", "nonsense", "Nonsense", {stream}}};
  const auto body = boost::json::parse(read("pdpp://stream/zorp%20x").items[0].text);
  EXPECT_EQ(body.at("name"), "zorp x");
  EXPECT_EQ(body.at("object"), "stream_metadata");
  const ResourceFailure absent = failed("pdpp://stream/none");
  EXPECT_EQ(absent.kind, Kind::kRefused);
  EXPECT_EQ(boost::json::parse(absent.data).at("code"), "grant_stream_not_allowed");
  EXPECT_EQ(failed("pdpp://stream/..").kind, Kind::kMalformed);
}

TEST_F(Resources, ReportsFailures) {
  bench.add("zorp", "k", R"({"a":"x"})");
  for (const char* const uri : {"pdpp://record/!!", "pdpp://record/", "pdpp://field-window/eyJ2IjoxfQ", "pdpp://field-window/x y",
                                "pdpp://blob/AAAA", "pdpp://record/cin_a%2Fzorp%3A.."}) {
    const std::size_t before = bench.port.calls.size();
    const ResourceFailure failure = failed(uri);
    EXPECT_EQ(failure.kind, Kind::kMalformed) << uri;
    EXPECT_EQ(boost::json::parse(failure.data).at("code"), "invalid_handle") << uri;
    EXPECT_EQ(std::string(boost::json::parse(failure.data).at("uri").as_string()), uri);
    EXPECT_EQ(bench.port.calls.size(), before);
  }
  EXPECT_EQ(failed("pdpp://nothing/x").kind, Kind::kNotFound);
  EXPECT_EQ(failed("https://example.org").kind, Kind::kNotFound);
  EXPECT_EQ(failed("pdpp://record/" + model::encode_record_handle({"cin_a", "zorp", "none"})).kind, Kind::kNotFound);
  bench.port.hidden_fields.insert("a");
  const ResourceFailure refused = failed(window_uri({{"cin_a", "zorp", "k"}, "a", {}}));
  EXPECT_EQ(refused.kind, Kind::kRefused);
  const auto data = boost::json::parse(refused.data);
  EXPECT_EQ(data.at("code"), "field_not_granted");
  EXPECT_EQ(data.at("http_status"), 403);
  EXPECT_EQ(data.at("record"), "cin_a/zorp:k");
  EXPECT_EQ(data.at("field_path"), "a");
  bench.port.failure = Error{Code::kRsTimeout, "no answer within 10 s"};
  EXPECT_EQ(failed("pdpp://record/cin_a%2Fzorp%3Ak").kind, Kind::kInternal);
}

TEST_F(Resources, Base64DecodesPieceByPiece) {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  for (int i = 0; i < 70'001; ++i) bytes += static_cast<char>(i * 7 + i / 251);
  bench.add("zorp", "k",
            format(R"({{"photo":"{}","deep":[{{"p":"{}"}}]}})", base64::encode(bytes), base64::encode(bytes.substr(0, 300))));
  std::string rebuilt, uri = "pdpp://blob/" + model::encode_blob_handle({{"cin_a", "zorp", "k"}, "photo", 0, {}}), last;
  int pieces = 0;
  while (!uri.empty()) {
    const ResourceRead piece = read(uri);
    ASSERT_EQ(piece.items.size(), 1U);
    EXPECT_EQ(piece.items[0].mime_type, "image/png");
    const auto raw = base64::decode(*piece.items[0].blob);
    ASSERT_TRUE(raw);
    EXPECT_LE(raw->size(), 24'576U);
    rebuilt += *raw;
    last = uri;
    uri = meta_text(piece, "next_uri");
    ++pieces;
  }
  EXPECT_EQ(rebuilt, bytes);
  EXPECT_EQ(pieces, 3);
  const auto end = boost::json::parse(read(last).meta).at("dev.pdpp/resource");
  EXPECT_EQ(end.at("size_bytes").as_int64(), std::ssize(bytes));
  EXPECT_FALSE(end.at("previous_uri").is_null());
  const ResourceRead odd = read("pdpp://blob/" + model::encode_blob_handle({{"cin_a", "zorp", "k"}, "photo", 1'001, 10}));
  EXPECT_EQ(base64::decode(*odd.items[0].blob), bytes.substr(1'001, 10));
  const ResourceRead nested = read("pdpp://blob/" + model::encode_blob_handle({{"cin_a", "zorp", "k"}, "/deep/0/p", 0, {}}));
  EXPECT_EQ(base64::decode(*nested.items[0].blob), bytes.substr(0, 300));
}

TEST_F(Resources, BlobsAreReadThroughTheFieldThatNamesThem) {
  const std::string bytes = repeated("blob bytes ", 5'000);
  bench.port.blobs["b1"] = {"b1", "application/pdf", "sha256:00", 0, 0, bytes};
  bench.add("zorp", "k",
            R"({"ref":{"blob_id":"b1","mime_type":"application/pdf"},)"
            R"("link":{"mime_type":"text/html","url":"https://e.org"},"text":"plain"})");
  const auto uri = [](const char* path) {
    return "pdpp://blob/" + model::encode_blob_handle({{"cin_a", "zorp", "k"}, path, 0, {}});
  };
  ResourceRead piece = read(uri("ref"));
  EXPECT_EQ(base64::decode(*piece.items[0].blob), bytes.substr(0, 24'576));
  piece = read(meta_text(piece, "next_uri"));
  EXPECT_EQ(base64::decode(*piece.items[0].blob), bytes.substr(24'576, 24'576));
  EXPECT_EQ(boost::json::parse(piece.meta).at("dev.pdpp/resource").at("size_bytes"), 55'000);
  EXPECT_EQ(boost::json::parse(failed(uri("text")).data).at("code"), "invalid_request");
  EXPECT_EQ(boost::json::parse(failed(uri("link")).data).at("code"), "blob_not_found");
  bench.port.hidden_fields.insert("ref");
  EXPECT_EQ(boost::json::parse(failed(uri("ref")).data).at("code"), "field_not_granted") << "only through a readable field";
}

}  // namespace
}  // namespace ladder::mcp
