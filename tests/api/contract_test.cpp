// The contract of the port: every operation, refusal, window, cursor, cut and blob is the same through both ports.
#include "both_ports.h"

namespace ladder::api_tests {
namespace {

using test_support::at_cursor;
using test_support::at_offset;
using test_support::for_query;

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

class PortContract : public BothPorts {
 protected:
  static server::GrantSelection books(std::vector<std::string> fields = {"id", "title", "shelf", "pages", "lent", "read_at",
                                                                         "bought_at", "cover_id", "blob_ref"}) {
    return {"", "books", std::move(fields), {}, {}, {}};
  }
  static api::RecordsRequest page_of(std::string stream) {
    api::RecordsRequest request;
    request.stream = std::move(stream);
    return request;
  }
  static api::RecordRequest record_of(std::string connection, std::string stream, std::string key) {
    api::RecordRequest request;
    request.record = {std::move(connection), std::move(stream), std::move(key)};
    return request;
  }
  // Both ports must refuse with the same error.
  template <class T>
  static void refused(const Result<T>& result, Code code, std::string_view param = {}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, code) << result.error().message;
    if (!param.empty()) {
      EXPECT_EQ(result.error().param, param) << result.error().message;
    }
  }
};

TEST_P(PortContract, SchemasAreEqual) {
  fill(5, 1);
  put_line("l1", R"("book":"b0001","to":"Ada")", "home", "loans");
  grant({books({"id", "title", "pages"}), {"home", "loans", {"id", "book", "to"}, {}, {}, {}}});
  const auto view = schema({"books", {}, false, true});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->sources.at(0).streams.at(0).connections.size(), 2U);
  EXPECT_TRUE(schema({"books", "home", true, true}));
  EXPECT_TRUE(schema({"loans", {}, true, true}));
  refused(schema({"", {}, true, true}), Code::kInvalidRequest, "detail");
  EXPECT_TRUE(schema({"nothing", {}, false, true})->sources.empty());
}

// The index omits what a list of streams does not need: names, labels, connections and counts agree.
TEST_P(PortContract, SchemaIndexesAreEqual) {
  fill(5, 1);
  grant({books(), {"work", "notes", {"id", "body"}, {}, {}, {}}, {"home", "loans", {"id"}, {}, {}, {}}});
  const auto told = [](const api::SchemaView& view) {
    std::string text = view.token_kind + view.client_id;
    for (const std::string& grant : view.grant_ids) text += " " + grant;
    for (const api::SourceView& source : view.sources) {
      text += format("\n{} {} {} {}:", source.connector_key, source.source_kind, source.source_id, source.display_name);
      for (const api::StreamView& stream : source.streams) {
        text += format(" {}/{}/{}/{}", stream.name, stream.label, api::records_in(stream), stream.cursor_field);
        for (const auto& connection : stream.connections) text += " " + connection.connection_id + "=" + connection.display_name;
        for (const auto& field : stream.fields) text += format(" {}:{}:{}", field.name, field.type, field.granted);
      }
    }
    return text;
  };
  EXPECT_EQ(told(must(remote().schema({}, {}))), told(must(local().schema({}, {}))));
  EXPECT_EQ(told(must(remote().schema({"", "home", false, true}, {}))),
            told(must(local().schema({"", "home", false, true}, {}))));
}

TEST_P(PortContract, AnAmbiguousStreamIsRefusedEqually) {
  must(server().sources().add(owner(), test_support::notes_declaration("https://sources.example/others"), "others"));
  must(server().sources().add_connection(owner(), "others", "Others", "away"));
  put("n1", text_member("body", "here"));
  put("n1", text_member("body", "there"), "away");
  grant({{"work", "notes", {"id", "body"}, {}, {}, {}}, {"away", "notes", {"id", "body"}, {}, {}, {}}});
  const auto ambiguous = records(page_of("notes"));
  refused(ambiguous, Code::kAmbiguousConnection);
  EXPECT_EQ(ambiguous.error().more->available_connections.size(), 2U);
  refused(record(record_of("", "notes", "n1")), Code::kAmbiguousConnection);
  refused(window({{"", "notes", "n1"}, "body", {}}), Code::kAmbiguousConnection);
  EXPECT_TRUE(record(record_of("away", "notes", "n1")));
  EXPECT_EQ(must(schema({"notes", {}, false, true})).sources.size(), 2U);
  // The route has its own error code for this (PDPP "schema and streams").
  EXPECT_EQ(local().schema({"notes", {}, true, true}, {}).error().code, Code::kAmbiguousConnection);
  const auto detail = remote().schema({"notes", {}, true, true}, {});
  refused(detail, Code::kAmbiguousSchemaDetail);
  EXPECT_EQ(detail.error().more->available_connections.size(), 2U);
}

