// Pages and single records under a grant: one order over several connections, exact projections, correct cuts.
#include "support/server_fixture.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder {
namespace {

using test_support::must;
using test_support::text_member;
using Ids = std::vector<std::string>;

class Records : public test_support::ServerFixture {
 protected:
  static api::RecordsRequest notes() {
    api::RecordsRequest request;
    request.stream = "notes";
    return request;
  }
  static std::string dated(int day) { return format("\"updated_at\":\"2026-01-{:02}T00:00:00Z\"", day); }

  // Returns every record of the list as "connection:key", page by page.
  Ids walk(const server::Access& access, api::RecordsRequest request) {
    Ids ids;
    for (int pages = 0; pages < 1'000; ++pages) {
      const api::RecordsPage page = must(server().reads().records(access, request));
      for (const api::Record& record : page.records) ids.push_back(record.ref.connection_id + ":" + record.ref.record_id);
      EXPECT_EQ(page.has_more, !page.next_cursor.empty());
      if (!page.has_more) return ids;
      request.cursor = page.next_cursor;
    }
    ADD_FAILURE() << "the list does not end";
    return ids;
  }
};

TEST_P(Records, ConnectionsAreMergedInOneOrder) {
  must(server().sources().add_connection(owner(), "notes", "", "home"));
  for (int day = 1; day <= 20; ++day) put(format("k{}", day), dated(day), day % 3 ? "work" : "home");
  put("same", dated(10), "work");
  put("same", dated(10), "home");
  put("undated", text_member("title", "x"), "home");
  const auto position = [](const std::string& id) { return id; };
  for (const bool descending : {true, false}) {
    for (const std::int64_t limit : {1, 2, 7, 100}) {
      api::RecordsRequest request = notes();
      request.descending = descending;
      request.limit = limit;
      const Ids ids = walk(owner(), request);
      EXPECT_EQ(ids.size(), 23U);
      EXPECT_EQ((std::set<std::string>(ids.begin(), ids.end()).size()), 23U);
      EXPECT_EQ(ids.back(), "home:undated") << "missing values come last both ways";
      EXPECT_EQ(ids.front(), descending ? "work:k20" : "work:k1");
      const auto work = std::ranges::find(ids, "work:same", position), home = std::ranges::find(ids, "home:same", position);
      EXPECT_EQ(std::abs(work - home), 1);
    }
  }
}

TEST_P(Records, UndatedRecordsCanBeListedAlone) {
  must(server().sources().add_connection(owner(), "notes", "", "home"));
  put("dated", dated(1), "work");
  for (const char* const key : {"a", "b", "c"}) put(key, text_member("title", "x"), "work");
  put("b", text_member("title", "x"), "home");
  for (const bool descending : {true, false}) {
    for (const std::int64_t limit : {1, 2, 100}) {
      api::RecordsRequest request = notes();
      request.undated = true;
      request.descending = descending;
      request.limit = limit;
      Ids ids = walk(owner(), request);
      std::ranges::sort(ids);
      EXPECT_EQ(ids, (Ids{"home:b", "work:a", "work:b", "work:c"}));
    }
  }
  api::RecordsRequest request = notes();
  request.undated = true;
  EXPECT_TRUE(walk(client({"work", "notes", {}, parse_time("2026-01-01"), {}, {}}), request).empty())
      << "a grant of a time range never includes them";
  const server::Access by_key = client({"work", "notes", {"id", "title"}, {}, {}, {}});
  EXPECT_EQ(server().reads().records(by_key, request).error().code, Code::kInvalidSort);
}

TEST_P(Records, OrderIsByKeyWithoutTheCursorField) {
  for (int i = 0; i < 10; ++i) put(format("k{}", i), dated(20 - i));
  api::RecordsRequest request = notes();
  request.descending = false;
  request.limit = 3;
  EXPECT_EQ(walk(owner(), request).front(), "work:k9");
  EXPECT_EQ(walk(client({"work", "notes", {"id", "title"}, {}, {}, {}}), request).front(), "work:k0");
}

TEST_P(Records, DataHasExactlyTheRequestedMembers) {
  put("n1", R"("title":"a\u00e9\/","words":12345678901234567890,"body":"b","secret":"s","blocks":{"z":1.10, "a":[1e2]})");
  const server::Access access = client({"work", "notes", {"id", "title", "words", "blocks"}, {}, {}, {}});
  api::RecordRequest request{{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}};
  EXPECT_EQ(must(server().reads().record(access, request)).data,
            R"({"id":"n1","title":"a\u00e9\/","words":12345678901234567890,"blocks":{"z":1.10, "a":[1e2]}})");
  request.fields = {"words", "title"};
  EXPECT_EQ(must(server().reads().record(access, request)).data, R"({"title":"a\u00e9\/","words":12345678901234567890})");
  request.fields = {"secret"};
  EXPECT_EQ(server().reads().record(access, request).error().code, Code::kFieldNotGranted);
  request.fields = {"nosuch"};
  EXPECT_EQ(server().reads().record(access, request).error().code, Code::kUnknownField);
}

TEST_P(Records, LongValuesAreCompleteOrCutAndListed) {
  std::string text;
  while (text.size() < 20'000) text += "Zeile \"mit\" Ümläuten und 🙂\n";
  std::string base64;
  while (base64.size() < 8'000) base64 += "iVBORw0KGgoAAAANSUhEUgAA";
  base64.back() = '=';
  put("n1", text_member("body", text) + "," + text_member("secret", base64) + "," + text_member("title", std::string(500, 't')));
  api::RecordRequest request{{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}};
  const api::Record whole = must(server().reads().record(owner(), request));
  EXPECT_TRUE(whole.cut.empty());
  EXPECT_EQ(whole.data, R"({"id":"n1",)" + text_member("body", text) + "," + text_member("secret", base64) + "," +
                            text_member("title", std::string(500, 't')) + "}");

  request.max_field_chars = 400;
  const api::Record cut = must(server().reads().record(owner(), request));
  std::map<std::string, api::CutField> by_path;
  for (const api::CutField& field : cut.cut) by_path[field.path] = field;
  ASSERT_EQ(by_path.size(), 3U);
  EXPECT_EQ(by_path["body"].shown_chars, 400);
  EXPECT_EQ(by_path["body"].size_chars, must(read(owner(), "n1", "body")).size_chars);
  EXPECT_EQ(by_path["body"].digest, must(read(owner(), "n1", "body")).digest);
  EXPECT_FALSE(by_path["secret"].text_like);
  EXPECT_EQ(by_path["secret"].shown_chars, 0);
  EXPECT_EQ(by_path["secret"].size_bytes, std::ssize(base64) / 4 * 3 - 1) << "the last of them is padding";
  EXPECT_EQ(must(read(owner(), "n1", "secret")).size_bytes, by_path["secret"].size_bytes);
  EXPECT_EQ(by_path["body"].size_bytes, -1);
  EXPECT_EQ(by_path["title"].size_chars, 500);
  EXPECT_EQ(by_path["title"].digest, must(read(owner(), "n1", "title")).digest);
  EXPECT_NE(cut.data.find("\"secret\":\"\""), std::string::npos);
  EXPECT_LT(cut.data.size(), 2'000U);
  // The window continues exactly at the cut.
  const auto shown = json::decode_string(json::raw_content(*json::member(cut.data, "body")));
  EXPECT_EQ(shown, must(read(owner(), "n1", "body", test_support::at_offset(0, 400))).text);
}

TEST_P(Records, ADeclaredMimeTypeIsUsed) {
  std::string declaration = test_support::notes_declaration("https://sources.example/scans");
  const std::string_view plain = R"("secret":{"type":"string"})";
  declaration.replace(declaration.find(plain), plain.size(), R"("secret":{"type":"string","contentMediaType":"image/x-scan"})");
  must(server().sources().add(owner(), declaration, "scans"));
  must(server().sources().add_connection(owner(), "scans", "", "desk"));
  std::string base64;
  while (base64.size() < 8'000) base64 += "iVBORw0KGgoAAAANSUhEUgAA";
  ingest(test_support::record_line("n1", text_member("secret", base64)), "desk", "notes");
  api::RecordRequest request{{"desk", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}};
  request.max_field_chars = 400;
  const api::Record record = must(server().reads().record(owner(), request));
  ASSERT_EQ(record.cut.size(), 1U);
  EXPECT_EQ(record.cut.front().mime_type, "image/x-scan") << "not the type of the first bytes";
  const api::FieldWindowRequest window{{"desk", "notes", "n1"}, "secret", {}};
  EXPECT_EQ(must(server().windows().read(owner(), window)).mime_type, "image/x-scan");
}

TEST_P(Records, APageEndsEarlyAtItsByteLimit) {
  for (int i = 0; i < 10; ++i) put(format("k{}", i), dated(i + 1) + "," + text_member("body", std::string(3'000, 'x')));
  api::RecordsRequest request = notes();
  request.max_bytes = 7'000;
  const api::RecordsPage page = must(server().reads().records(owner(), request));
  EXPECT_EQ(page.records.size(), 2U);
  EXPECT_TRUE(page.has_more);
  EXPECT_EQ(walk(owner(), request).size(), 10U);
  request.max_bytes = 10;  // less than any record: still one per page, cut
  EXPECT_EQ(walk(owner(), request).size(), 10U);
}

TEST_P(Records, HiddenRecordsAreNeitherListedNorCounted) {
  for (int day = 1; day <= 20; ++day) put(format("k{:02}", day), dated(day));
  server::GrantSelection selection{"work", "notes", {}, parse_time("2026-01-05"), parse_time("2026-01-09"), {}};
  api::RecordsRequest request = notes();
  request.count = api::CountKind::kExact;
  const api::RecordsPage page = must(server().reads().records(client(selection), request));
  EXPECT_EQ(page.records.size(), 4U);
  EXPECT_EQ(page.count.value, 4);
  EXPECT_FALSE(page.has_more);
  selection.since = selection.until = {};
  selection.records = {"k03", "k17"};
  EXPECT_EQ(walk(client(selection), notes()), (Ids{"work:k17", "work:k03"}));
  EXPECT_EQ(must(server().reads().records(owner(), request)).count.value, 20);
}

TEST_P(Records, FiltersNeedAGrantedDeclaredScalarField) {
  put("a", R"("title":"x","words":1)");
  put("b", R"("title":"y","words":2)");
  put("c", R"("title":"x","words":12345678901234567890)");
  api::RecordsRequest request = notes();
  request.filters = {{"title", "", "x"}};
  EXPECT_EQ(walk(owner(), request).size(), 2U);
  request.filters = {{"words", "", "12345678901234567891"}};
  EXPECT_EQ(walk(owner(), request).size(), 0U) << "numbers beyond a double's precision compare exactly";
  request.filters = {{"words", "", "12345678901234567890"}};
  EXPECT_EQ(walk(owner(), request), (Ids{"work:c"}));
  const auto code = [&](const server::Access& access, api::Filter filter) {
    request.filters = {std::move(filter)};
    return server().reads().records(access, request).error().code;
  };
  EXPECT_EQ(code(owner(), {"nosuch", "", "x"}), Code::kUnknownField);
  EXPECT_EQ(code(owner(), {"blocks", "", "x"}), Code::kInvalidRequest);
  EXPECT_EQ(code(owner(), {"words", "gte", "1"}), Code::kInvalidRequest);  // not declared
  EXPECT_EQ(code(owner(), {"words", "", "one"}), Code::kInvalidRequest);
  EXPECT_EQ(code(client({"work", "notes", {"id"}, {}, {}, {}}), {"title", "", "x"}), Code::kFieldNotGranted);
}

TEST_P(Records, CursorsAreBoundToTheirList) {
  for (int i = 0; i < 5; ++i) put(format("k{}", i), dated(i + 1));
  api::RecordsRequest request = notes();
  request.limit = 2;
  const std::string cursor = must(server().reads().records(owner(), request)).next_cursor;
  request.cursor = cursor;
  request.descending = false;
  EXPECT_EQ(server().reads().records(owner(), request).error().code, Code::kCursorMismatch);
  request.descending = true;
  EXPECT_EQ(server().reads().records(client({"work", "notes", {}, {}, {}, {}}), request).error().code, Code::kCursorMismatch);
  request.cursor = "garbage";
  EXPECT_EQ(server().reads().records(owner(), request).error().code, Code::kInvalidCursor);
}

TEST_P(Records, LimitsClampAndRefusalsAreTyped) {
  put("n1", text_member("body", "x"));
  api::RecordsRequest request = notes();
  request.limit = 1'000;
  const api::RecordsPage page = must(server().reads().records(owner(), request));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "limit_clamped");
  request.stream = "diary";
  EXPECT_EQ(server().reads().records(client({"work", "notes", {}, {}, {}, {}}), request).error().code, Code::kStreamNotAllowed);
  request.stream = "nosuch";
  EXPECT_EQ(server().reads().records(client({"work", "notes", {}, {}, {}, {}}), request).error().code, Code::kStreamNotAllowed);
  api::RecordRequest one{{"work", "notes", "nosuch"}, {}, {}, {}, {}, {}, {}, {}};
  EXPECT_EQ(server().reads().record(owner(), one).error().code, Code::kNotFound);
}

TEST_P(Records, AWalkDuringWritesSeesUnchangedRecordsOnce) {
  for (int i = 0; i < 60; ++i) put(format("k{:02}", i), dated(i % 28 + 1));
  api::RecordsRequest request = notes();
  request.limit = 7;
  std::multiset<std::string> seen;
  for (int page_no = 0;; ++page_no) {
    const api::RecordsPage page = must(server().reads().records(owner(), request));
    for (const api::Record& record : page.records) seen.insert(record.ref.record_id);
    if (!page.has_more) break;
    request.cursor = page.next_cursor;
    // Records are added, changed and deleted between pages.
    put(format("new{}", page_no), dated(page_no % 28 + 1));
    put(format("k{:02}", page_no), dated(28) + "," + text_member("title", "moved"));
    ingest(format("{{\"key\":\"k{:02}\",\"op\":\"delete\"}}\n", 59 - page_no));
  }
  for (int i = 12; i < 45; ++i) EXPECT_EQ(seen.count(format("k{:02}", i)), 1U) << i;
}

TEST_P(Records, SchemaShowsExactlyTheGrantedFields) {
  for (int i = 0; i < 3; ++i) put(format("k{}", i), dated(i + 1));
  const api::SchemaView all = must(server().reads().schema(owner(), {}));
  ASSERT_EQ(all.sources.size(), 1U);
  EXPECT_EQ(all.sources[0].streams.size(), 2U);
  EXPECT_EQ(all.sources[0].streams[0].connections.at(0).record_count, 3);
  const api::SchemaView granted = must(server().reads().schema(client({"work", "notes", {"id", "title"}, {}, {}, {}}), {}));
  ASSERT_EQ(granted.sources.at(0).streams.size(), 1U);
  const api::StreamView& stream = granted.sources[0].streams[0];
  std::map<std::string, bool> fields;
  for (const api::FieldView& field : stream.fields) {
    fields[field.name] = field.granted;
    EXPECT_EQ(field.exact_filter.usable, field.exact_filter.declared && field.granted);
  }
  EXPECT_TRUE(fields.at("title"));
  EXPECT_FALSE(fields.at("secret"));
  EXPECT_EQ(server().reads().schema(owner(), {"", "", true}).error().code, Code::kInvalidRequest);
}

LADDER_FOR_EVERY_ENGINE(Records);

}  // namespace
}  // namespace ladder
