// The six tools and the resources return the same bytes whether the adapter reads its own store or asks `ladder serve`
// (design D9, section 1). Only list cursors differ between two calls, since each is sealed with a new nonce;
// contract_test.cpp compares them by following them. Window cursors are equal for the same read.
#include "both_ports.h"
#include "mcp/testing/tool_caller.h"
#include "model/handle.h"

namespace ladder::api_tests {
namespace {

using mcp::testing::Answer;
using mcp::testing::json_text;
using mcp::testing::ToolCaller;

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

class ToolsAlike : public BothPorts {
 protected:
  // Calls both and returns the local result.
  Answer alike(std::string_view tool, std::string_view args) {
    const Answer here = ToolCaller(local()).call(tool, args);
    const Answer there = ToolCaller(remote()).call(tool, args);
    const bool is_list = tool == "query_records" || tool == "search";
    const auto shown = [&](const std::string& text) { return without_request_id(is_list ? masked(text) : text); };
    EXPECT_EQ(shown(there.result.text), shown(here.result.text)) << tool << " " << args;
    EXPECT_EQ(shown(there.result.structured), shown(here.result.structured)) << tool << " " << args;
    EXPECT_EQ(there.result.meta, here.result.meta) << tool << " " << args;
    EXPECT_EQ(there.result.outcome, here.result.outcome);
    return here;
  }
  Answer alike(const mcp::ToolCall& call) { return alike(call.tool, call.args); }