TEST_P(PortContract, PagesOfRecordsAreEqual) {
  fill(60, 7);
  grant({books()});
  // Each port follows its own cursors, in one order.
  api::RecordsRequest here = page_of("books"), there = page_of("books");
  here.limit = there.limit = 7;
  here.count = there.count = api::CountKind::kExact;
  int pages = 0;
  for (bool more = true; more && pages < 20; ++pages) {
    const auto one = must(local().records(here, {}));
    const auto other = must(remote().records(there, {}));
    EXPECT_EQ(told(other), told(one));
    here.cursor = one.next_cursor;
    there.cursor = other.next_cursor;
    more = one.has_more;
  }
  EXPECT_EQ(pages, 9);
  // A cursor may move between the ports: both belong to one server.
  here.cursor.clear();
  here.cursor = must(remote().records(here, {})).next_cursor;
  EXPECT_EQ(must(local().records(here, {})).records.size(), 7U);

  api::RecordsRequest request = page_of("books");
  request.scope.connection_id = "home";
  request.fields = {"title", "id"};
  request.filters = {{"pages", "gte", "100"}, {"lent", "", "true"}};
  request.descending = false;
  request.sort_field = "read_at";
  EXPECT_TRUE(records(request));
  request.window = true;
  EXPECT_TRUE(records(request)->window);
  request = page_of("books");
  request.limit = 1'000;
  EXPECT_EQ(must(records(request)).warnings.at(0).code, "limit_clamped");
}

TEST_P(PortContract, RelatedRecordsAreEqual) {
  put_line("b1", R"("title":"T","cover_id":"c1")", "home", "books");
  for (int i = 0; i < 5; ++i)
    put_line(format("l{}", i), format(R"("book":"b1","at":"2026-01-0{}T00:00:00Z")", i + 1), "home", "loans");
  put_line("c1", R"("colour":"red")", "home", "covers");
  put_line("b2", R"("title":"U")", "home", "books");
  grant({books(), {"home", "loans", {"id", "book", "at"}, {}, {}, {}}, {"home", "covers", {"id", "colour"}, {}, {}, {}}});
  api::RecordsRequest request = page_of("books");
  request.expand = {"loans", "cover"};
  request.expand_limits = {{"loans", 2}};
  EXPECT_EQ(must(records(request)).records.size(), 2U);
  api::RecordRequest one = record_of("home", "books", "b1");
  one.expand = {"loans", "cover"};
  const api::Record record_b1 = must(record(one));
  ASSERT_EQ(record_b1.expanded.size(), 2U);
  ASSERT_EQ(record_b1.expanded[1].records.size(), 1U);
  EXPECT_EQ(record_b1.expanded[1].records[0].ref.record_id, "c1");
  request.expand = {"nothing"};
  request.expand_limits.clear();
  refused(records(request), Code::kInvalidExpand);
}

