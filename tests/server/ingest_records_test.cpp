// After an ingest the store has the exact bytes in their order, whatever their length.
#include "support/server_fixture.h"

#include <map>

namespace ladder::test_support {
namespace {

constexpr std::string_view kPairs =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/pairs"},
  "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Pairs"},"streams":[
  {"name":"pairs","semantics":"mutable_state","primary_key":["user","day"],"selection":{"fields":true,"resources":true},
   "schema":{"type":"object","properties":{"user":{"type":["string","integer"]},"day":{"type":"string"},"n":{"type":"integer"}}}}]})";

class IngestRecordsTest : public ServerFixture {
 protected:
  store::StreamNo stream_no(const std::string& connection, const std::string& stream) {
    const store::Catalog catalog = must(store().catalog(owner().owner()));
    for (const auto& row : catalog.streams) {
      const auto at = std::ranges::find(catalog.connections, row.connection, &store::ConnectionRow::no);
      if (at != catalog.connections.end() && at->connection_id == connection && row.name == stream) return row.no;
    }
    ADD_FAILURE() << "no stream " << stream;
    return 0;
  }
  std::optional<store::RecordRow> row(std::string_view key, const std::string& stream = "notes",
                                      const std::string& connection = "work") {
    const store::StreamNo streams[] = {stream_no(connection, stream)};
    auto found = must(must(store().read(owner().owner()))->records({}, streams, key)).records;
    if (found.empty()) return std::nullopt;
    return found.front();
  }
  // Returns the full text of a field, window by window.
  std::string text_of(const std::string& id, const std::string& field) {
    std::string text;
    auto window = must(read(owner(), id, field, at_offset(0, limits::kWindowMaxChars)));
    for (text += window.text; !window.next_cursor.empty(); text += window.text) {
      window = must(read(owner(), id, field, at_cursor(window.next_cursor)));
    }
    return text;
  }
  void expect_sound() {
    for (const std::string& broken : must(store().check_invariants())) ADD_FAILURE() << broken;
  }
};

TEST_P(IngestRecordsTest, RepeatedLinesChangeNothing) {
  std::string input;
  for (int i = 0; i < 3000; ++i) input += record_line(format("r{}", i), text_member("body", format("text {}", i)));
  const server::IngestReport first = ingest(input);
  EXPECT_EQ(first.added, 3000);
  EXPECT_EQ(first.accepted, 3000);
  const std::int64_t version = row("r7")->version;
  const server::IngestReport second = ingest(input);
  EXPECT_EQ(second.unchanged, 3000);
  EXPECT_EQ(second.accepted, 3000);
  EXPECT_EQ(second.rejected, 0);
  EXPECT_EQ(row("r7")->version, version);
  const server::IngestReport third =
      ingest(record_line("r7", text_member("body", "new")) + record_line("r8", text_member("body", "text 8")));
  EXPECT_EQ(third.changed, 1);
  EXPECT_EQ(third.unchanged, 1);
  EXPECT_GT(row("r7")->version, version);
  expect_sound();
}

TEST_P(IngestRecordsTest, NumbersAndSpellingAreUnchanged) {
  const std::string data =
      R"({"id":"n","words":9007199254740993,"blocks":[1.0,1e2,-0.0,123456789012345678901234567890,"\u00e9\/"],"title":"\u0041"})";
  ASSERT_EQ(ingest("{\"emitted_at\":\"2026-04-01t00:00:01.5+02:00\",\"key\":\"n\",\"data\":" + data + "}").added, 1);
  EXPECT_EQ(row("n")->body, data);
  EXPECT_EQ(row("n")->emitted_at, "2026-04-01t00:00:01.5+02:00");
  EXPECT_EQ(row("n")->digest, crypto::sha256(data));
}

TEST_P(IngestRecordsTest, EmittedAtDefaultsToNow) {
  put("a", "");
  EXPECT_EQ(row("a")->emitted_at, format_time(clock().now()));
}

