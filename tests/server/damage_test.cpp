// Damaged bytes are never served as valid. The tests change rows of every kind directly, as a disk error would, and
// read them through every interface of the resource server: each returns damaged_data and names the requested record
// and field; undamaged data stays readable; ingesting the original record again repairs it; deleting works.
#include "support/server_fixture.h"

#include "base/text/bytes.h"
#include "server/owner/export.h"
#include "store/compression/compression.h"

#include <algorithm>
#include <functional>

namespace ladder {
namespace {

using test_support::for_query;
using test_support::must;
using test_support::record_line;
using test_support::text_member;

// Collects the output of an export.
class Exported final : public server::RecordsOut {
 public:
  Status begin(std::string_view key, std::string_view) override {
    text_ = std::string(key) + " ";
    return {};
  }
  Status data(std::string_view piece) override {
    text_ += piece;
    return {};
  }
  Status end(const std::optional<std::string>&) override {
    records.push_back(text_);
    return {};
  }
  Status discard() override { return {}; }
  Status damaged(std::string_view key, std::string_view field) override {
    damage.push_back(format("{}.{}", key, field));
    return {};
  }
  std::vector<std::string> records, damage;

 private:
  std::string text_;
};

class Damage : public test_support::ServerFixture {
 protected:
  Damage() {
    std::string declaration = test_support::notes_declaration();
    const auto change = [&](std::string_view from, std::string_view to) {
      declaration.replace(declaration.find(from), from.size(), to);
    };
    change(R"("declaration_version":"1")", R"("declaration_version":"2")");
    change(R"("selection":)", R"("query":{"search":{"lexical_fields":["title","body"]}},"selection":)");
    must(server().add_source(owner(), declaration, "notes"));
    for (int i = 0; i < 4'000; ++i) long_body_ += format("word{} ", i);
    for (int i = 0; i < 900; ++i) blocks_ += format(R"({}"name{}":"value of the member {}")", i ? "," : "", i, i);
    blob_ = put_blob();
    lines_ = record_line("short", R"("title":"amount due 1234 EUR","words":7,"updated_at":"2026-01-01T00:00:00Z")") +
             record_line("long", text_member("body", long_body_) + R"(,"updated_at":"2026-01-02T00:00:00Z")") +
             record_line("nested", format(R"("blocks":{{{}}},"updated_at":"2026-01-03T00:00:00Z")", blocks_)) +
             record_line("file", format(R"("blob_ref":{{"blob_id":"{}"}},"updated_at":"2026-01-04T00:00:00Z")", blob_)) +
             record_line("whole", R"("title":"undamaged","words":3,"updated_at":"2026-01-05T00:00:00Z")");
    EXPECT_EQ(ingest(lines_).accepted, 5);
  }

  std::string put_blob() {
    const std::string text = std::string(10'000, 'p') + "IBAN DE02" + std::string(10'000, 'q');
    test_support::TextSource source(text);
    return must(server().put_blob(owner(), "text/plain", source)).blob_id;
  }

  bool is_postgres() { return GetParam() == "postgres"; }
  // Replaces text inside the bytes of rows.
  void corrupt(const std::string& table, const std::string& column, const std::string& from, const std::string& to) {
    if (is_postgres()) {
      place().run(
          format("UPDATE ladder.{} SET {} = convert_to(replace(convert_from({}, 'UTF8'), '{}', '{}'), 'UTF8') "
                 "WHERE position('{}'::bytea IN {}) > 0",
                 table, column, column, from, to, from, column));
    } else {
      place().run(
          format("UPDATE {} SET {} = CAST(replace(CAST({} AS TEXT), '{}', '{}') AS BLOB) WHERE instr({}, CAST('{}' AS BLOB)) > 0",
                 table, column, column, from, to, column, from));
    }
  }
  // Replaces the chunk of a text that contains `from` by what the store would have written for `to`: it decompresses,
  // but is the wrong text.
  void corrupt_chunk(std::string_view text, std::string_view from, std::string_view to) {
    constexpr std::size_t kChunk = 3600;  // in ASCII
    const std::string truth(text.substr(text.find(from) / kChunk * kChunk, kChunk));
    std::string other = truth;
    other.replace(truth.find(from), from.size(), to);
    const std::string was = store::compressed(truth), is = store::compressed(other);
    ASSERT_FALSE(was.empty() || is.empty());
    place().run(format("UPDATE {} SET stored = {} WHERE stored = {}", table("chunks"), literal(is), literal(was)));
  }
  std::string literal(std::string_view bytes) {
    return is_postgres() ? "'\\x" + to_hex(bytes) + "'::bytea" : "x'" + to_hex(bytes) + "'";
  }
  std::string table(const std::string& name) { return (is_postgres() ? "ladder." : "") + name; }

  static std::string code(const Error& error) { return std::string(error.wire()); }
  template <class T>
  void expect_damage(const Result<T>& answer, std::string_view record, std::string_view field = {}) {
    ASSERT_FALSE(answer) << "served as truth";
    EXPECT_EQ(answer.error().code, Code::kDamagedData) << answer.error().message;
    EXPECT_EQ(answer.error().http_status(), 500);
    if (!record.empty()) {
      EXPECT_NE(answer.error().message.find(record), std::string::npos) << answer.error().message;
    }
    if (!field.empty()) {
      EXPECT_NE(answer.error().message.find(field), std::string::npos) << answer.error().message;
    }
  }

  Result<api::Record> get(const server::Access& access, const std::string& id) {
    return server().record(access, {{"work", "notes", id}, {}, {}, {}, {}, {}, {}, {}});
  }
  Result<api::RecordsPage> list(const server::Access& access) {
    api::RecordsRequest request;
    request.stream = "notes";
    return server().records(access, request, {});
  }
  Result<api::RecordsPage> changes(const server::Access& access) {
    api::RecordsRequest request;
    request.stream = "notes";
    request.changes_since = "beginning";
    return server().records(access, request, {});
  }
  Result<api::SearchPage> search(const server::Access& access, const std::string& words) {
    api::SearchRequest request;
    request.q = words;
    return server().search(access, request, {});
  }
  Exported exported() {
    Exported out;
    EXPECT_TRUE(server().export_stream(owner(), "work", "notes", out));
    return out;
  }
  // Returns true if a finding of doctor names it.
  bool doctor_says(std::string_view what) {
    return std::ranges::any_of(must(server().check_integrity()),
                               [&](const std::string& sentence) { return sentence.find(what) != std::string::npos; });
  }
  // Ingests the original records again.
  void heal(std::int64_t changed) {
    const server::IngestReport report = ingest(lines_);
    EXPECT_EQ(report.changed, changed) << server::to_json(report);
    EXPECT_EQ(report.unchanged, 5 - changed) << server::to_json(report);
    expect_all_well();
  }
  void expect_all_well() {
    EXPECT_EQ(must(get(owner(), "short")).data.find("amount due 1234 EUR") == std::string::npos, false);
    EXPECT_EQ(must(list(owner())).records.size(), 5U);
    EXPECT_TRUE(exported().damage.empty());
    EXPECT_EQ(exported().records.size(), 5U);
    EXPECT_EQ(must(search(owner(), "amount")).hits.size(), 1U);
    EXPECT_EQ(must(search(owner(), "word3999")).hits.size(), 1U);
    must(server().sweep(owner(), Deadline::after(std::chrono::seconds(20))));
    for (const std::string& fault : must(server().check_integrity())) ADD_FAILURE() << fault;
  }

  std::string long_body_, blocks_, lines_, blob_;
};
LADDER_FOR_EVERY_ENGINE(Damage);

TEST_P(Damage, OfARecordIsReportedByEveryReadAndRepaired) {
  const server::Access agent = client({"work", "notes", {}, {}, {}, {}});
  corrupt("records", "stored_body", "1234", "9234");
  for (const server::Access& access : {owner(), agent}) {
    expect_damage(get(access, "short"), "short");
    expect_damage(read(access, "short", "title"), "short");
    EXPECT_TRUE(get(access, "whole")) << "undamaged data stays readable";
    EXPECT_TRUE(read(access, "long", "body"));
  }
  expect_damage(list(owner()), "short");
  expect_damage(changes(owner()), "short");
  expect_damage(search(owner(), "amount"), "short");
  expect_damage(list(agent), {});
  EXPECT_EQ(list(agent).error().message.find("short"), std::string::npos) << "a list names no record to a client";
  EXPECT_TRUE(search(owner(), "undamaged"));
  const Exported out = exported();
  EXPECT_EQ(out.damage, std::vector<std::string>{"short."});
  EXPECT_EQ(out.records.size(), 4U);
  EXPECT_TRUE(doctor_says("\"short\""));
  heal(1);
}

TEST_P(Damage, OfARecordsOtherColumnsIsReportedAndRepaired) {
  const std::string only = is_postgres() ? "key = 'short'::bytea" : "key = CAST('short' AS BLOB)";
  const std::vector<std::string> changes_made = {
      is_postgres() ? "emitted_at = '2001-01-01T00:00:00Z'::bytea" : "emitted_at = '2001-01-01T00:00:00Z'",
      "version = version + 1", "consent_time = 1", is_postgres() ? "field_versions = '\\x00'::bytea" : "field_versions = x'00'",
      is_postgres() ? "digest = sha256('x')" : "digest = zeroblob(32)"};
  for (const std::string& change : changes_made) {
    SCOPED_TRACE(change);
    place().run(format("UPDATE {} SET {} WHERE {}", table("records"), change, only));
    expect_damage(get(owner(), "short"), "short");
    expect_damage(list(owner()), "short");
    EXPECT_TRUE(doctor_says("\"short\""));
    const server::IngestReport report = ingest(lines_);
    EXPECT_EQ(report.changed, 1) << server::to_json(report);
    EXPECT_TRUE(get(owner(), "short"));
    EXPECT_FALSE(doctor_says("is damaged"));
  }
}

TEST_P(Damage, OfALongTextIsReportedOnReadAndRepaired) {
  corrupt_chunk(long_body_, "word3000 ", "word4000 ");
  expect_damage(get(owner(), "long"), "long", "body");
  expect_damage(read(owner(), "long", "body", for_query("word4000")), "long", "body");
  EXPECT_TRUE(read(owner(), "long", "body")) << "another part of the text is unchanged";
  expect_damage(search(owner(), "word3000"), {});
  EXPECT_TRUE(search(owner(), "word10"));
  EXPECT_EQ(exported().damage, std::vector<std::string>{"long.body"});
  EXPECT_TRUE(doctor_says("field \"body\" of record \"long\""));
  heal(1);
  EXPECT_EQ(must(read(owner(), "long", "body", for_query("word3000"))).text.find("word4000"), std::string::npos);
}

// A row that cannot be decompressed, and rows that claim impossible sizes.
TEST_P(Damage, OfCompressedBytesIsReportedAndRepaired) {
  const std::string long_title = record_line("short", text_member("title", "amount due 1234 EUR " + long_body_.substr(0, 2'000)));
  lines_ = long_title + lines_.substr(lines_.find('\n') + 1);
  EXPECT_EQ(ingest(lines_).changed, 1);
  const std::string of_short = format("WHERE key = {}", literal("short"));
  const std::string of_long = format("WHERE stored = {}", literal(store::compressed(long_body_.substr(7'200, 3'600))));
  const std::string cut = is_postgres() ? "substr({0}, 1, length({0}) - 3)" : "CAST(substr({0}, 1, length({0}) - 3) AS BLOB)";
  const auto cut_of = [&](std::string_view column) {
    std::string text = cut;
    for (std::size_t at = 0; (at = text.find("{0}", at)) != std::string::npos;) text.replace(at, 3, column);
    return text;
  };
  for (const std::string& change :
       {"stored_body = " + cut_of("stored_body"), std::string("raw_size = raw_size + 1"), std::string("raw_size = 0"),
        std::string("raw_size = -1"), std::string("raw_size = 4000000000000000000"), std::string("raw_size = NULL")}) {
    SCOPED_TRACE(change);
    place().run(format("UPDATE {} SET {} {}", table("records"), change, of_short));
    expect_damage(get(owner(), "short"), "short");
    expect_damage(read(owner(), "short", "title"), "short");
    EXPECT_TRUE(read(owner(), "long", "body"));
    EXPECT_EQ(exported().damage, std::vector<std::string>{"short."});
    EXPECT_TRUE(doctor_says("\"short\""));
    heal(1);
  }
  for (const std::string& change : {"stored = " + cut_of("stored"), std::string("raw_size = raw_size - 1"),
                                    std::string("raw_size = 4000000000000000000"), std::string("raw_size = NULL")}) {
    SCOPED_TRACE(change);
    // Each repair gives the long text new chunks, so the row is found by its content.
    place().run(format("UPDATE {} SET {} {}", table("chunks"), change, of_long));
    expect_damage(get(owner(), "long"), "long", "body");
    EXPECT_TRUE(read(owner(), "long", "body")) << "another part of the text is unchanged";
    EXPECT_EQ(exported().damage, std::vector<std::string>{"long.body"});
    EXPECT_TRUE(doctor_says("field \"body\" of record \"long\""));
    heal(1);
  }
}

TEST_P(Damage, OfADirectoryIsReportedAndRepaired) {
  ASSERT_TRUE(read(owner(), "nested", "/blocks/name700"));
  place().run(format("UPDATE {} SET page = {}", table("directory"), is_postgres() ? "'\\x00'::bytea" : "x'00'"));
  expect_damage(read(owner(), "nested", "/blocks/name700"), "nested", "blocks");
  EXPECT_TRUE(doctor_says("field \"blocks\" of record \"nested\""));
  heal(1);
  EXPECT_EQ(must(read(owner(), "nested", "/blocks/name700")).text, "value of the member 700");
}

TEST_P(Damage, OfABlobIsReportedAndRepaired) {
  const auto whole = [&] { return server().blob(owner(), {blob_, {}, 0, 30'000}); };
  ASSERT_TRUE(whole());
  corrupt("chunks", "stored", "IBAN DE02", "IBAN DE92");  // staged, so it is stored uncompressed
  expect_damage(whole(), blob_);
  EXPECT_TRUE(server().blob(owner(), {blob_, {}, 0, 3'000})) << "another part of it is unchanged";
  EXPECT_TRUE(doctor_says(blob_));
  EXPECT_EQ(put_blob(), blob_);
  EXPECT_TRUE(whole());
  place().run(format("UPDATE {} SET size_bytes = size_bytes - 1", table("blobs")));
  expect_damage(whole(), blob_);
  EXPECT_EQ(put_blob(), blob_);
  EXPECT_TRUE(whole());
  EXPECT_FALSE(doctor_says("is damaged"));
}

TEST_P(Damage, IsReplacedByANewerRecordAndCanBeDeleted) {
  corrupt("records", "stored_body", "1234", "9234");
  const server::IngestReport report =
      ingest(record_line("short", R"("title":"amount due 50 EUR","words":9,"updated_at":"2026-02-01T00:00:00Z")"));
  EXPECT_EQ(report.changed, 1) << server::to_json(report);
  EXPECT_NE(must(get(owner(), "short")).data.find("50 EUR"), std::string::npos);
  corrupt("records", "stored_body", "50 EUR", "59 EUR");
  EXPECT_EQ(ingest("{\"key\":\"short\",\"op\":\"delete\"}\n").deleted, 1);
  EXPECT_EQ(get(owner(), "short").error().code, Code::kNotFound);
  EXPECT_EQ(must(list(owner())).records.size(), 4U);
  EXPECT_TRUE(search(owner(), "amount"));
}

}  // namespace
}  // namespace ladder
