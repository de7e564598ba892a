// The tools and resources over the real resource server, on both engines, under a grant: what the unit tests check with
// an in-memory server holds here, too (R3, R14, R48, R55–R58, R64, R65, R67, R69–R74, R99, R102–R104, R129, R181).
#include "api/render/render.h"
#include "base/text/base64.h"
#include "mcp/testing/tool_caller.h"
#include "model/handle.h"
#include "server/local_port.h"
#include "support/library_fixture.h"

namespace ladder {
namespace {

using mcp::testing::Answer;
using mcp::testing::json_text;
using test_support::must;
using test_support::text_member;

std::string repeated(std::string_view piece, std::size_t times) { return mcp::testing::repeated(piece, times); }

class ToolsOverStore : public test_support::LibraryFixture {
 protected:
  // A caller with this grant; its tools and resources.
  struct OwnPort {
    server::LocalPort port;
  };
  struct Caller : OwnPort, mcp::testing::ToolCaller {
    Caller(server::ResourceServer& server, server::Access access)
        : OwnPort{{server.read_roles(), std::move(access)}}, ToolCaller(port, "") {}
  };

  Caller caller(server::GrantSelection selection) { return {server(), client(std::move(selection))}; }

  static std::string rrf(std::string_view id, std::string_view field, const std::string& more = "") {
    return format(R"({{"id":{},"field_path":{}{}}})", json_text(id), json_text(field), more);
  }
};

TEST_P(ToolsOverStore, AFieldIsRebuiltForwardAndBackward) {
  std::string whole;
  for (int i = 0; i < 30'000; ++i) whole += format("{} 漢🙂\n", i);
  put("n1", text_member("body", whole));
  Caller agent = caller({"work", "notes", {"id", "body"}, {}, {}, {}});
  Answer answer = agent.call("read_record_field", rrf("work/notes:n1", "body", R"(,"limit_chars":16384)"));
  std::string rebuilt;
  while (true) {
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    EXPECT_EQ(mcp::testing::fenced_text(answer.text()), answer.string_at("/window/text"));
    rebuilt += answer.string_at("/window/text");
    if (answer.at("/window/next_cursor").is_null()) break;
    answer = agent.call(mcp::testing::calls_in(answer.lines()[1]).front());
  }
  EXPECT_EQ(rebuilt, whole);
  std::string backwards = answer.string_at("/window/text");
  while (!answer.at("/window/previous_cursor").is_null()) {
    const std::string cursor = answer.string_at("/window/previous_cursor");
    answer =
        agent.call("read_record_field", rrf("work/notes:n1", "body", format(R"(,"limit_chars":16384,"cursor":"{}")", cursor)));
    backwards = answer.string_at("/window/text") + backwards;
  }
  EXPECT_EQ(backwards, whole);
}

TEST_P(ToolsOverStore, TheNextMatchContinues) {
  put("n1",
      text_member("body", repeated("x ", 9'000) + "Wombat one " + repeated("y ", 9'000) + "wOMBAT two " + repeated("z ", 9'000)));
  Caller agent = caller({"work", "notes", {"id", "body"}, {}, {}, {}});
  const Answer first = agent.call("read_record_field", rrf("work/notes:n1", "body", R"(,"q":"wombat")"));
  EXPECT_EQ(first.number_at("/window/match/start_chars"), 18'000);
  EXPECT_EQ(first.number_at("/window/start_chars"), 18'000 - 2'048);
  const auto again = first.meta.at("dev.pdpp/match").at("read").at("args");
  const Answer second = agent.call("read_record_field", boost::json::serialize(again));
  EXPECT_EQ(second.number_at("/window/match/start_chars"), 18'000 + 11 + 18'000);
  const auto last = second.meta.at("dev.pdpp/match").at("read").at("args");
  EXPECT_EQ(agent.call("read_record_field", boost::json::serialize(last)).code(), "query_not_found");
}

TEST_P(ToolsOverStore, CursorsAreBound) {
  put("n1", text_member("body", repeated("word ", 9'000)) + "," + text_member("title", repeated("word ", 9'000)));
  put("n2", text_member("body", repeated("word ", 9'000)));
  Caller agent = caller({"work", "notes", {"id", "body", "title"}, {}, {}, {}});
  Caller other = caller({"work", "notes", {"id", "body", "title"}, {}, {}, {}});
  const std::string cursor = agent.call("read_record_field", rrf("work/notes:n1", "body")).string_at("/window/next_cursor");
  const std::string with = format(R"(,"cursor":"{}")", cursor);
  EXPECT_FALSE(agent.call("read_record_field", rrf("work/notes:n1", "body", with)).result.is_error);
  EXPECT_EQ(agent.call("read_record_field", rrf("work/notes:n2", "body", with)).code(), "cursor_mismatch");
  EXPECT_EQ(agent.call("read_record_field", rrf("work/notes:n1", "title", with)).code(), "cursor_mismatch");
  EXPECT_EQ(other.call("read_record_field", rrf("work/notes:n1", "body", with)).code(), "cursor_mismatch");
  put("n1", text_member("body", repeated("changed ", 9'000)));
  const Answer stale = agent.call("read_record_field", rrf("work/notes:n1", "body", with));
  EXPECT_EQ(stale.code(), "stale_cursor");
  EXPECT_FALSE(agent.call(stale.calls().front()).result.is_error) << "the error says how to go on";
}

TEST_P(ToolsOverStore, UngrantedDataIsRefusedInEveryForm) {
  put("n1", text_member("body", "open") + "," + text_member("secret", "HIDDEN words"));
  Caller agent = caller({"work", "notes", {"id", "body"}, {}, {}, {}});
  const Answer refused = agent.call("read_record_field", rrf("work/notes:n1", "secret"));
  EXPECT_EQ(refused.code(), "field_not_granted");
  EXPECT_FALSE(refused.has("HIDDEN"));
  const auto read =
      agent.read("pdpp://field-window/" + model::encode_field_window_handle({{"work", "notes", "n1"}, "secret", {}}));
  const auto* const failure = std::get_if<mcp::ResourceFailure>(&read);
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(boost::json::parse(failure->data).at("code"), "field_not_granted");
  for (const Answer& answer :
       {agent.call("fetch", R"({"id":"work/notes:n1"})"), agent.call("query_records", R"({"stream":"notes"})")}) {
    EXPECT_FALSE(answer.has("HIDDEN"));
    EXPECT_EQ(answer.result.structured.find("HIDDEN"), std::string::npos);
  }
  EXPECT_EQ(agent.call("fetch", R"({"id":"work/notes:n1","fields":["secret"]})").code(), "field_not_granted");
  EXPECT_EQ(agent.call("fetch", R"({"id":"work/diary:n1"})").code(), "grant_stream_not_allowed");
}

TEST_P(ToolsOverStore, BytesStayMetadataAndDecodeThroughTheirHandle) {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 31 + i / 97);
  put("n1", text_member("body", base64::encode(bytes)) + "," + text_member("title", repeated("long words ", 90'000)));
  put("n2", text_member("body", base64::encode(bytes.substr(0, 300))));
  Caller agent = caller({"work", "notes", {"id", "body", "title"}, {}, {}, {}});
  for (const Answer& answer :
       {agent.call("query_records", R"({"stream":"notes"})"), agent.call("fetch", R"({"id":"work/notes:n1"})"),
        agent.call("fetch", R"({"id":"work/notes:n2"})")}) {
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    EXPECT_EQ(answer.result.text.find("iVBORw0K"), std::string::npos);
    EXPECT_EQ(answer.result.structured.find("iVBORw0K"), std::string::npos);
  }
  const Answer document = agent.call("fetch", R"({"id":"work/notes:n1"})");
  const auto& field = document.at("/metadata/binary_fields/0");
  EXPECT_EQ(field.at("mime_type"), "image/png");
  EXPECT_TRUE(field.at("digest").as_string().starts_with("sha256:"));
  EXPECT_EQ(agent.read_blob(std::string(field.at("resource").as_string())), bytes);
}

TEST_P(ToolsOverStore, BlobsAreReadThroughTheirRecord) {
  const std::string bytes = repeated("blob bytes ", 6'000);
  test_support::TextSource source(bytes);
  const api::Blob stored = must(server().ingest().put_blob(owner(), "application/pdf", source));
  put_line("b1", format(R"("title":"A book","blob_ref":{{"blob_id":"{}","mime_type":"application/pdf"}})", stored.blob_id),
           "home", "books");
  Caller agent = caller({"home", "books", {"id", "title", "blob_ref"}, {}, {}, {}});
  const Answer page = agent.call("query_records", R"({"stream":"books"})");
  const auto& field = page.at("/content_ladder/records/0/binary_fields/0");
  EXPECT_EQ(std::string(field.at("blob_id").as_string()), stored.blob_id);
  EXPECT_TRUE(page.at("/data/data/0/data/blob_ref").as_object().contains("fetch_url"));
  const auto read = agent.read(std::string(field.at("resource").as_string()));
  const auto* const piece = std::get_if<mcp::ResourceRead>(&read);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(base64::decode(*piece->items.at(0).blob), bytes.substr(0, 24'576));
  EXPECT_EQ(boost::json::parse(piece->meta).at("dev.pdpp/resource").at("size_bytes"), 66'000);
}

TEST_P(ToolsOverStore, PagesEqualTheStores) {
  for (int i = 0; i < 60; ++i) {
    put_line(format("b{:02}", i),
             format(R"("title":{},"pages":{},"bought_at":"2026-01-{:02}T00:00:00Z")", json_text(repeated("Title \"x\" ", 200)), i,
                    i % 28 + 1),
             i % 2 ? "home" : "cabin", "books");
  }
  Caller agent = caller({"", "books", {"id", "title", "pages"}, {}, {}, {}});
  std::size_t seen = 0;
  std::string args = R"({"stream":"books","limit":100,"filter":{"pages":{"gte":10}}})";
  while (true) {
    const Answer page = agent.call("query_records", args);
    ASSERT_FALSE(page.result.is_error) << page.text();
    for (const auto& record : page.at("/data/data").as_array()) {
      EXPECT_TRUE(page.has(format("id={}/books:{} ", std::string(record.at("connection_id").as_string()),
                                  std::string(record.at("id").as_string()))));
      ++seen;
    }
    if (!page.at("/data/has_more").as_bool()) break;
    args = page.calls().back().args;
  }
  EXPECT_EQ(seen, 50U);
  const Answer read = agent.call(agent.call("query_records", R"({"stream":"books","limit":1})").calls().front());
  EXPECT_EQ(read.number_at("/window/start_chars"), 400);
}

TEST_P(ToolsOverStore, SchemaAndAggregateWork) {
  put_line("b1", R"("title":"T","shelf":"A","pages":3)", "home", "books");
  Caller agent = caller({"", "books", {"id", "title", "shelf", "pages"}, {}, {}, {}});
  const Answer index = agent.call("schema", "{}");
  EXPECT_TRUE(index.has("stream name=\"books\"")) << index.text();
  const Answer detail = agent.call("schema", R"({"stream":"books"})");
  EXPECT_TRUE(detail.has("  field pages t=integer,eq,r=gte|gt|lte|lt")) << detail.text();
  EXPECT_TRUE(detail.has("  field secret t=string,g=false"));
  EXPECT_TRUE(detail.has("connection_id=\"cabin\"") && detail.has("connection_id=\"home\""));
  EXPECT_FALSE(agent.call("schema", R"({"stream":"books","detail":"full"})").result.is_error);
  const Answer groups = agent.call("aggregate", R"({"stream":"books","metric":"count","group_by":"shelf"})");
  EXPECT_TRUE(groups.has("[\"A\"=1]")) << groups.text();
}

TEST_P(ToolsOverStore, SearchHitsHaveEvidence) {
  put_line(
      "b1",
      format(R"("title":{})", json_text(repeated("filler words ", 500) + "a wombat sleeps here " + repeated("and more ", 500))),
      "home", "books");
  put_line("b2", R"("title":"another wombat","shelf":"wombat shelf")", "cabin", "books");
  Caller agent = caller({"", "books", {"id", "title", "shelf"}, {}, {}, {}});
  const Answer answer = agent.call("search", R"({"query":"wombat"})");
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  ASSERT_EQ(answer.at("/results").as_array().size(), 2U) << answer.text();
  for (int i = 0; i < 2; ++i) {
    const auto calls = mcp::testing::calls_in(answer.lines()[static_cast<std::size_t>(i)]);
    ASSERT_FALSE(calls.empty()) << answer.text();
    const Answer window = agent.call(calls.front());
    EXPECT_NE(window.string_at("/window/text").find("wombat"), std::string::npos);
  }
  EXPECT_FALSE(agent.call("fetch", format(R"({{"id":{}}})", json_text(answer.string_at("/results/0/id")))).result.is_error);
}

TEST_P(ToolsOverStore, ASecondHitOfAGroupIsShort) {
  put_line("s1", R"("title":"quokka dingo","shelf":"pair")", "home", "books");
  put_line("s2", R"("title":"numbat","shelf":"pair")", "home", "books");
  for (int i = 0; i < 3; ++i)
    put_line(format("n{}", i), format(R"("title":"{}","shelf":"z{}")", i == 0 ? "numbat" : "atlas", i), "home", "books");
  Caller agent = caller({"home", "books", {"id", "title", "shelf"}, {}, {}, {}});
  const Answer answer = agent.call("search", R"({"query":"quokka dingo numbat"})");
  EXPECT_EQ(answer.string_at("/results/1/id"), "home/books:s2");
  EXPECT_EQ(answer.at("/results/1/group/second"), true);
  EXPECT_EQ(answer.at("/results/1/group").as_object().contains("more"), false);
  EXPECT_NE(answer.text().find(" second hit in this shelf\n"), std::string::npos) << answer.text();
}

LADDER_FOR_EVERY_ENGINE(ToolsOverStore);

}  // namespace
}  // namespace ladder