TEST_P(IngestRecordsTest, KeysComeFromTheEnvelopeOrTheData) {
  must(server().sources().add(owner(), kPairs, ""));
  must(server().sources().add_connection(owner(), "pairs", "", "two"));
  const server::IngestReport report = ingest(R"({"key":["u1","d1"],"data":{"n":1}})"
                                             "\n"
                                             R"({"data":{"user":12345678901234567890,"day":"d\"2","n":2}})"
                                             "\n"
                                             R"({"key":[7,"d3"],"data":{"user":7,"day":"d3"},"stream":"pairs","type":"RECORD"})"
                                             "\n"
                                             R"({"key":["u1","d1"],"data":{"user":"u2"}})"
                                             "\n"
                                             R"({"data":{"user":"u1"}})"
                                             "\n"
                                             R"({"key":"u1","data":{"n":1}})"
                                             "\n",
                                             "two", "pairs");
  EXPECT_EQ(report.added, 3);
  ASSERT_EQ(report.rejections.size(), 3U);
  for (const server::Rejection& rejection : report.rejections) EXPECT_EQ(rejection.code, "invalid_record_identity");
  EXPECT_TRUE(row(R"(["u1","d1"])", "pairs", "two"));
  EXPECT_TRUE(row(R"(["12345678901234567890","d\"2"])", "pairs", "two"));
  EXPECT_TRUE(row(R"(["7","d3"])", "pairs", "two"));
  EXPECT_EQ(ingest(R"({"op":"delete","key":["u1","d1"]})", "two", "pairs").deleted, 1);
  EXPECT_FALSE(row(R"(["u1","d1"])", "pairs", "two"));
}

TEST_P(IngestRecordsTest, DeletesExistingAndUnknownRecords) {
  put("a", text_member("body", "here"));
  const server::IngestReport report = ingest(
      "{\"op\":\"delete\",\"key\":\"a\"}\n{\"op\":\"delete\",\"key\":\"b\"}\n"
      "{\"op\":\"delete\",\"data\":{\"id\":\"a\"}}\n" +
      record_line("c", "") + "{\"op\":\"delete\",\"key\":\"c\",\"data\":{\"id\":\"c\",\"words\":\"x\"}}\n" +
      record_line("c", text_member("body", "again")));
  EXPECT_EQ(report.deleted, 2);
  EXPECT_EQ(report.absent, 2);
  EXPECT_EQ(report.added, 2);
  EXPECT_EQ(report.accepted, 6);
  EXPECT_FALSE(row("a"));
  EXPECT_NE(row("c")->body.find("again"), std::string::npos);
  EXPECT_EQ(read(owner(), "a", "body").error().code, Code::kNotFound);
  expect_sound();
}

TEST_P(IngestRecordsTest, TheLastLineOfAKeyWinsForAnyLength) {
  // Short values are batched, medium ones are chunked with them, long ones are staged: the order must be preserved
  // across all three.
  const std::size_t lengths[] = {10, 700'000, 20, 9'000, 2'000'000, 9'001, 30, 600'000, 600'000, 5};
  std::string input;
  std::map<std::string, std::string> last;
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < std::size(lengths); ++i) {
      const std::string key = format("k{}", (i + static_cast<std::size_t>(round)) % 3);
      const char letter = static_cast<char>('a' + (static_cast<int>(i) + 10 * round) % 26);
      std::string body =
          format("{}-{} ", round, i) + std::string(lengths[(i + static_cast<std::size_t>(round)) % std::size(lengths)], letter);
      input += record_line(key, text_member("body", body));
      last[key] = std::move(body);
    }
  }
  const server::IngestReport report = ingest(input);
  EXPECT_EQ(report.accepted, 40) << server::to_json(report);
  EXPECT_EQ(report.added, 3);
  EXPECT_EQ(report.changed, 37);
  for (const auto& [key, body] : last) EXPECT_EQ(text_of(key, "body"), body) << key;
  expect_sound();
}

TEST_P(IngestRecordsTest, StoresFiveMegabytesOfEveryKindOfCharacter) {
  std::string body, escaped;
  while (body.size() < 5'000'000) {
    body += "word Ω 漢字 👩‍👩‍👧 e\xCC\x81 \"quoted\" \\ back\n";
    body.push_back('\0');
  }
  const std::string line = record_line("big", text_member("body", body));
  EXPECT_EQ(ingest(line).added, 1);
  EXPECT_EQ(text_of("big", "body"), body);
  EXPECT_EQ(ingest(line).unchanged, 1) << "and needs no second staging";
  EXPECT_EQ(ingest(record_line("big", text_member("body", body + "!"))).changed, 1);
  EXPECT_EQ(text_of("big", "body"), body + "!");
  expect_sound();
}