  // Removes the one intended difference: over HTTP a request has the other server's request id.
  static std::string without_request_id(const std::string& text) {
    static const std::regex kId(R"re(,"request_id":"[a-z0-9_]*")re");
    return std::regex_replace(text, kId, "");
  }
  static std::string masked(const std::string& text) {
    static const std::regex kFresh(
        R"re((\\?"next_(cursor|changes_since)\\?":|next_(cursor|changes_since)=|cursor=|"cursor":)"?[A-Za-z0-9_-]{60,}"?)re");
    return std::regex_replace(text, kFresh, "$1…");
  }
};

TEST_P(ToolsAlike, EveryToolAndResourceIsEqual) {
  for (int i = 0; i < 30; ++i) {
    put_line(
        format("b{:02}", i),
        format(R"("title":{},"shelf":"S{}","pages":{},"bought_at":"2026-01-{:02}T00:00:00Z","read_at":"2026-02-{:02}T00:00:00Z")",
               json_text(repeated("Wombat 漢🙂 words ", i * 30 + 1)), i % 3, i, i % 28 + 1, i % 28 + 1),
        i % 2 ? "home" : "cabin", "books");
  }
  for (int i = 0; i < 4; ++i) put_line(format("l{}", i), R"("book":"b01","to":"Ada")", "home", "loans");
  put("n1", text_member("body", repeated("the lazy dog sleeps. ", 3'000)) + R"(,"blocks":{"list":["a",{"deep":"text"}]})");
  const std::string bytes = repeated("blob bytes ", 6'000);
  test_support::TextSource source(bytes);
  const api::Blob stored = must(server().ingest().put_blob(owner(), "application/pdf", source));
  put_line("b90", format(R"("title":"With a blob","blob_ref":{{"blob_id":"{}","mime_type":"application/pdf"}})", stored.blob_id),
           "home", "books");
  grant({{"", "books", {"id", "title", "shelf", "pages", "bought_at", "read_at", "blob_ref"}, {}, {}, {}},
         {"home", "loans", {"id", "book", "to"}, {}, {}, {}},
         {"work", "notes", {"id", "body", "blocks"}, {}, {}, {}}});

  alike("schema", "{}");
  alike("schema", R"({"connection_id":"home"})");
  alike("schema", R"({"stream":"books"})");
  alike("schema", R"({"stream":"books","connection_id":"cabin"})");
  alike("schema", R"({"stream":"notes","detail":"full"})");
  alike("schema", R"({"detail":"full"})");
  alike("schema", R"({"stream":"nothing"})");

  alike("query_records", R"({"stream":"books","limit":4})");
  alike("query_records", R"({"stream":"books","limit":3,"fields":["title","id"],"order":"asc","count":"exact"})");
  alike("query_records", R"({"stream":"books","connection_id":"home","filter":{"pages":{"gte":3,"lt":9}}})");
  alike("query_records", R"({"stream":"books","limit":2,"expand":["loans"],"filter":{"pages":1}})");
  alike("query_records", R"({"stream":"notes"})");
  alike("query_records", R"({"stream":"books","fields":["secret"]})");
  alike("query_records", R"({"stream":"books","expand":["nothing"]})");
  alike("query_records", R"({"stream":"books","cursor":"nonsense"})");
  alike("query_records", R"({"stream":"nothing"})");

  alike("aggregate", R"({"stream":"books","metric":"count","group_by":"shelf"})");
  alike("aggregate", R"({"stream":"books","metric":"count","group_by_time":"bought_at","granularity":"week"})");
  alike("aggregate", R"({"stream":"books","metric":"max","field":"bought_at"})");
  alike("aggregate", R"({"stream":"books","metric":"sum","field":"title"})");

  const Answer found = alike("search", R"({"query":"wombat","limit":5})");
  for (const mcp::ToolCall& call : found.calls()) {
    if (call.tool != "search") alike(call);
  }
  alike("search", R"({"query":"lazy dog","streams":["notes"]})");
  alike("search", R"({"query":"nowhere"})");
  alike("search", R"({"query":"wombat","streams":["nothing"]})");

  alike("fetch", R"({"id":"home/books:b29"})");
  alike("fetch", R"({"id":"home/books:b90"})");
  alike("fetch", R"({"id":"work/notes:n1"})");
  alike("fetch", R"({"id":"notes:n1","fields":["blocks"]})");
  alike("fetch", R"({"id":"home/books:nothing"})");
  alike("fetch", R"({"id":"home/books:b01","expand":["loans"],"expand_limit":{"loans":2}})");

  Answer window = alike("read_record_field", R"({"id":"work/notes:n1","field_path":"body"})");
  window = alike(mcp::testing::calls_in(window.lines()[1]).front());
  alike("read_record_field",
        format(R"({{"id":"work/notes:n1","field_path":"body","cursor":"{}"}})", window.string_at("/window/previous_cursor")));
  window = alike("read_record_field", R"({"id":"work/notes:n1","field_path":"body","q":"LAZY","limit_chars":30})");
  alike("read_record_field", boost::json::serialize(window.meta.at("dev.pdpp/match").at("read").at("args")));
  alike("read_record_field", R"({"id":"work/notes:n1","field_path":"/blocks/list/1/deep"})");
  alike("read_record_field", R"({"id":"work/notes:n1","field_path":"blocks","offset_chars":3,"limit_chars":5})");
  alike("read_record_field", R"({"id":"work/notes:n1","field_path":"secret"})");
  alike("read_record_field", R"({"id":"work/notes:n1","field_path":"body","cursor":"nonsense"})");
  alike("read_record_field", R"({"id":"work/notes:n1","field_path":"body","q":"nowhere"})");

  for (const std::string& uri :
       {"pdpp://record/" + model::encode_record_handle({"home", "books", "b29"}), std::string("pdpp://stream/books"),
        "pdpp://field-window/" + model::encode_field_window_handle({{"work", "notes", "n1"}, "body", {}}),
        "pdpp://field-window/" + model::encode_field_window_handle({{"work", "notes", "n1"}, "secret", {}}),
        "pdpp://blob/" + model::encode_blob_handle({{"home", "books", "b90"}, "blob_ref", 30'000, {}})}) {
    const auto here = ToolCaller(local()).read(uri);
    const auto there = ToolCaller(remote()).read(uri);
    ASSERT_EQ(here.index(), there.index()) << uri;
    if (const auto* const read = std::get_if<mcp::ResourceRead>(&here)) {
      const auto& other = std::get<mcp::ResourceRead>(there);
      EXPECT_EQ(other.meta, read->meta);
      ASSERT_EQ(other.items.size(), read->items.size());
      for (std::size_t i = 0; i < read->items.size(); ++i) {
        EXPECT_EQ(other.items[i].text, read->items[i].text) << uri;
        EXPECT_EQ(other.items[i].blob, read->items[i].blob) << uri;
      }
    } else {
      EXPECT_EQ(without_request_id(std::get<mcp::ResourceFailure>(there).data),
                without_request_id(std::get<mcp::ResourceFailure>(here).data))
          << uri;
    }
  }
}

LADDER_FOR_EVERY_ENGINE(ToolsAlike);

}  // namespace
}  // namespace ladder::api_tests