TEST_P(PortContract, CutsAreListed) {
  const std::string exact = R"("pages":12345678901234567,"lent":true,"title":)";  // numbers are returned unchanged (D20)
  put_line("b1", exact + "\"" + repeated("漢🙂 ", 2'000) + "\"", "home", "books");
  put_line("b2", R"("title":"short")", "home", "books");
  put("n1", R"("blocks":{"a":[)" + repeated("1.50,", 3'000) + R"(2e3]})");
  grant({books(), {"work", "notes", {"id", "blocks"}, {}, {}, {}}});
  api::RecordsRequest request = page_of("books");
  request.max_field_chars = 400;
  request.max_bytes = 20'000;
  const auto page = must(records(request));
  const auto cut = std::ranges::find_if(page.records, [](const api::Record& record) { return !record.cut.empty(); });
  ASSERT_NE(cut, page.records.end());
  EXPECT_EQ(cut->cut.at(0).shown_chars, 400);
  EXPECT_NE(cut->data.find("12345678901234567"), std::string::npos);
  request.max_bytes = 200;
  EXPECT_TRUE(must(records(request)).has_more) << "it ends early";
  api::RecordRequest one = record_of("work", "notes", "n1");
  one.max_field_chars = 100;
  EXPECT_EQ(must(record(one)).cut.at(0).type, "object");
  EXPECT_TRUE(record(record_of("work", "notes", "n1"))) << "and whole";
}

TEST_P(PortContract, RecordRefusalsAreEqual) {
  fill(3, 3);
  grant({books({"id", "title"})});
  api::RecordsRequest request = page_of("books");
  request.fields = {"secret"};
  refused(records(request), Code::kFieldNotGranted, "fields");
  request.fields = {"nonsense"};
  refused(records(request), Code::kUnknownField, "fields");
  request = page_of("books");
  request.cursor = "nonsense";
  refused(records(request), Code::kInvalidCursor, "cursor");
  request = page_of("books");
  request.sort_field = "title";
  refused(records(request), Code::kInvalidSort);
  refused(records(page_of("loans")), Code::kStreamNotAllowed);
  refused(records(page_of("with space/and slash")), Code::kStreamNotAllowed);
  request = page_of("books");
  request.scope.connection_id = "nowhere";
  refused(records(request), Code::kConnectionNotFound);
  refused(record(record_of("home", "books", "nothing")), Code::kNotFound);
  api::RecordRequest one = record_of("home", "books", "b0000");
  one.fields = {"secret"};
  refused(record(one), Code::kFieldNotGranted);
}

TEST_P(PortContract, ChangesAreEqual) {
  fill(4, 4);
  grant({books()});
  api::RecordsRequest request = page_of("books");
  request.scope.connection_id = "home";
  request.changes_since = "beginning";
  const auto first = must(records(request));
  const std::string there = must(remote().records(request, {})).next_changes_since;
  ASSERT_FALSE(there.empty());
  const std::string gone = first.records.front().ref.record_id;
  delete_book("home", gone);
  request.changes_since = there;
  const auto changed = must(records(request));
  ASSERT_EQ(changed.records.size(), 1U);
  EXPECT_TRUE(changed.records.front().deleted);
  request.changes_since = "2026-01-01T00:00:00Z";
  refused(records(request), Code::kInvalidCursor);
}

TEST_P(PortContract, WindowsAndTheirCursorsAreEqual) {
  std::string body;
  for (int i = 0; i < 6'000; ++i) body += format("{} 漢🙂\n", i);
  put("n1", text_member("body", body) + R"(,"blocks":{"list":["first",{"deep":"nested text"}]})");
  grant({{"work", "notes", {"id", "body", "blocks"}, {}, {}, {}}});
  const api::FieldWindowRequest first{{"work", "notes", "n1"}, "body", {}};
  api::FieldWindowRequest request = first;
  std::string rebuilt;
  for (int reads = 0; reads < 20; ++reads) {
    const auto found = must(window(request));  // the same read gives the same window cursor
    rebuilt += found.text;
    if (found.next_cursor.empty()) break;
    request.window = at_cursor(found.next_cursor);
    request.window.limit_chars = 8'000;
  }
  EXPECT_EQ(rebuilt, body);
  request.window = at_cursor(must(window(request)).previous_cursor);
  EXPECT_TRUE(window(request));
  for (const auto& arguments : {at_offset(5, 3), at_offset(1'000'000, 10), for_query("1234 漢"), for_query("nowhere")}) {
    request = first;
    request.window = arguments;
    const auto found = window(request);
    EXPECT_EQ(found.has_value(), arguments.q != "nowhere");
  }
  request.window = for_query("漢");
  request.window.limit_chars = 4;
  const auto match = must(window(request));
  EXPECT_EQ(match.match->q, "漢");
  request.window = at_cursor(match.next_match_cursor);
  EXPECT_EQ(must(window(request)).match->q, "漢") << "the next one, with its query";
  request = first;
  for (const char* const path : {"blocks", "/blocks/list/1/deep", "/blocks/list/7"}) {
    request.field_path = path;
    EXPECT_EQ(window(request).has_value(), !std::string_view(path).ends_with("7"));
  }
}

TEST_P(PortContract, WindowRefusalsAreEqual) {
  put("n1",
      text_member("body", repeated("word ", 9'000)) + "," + text_member("title", repeated("word ", 9'000)) + R"(,"words":3)");
  put("n2", text_member("body", repeated("word ", 9'000)));
  grant({{"work", "notes", {"id", "body", "title", "words"}, {}, {}, {}}});
  const auto read = [](std::string key, std::string field, model::WindowArguments arguments) {
    return api::FieldWindowRequest{{"work", "notes", std::move(key)}, std::move(field), std::move(arguments)};
  };
  const std::string cursor = must(window(read("n1", "body", {}))).next_cursor;
  refused(window(read("n2", "body", at_cursor(cursor))), Code::kCursorMismatch, "cursor");
  refused(window(read("n1", "title", at_cursor(cursor))), Code::kCursorMismatch, "cursor");
  refused(window(read("n1", "body", at_cursor("nonsense"))), Code::kInvalidCursor, "cursor");
  refused(window(read("n1", "secret", {})), Code::kFieldNotGranted);
  refused(window(read("n1", "nonsense", {})), Code::kUnknownField);
  refused(window(read("n1", "words", {})), Code::kFieldNotText);
  refused(window(read("n2", "title", {})), Code::kFieldNotFound);
  refused(window(read("n3", "body", {})), Code::kNotFound);
  refused(window(read("n1", "/", {})), Code::kInvalidFieldPath);
  model::WindowArguments both = for_query("x");
  both.offset_chars = 3;
  refused(window(read("n1", "body", both)), Code::kInvalidWindow, "offset_chars");
  refused(window(read("n1", "body", at_offset(0, 16'385))), Code::kInvalidWindow, "limit_chars");
  put("n1", text_member("body", repeated("changed ", 9'000)));
  const auto stale = window(read("n1", "body", at_cursor(cursor)));
  refused(stale, Code::kStaleCursor);
  EXPECT_EQ(stale.error().more->resume_offset_chars, 4'096);
}

TEST_P(PortContract, SearchAndItsEvidenceAreEqual) {
  put_line("b1", R"("title":")" + repeated("filler words ", 500) + "a wombat sleeps " + repeated("and more ", 500) + "\"", "home",
           "books");
  for (int i = 0; i < 9; ++i)
    put_line(format("w{}", i), format(R"("title":"wombat {}","shelf":"wombat shelf")", i), "cabin", "books");
  grant({books()});
  api::SearchRequest here{"wombat", {}, {}, {}, 4, {}}, there = here;
  int hits = 0;
  for (bool more = true; more && hits < 50;) {
    const auto one = must(local().search(here, {}));
    const auto other = must(remote().search(there, {}));
    EXPECT_EQ(told(other), told(one));
    for (const auto& hit : one.hits) hits += 1 + static_cast<int>(hit.group ? hit.group->more : 0);
    here.cursor = one.next_cursor;
    there.cursor = other.next_cursor;
    more = one.has_more;
  }
  EXPECT_EQ(hits, 10);
  const auto narrow = must(search({"wombat sleeps", {"home", {}}, {"books"}, {}, {}, {}}));
  ASSERT_EQ(narrow.hits.size(), 1U);
  EXPECT_FALSE(narrow.hits.at(0).windows.empty());
  EXPECT_TRUE(must(search({"nowhere", {}, {}, {}, {}, {}})).hits.empty());
  put_line("s1", R"("title":"quokka dingo","shelf":"pair")", "home", "books");
  put_line("s2", R"("title":"numbat","shelf":"pair")", "home", "books");
  for (int i = 0; i < 3; ++i) put_line(format("n{}", i), format(R"("title":"numbat","shelf":"z{}")", i), "home", "books");
  const auto pair = must(search({"quokka dingo numbat", {}, {"books"}, {}, {}, {}}));
  ASSERT_GE(pair.hits.size(), 2U);
  ASSERT_TRUE(pair.hits[1].group.has_value());
  EXPECT_TRUE(pair.hits[1].group->second) << "it has the word that the first of its shelf lacks";
  refused(search({"wombat", {}, {"loans"}, {}, {}, {}}), Code::kStreamNotAllowed);
  refused(search({"wombat", {}, {}, {}, {}, "nonsense"}), Code::kInvalidCursor);
  refused(search({"wombat", {"nowhere", {}}, {}, {}, {}, {}}), Code::kConnectionNotFound);
}

TEST_P(PortContract, AggregatesAreEqual) {
  fill(80, 9);
  grant({books()});
  api::AggregateRequest request;
  request.stream = "books";
  EXPECT_EQ(must(aggregate(request)).value_json, "80");
  request.group_by = "shelf";
  request.limit = 2;
  EXPECT_EQ(must(aggregate(request)).groups.size(), 2U);
  request = {{}, "books", api::Metric::kCount, {}, {}, "bought_at", api::Granularity::kMonth, "Europe/Berlin", 100, {}};
  EXPECT_GT(must(aggregate(request)).groups.size(), 5U);
  for (const api::Metric metric : {api::Metric::kSum, api::Metric::kMin, api::Metric::kMax}) {
    request = {{}, "books", metric, "pages", {}, {}, {}, {}, {}, {{"lent", "", "true"}}};
    EXPECT_TRUE(aggregate(request));
  }
  request = {{"home", {}}, "books", api::Metric::kCountDistinct, "shelf", {}, {}, {}, {}, {}, {}};
  EXPECT_TRUE(aggregate(request));
  request.field = "secret";
  EXPECT_FALSE(aggregate(request));
}

TEST_P(PortContract, BlobsAreEqual) {
  std::string bytes = "%PDF";
  for (int i = 0; i < 70'000; ++i) bytes += static_cast<char>(i * 31 + i / 97);
  test_support::TextSource source(bytes);
  const api::Blob stored = must(server().ingest().put_blob(owner(), "application/pdf", source));
  put_line("b1", format(R"("title":"A","blob_ref":{{"blob_id":"{}","mime_type":"application/pdf"}})", stored.blob_id), "home",
           "books");
  grant({books()});
  EXPECT_EQ(must(blob({stored.blob_id, {}, 0, 1'000'000})).bytes, bytes);
  EXPECT_EQ(must(blob({stored.blob_id, {"home", {}}, 65'000, 24'576})).bytes, bytes.substr(65'000));
  EXPECT_EQ(must(blob({stored.blob_id, {}, 10, 5})).bytes, bytes.substr(10, 5));
  EXPECT_EQ(must(blob({stored.blob_id, {}, 0, 0})).size_bytes, std::ssize(bytes)) << "only the facts";
  EXPECT_TRUE(must(blob({stored.blob_id, {}, 1'000'000, 5})).bytes.empty()) << "past its end";
  refused(blob({"blob_sha256_nothing", {}, 0, 5}), Code::kBlobNotFound);
  const auto held = must(record(record_of("home", "books", "b1")));
  EXPECT_EQ(held.data.find("fetch_url"), std::string::npos) << "data is the stored data";
}

TEST_P(PortContract, ARevokedGrantIsRefusedAtOnce) {
  put("n1", text_member("body", "text"));
  const auto issued = issue({{"work", "notes", {"id", "body"}, {}, {}, {}}});
  const auto there = remote_port(url(), issued.token);
  server::LocalPort here(server().read_roles(), must(server().accesses().authenticate(issued.token)));
  EXPECT_TRUE(there->records(page_of("notes"), {}));
  ASSERT_TRUE(server().grants().revoke(owner(), issued.grant_ids.at(0)));
  refused(there->records(page_of("notes"), {}), Code::kGrantRevoked);
  refused(here.records(page_of("notes"), {}), Code::kGrantRevoked);
  refused(remote_port(url(), "nonsense")->records(page_of("notes"), {}), Code::kAuthentication);
}

TEST_P(PortContract, AnOwnersTokenIsRefused) {
  const auto port = remote_port(url(), must(server().owner_tokens().create(owner())));
  refused(port->schema({}, {}), Code::kPermission);
  refused(port->records(page_of("notes"), {}), Code::kPermission);
}

LADDER_FOR_EVERY_ENGINE(PortContract);

}  // namespace
}  // namespace ladder::api_tests