TEST_P(IngestRecordsTest, ALongValueInAnAppendOnlyStreamIsRefusedTheSecondTime) {
  const std::string body(800'000, 'x');
  EXPECT_EQ(ingest(record_line("d", text_member("body", body)), "work", "diary").added, 1);
  const server::IngestReport report =
      ingest(record_line("d", text_member("body", body + "y")) + record_line("d", text_member("body", body)), "work", "diary");
  EXPECT_EQ(report.unchanged, 1);
  ASSERT_EQ(report.rejections.size(), 1U);
  EXPECT_EQ(report.rejections[0].line, 1);
  EXPECT_EQ(report.rejections[0].receipt_id.size(), 64U);
  expect_sound();
}

TEST_P(IngestRecordsTest, LoneSurrogatesBecomeTheReplacementCharacter) {
  const server::IngestReport report =
      ingest(R"({"key":"s","data":{"id":"s","title":"\ud83d\ude00","body":"a\ud800b\udc00\ud83d","blocks":["\\ud800"]}})");
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.replaced_surrogates, 3);
  EXPECT_EQ(text_of("s", "title"), "😀");
  EXPECT_EQ(text_of("s", "body"),
            "a\uFFFD"
            "b\uFFFD\uFFFD");
  EXPECT_EQ(text_of("s", "blocks"), R"(["\\ud800"])");
  EXPECT_EQ(row("s")->body, R"({"id":"s","title":"\ud83d\ude00","body":"a\uFFFDb\uFFFD\uFFFD","blocks":["\\ud800"]})");
  EXPECT_EQ(ingest(record_line("plain", "")).replaced_surrogates, 0);

  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "xy\\udfff";
  const server::IngestReport staged = ingest("{\"key\":\"l\",\"data\":{\"id\":\"l\",\"body\":\"" + text + "\"}}");
  EXPECT_EQ(staged.replaced_surrogates, 200'000);
  EXPECT_EQ(must(read(owner(), "l", "body", at_offset(599'997, 10))).text, "xy\uFFFD");
}

TEST_P(IngestRecordsTest, IgnoresAByteOrderMark) {
  EXPECT_EQ(ingest("\xEF\xBB\xBF" + record_line("a", "")).added, 1);
  EXPECT_EQ(ingest("\xEF\xBB\xBF" + record_line("a", "")).unchanged, 1);
  EXPECT_EQ(ingest(record_line("b", "") + "\xEF\xBB\xBF" + record_line("c", "")).rejections.at(0).line, 2);
}

TEST_P(IngestRecordsTest, OrderAndTimeFollowTheDeclaration) {
  ingest(record_line("b", R"("updated_at":"2026-04-01T02:00:00+02:00")") +
         record_line("a", R"("updated_at":"2026-04-01T00:00:01Z")") + record_line("c", ""));
  const auto reader = must(store().read(owner().owner()));
  const auto page = must(reader->page(stream_no("work", "notes"), "", false, 10));
  ASSERT_EQ(page.size(), 3U);
  EXPECT_EQ(page[0].key, "b");
  EXPECT_EQ(page[1].key, "a");
  EXPECT_EQ(page[2].key, "c");
}

TEST_P(IngestRecordsTest, BlobsAreNamedByTheirContent) {
  std::string bytes(1'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  TextSource first(bytes), second(bytes), empty(""), other("abc");
  const std::string id = must(server().ingest().put_blob(owner(), "image/png", first)).blob_id;
  EXPECT_EQ(id, "blob_sha256_" + crypto::digest_text(crypto::sha256(bytes)).substr(7));
  EXPECT_EQ(must(server().ingest().put_blob(owner(), "image/jpeg", second)).blob_id, id);
  EXPECT_EQ(must(server().ingest().put_blob(owner(), "", other)).blob_id,
            "blob_sha256_ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(must(server().ingest().put_blob(owner(), "", empty)).blob_id,
            "blob_sha256_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

  const auto blob = must(store().find_blob(owner().owner(), crypto::sha256(bytes)));
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->mime_type, "image/png") << "the first stays";
  EXPECT_EQ(blob->size_bytes, std::ssize(bytes));
  const std::int64_t last = (blob->size_bytes - 1) / static_cast<std::int64_t>(limits::kChunkBytes);
  std::string stored;
  for (const std::string& chunk : must(must(store().read(owner().owner()))->chunks(blob->value, 0, last))) stored += chunk;
  EXPECT_EQ(stored, bytes);
  TextSource unfit("x");
  EXPECT_EQ(server().ingest().put_blob(owner(), "image", unfit).error().code, Code::kInvalidRequest);
  EXPECT_EQ(server().ingest().put_blob(owner(), "a/b\nc", unfit).error().code, Code::kInvalidRequest);
  must(server().maintenance().sweep(owner(), Deadline::after(std::chrono::seconds(10))));
  EXPECT_TRUE(must(store().find_blob(owner().owner(), crypto::sha256(bytes))));
  expect_sound();
}

LADDER_FOR_EVERY_ENGINE(IngestRecordsTest);

}  // namespace
}  // namespace ladder::test_support
