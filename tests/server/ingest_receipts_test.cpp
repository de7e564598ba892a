// Each line is accepted, or rejected with its number, its code and a receipt that is the same the next time.
#include "support/server_fixture.h"

#include "base/text/bytes.h"

namespace ladder::test_support {
namespace {

class IngestReceiptsTest : public ServerFixture {};

struct BadLine {
  std::string line;
  std::string code;
  std::string says;  // part of the message
};

std::string nested(int depth) {
  return R"({"key":"k","data":{"id":"k","blocks":)" + std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']') + "}}";
}

TEST_P(IngestReceiptsTest, EveryBadLineHasItsCode) {
  const std::vector<BadLine> table = {
      {"{\"key\":\"a\",\"data\":{\"id\":\"a\",\"body\":\"\xFF\"}}", "invalid_utf8", "byte 37"},
      {"{\"key\":\"a\",\"data\":{\"id\":\"a\",\"body\":\"\xED\xA0\x80\"}}", "invalid_utf8", "UTF-8"},
      {R"({"key":"a")", "malformed_ndjson", "a comma or } is missing, at byte 11"},
      {R"({"key":"a",})", "malformed_ndjson", "byte 12"},
      {R"({"key":"a"} {"key":"b"})", "malformed_ndjson", "something follows the value"},
      {R"({"key":"a","data":{"id":"a","body":"tab	"}})", "malformed_ndjson", "control character"},
      {R"({"key":"a","data":{"id":"a","words":01}})", "malformed_ndjson", "leading zero"},
      {R"({"key":"a","data":{"id":"a","blocks":@1.sX}})", "malformed_ndjson", "a value is missing"},
      {nested(70), "malformed_ndjson", "too deeply"},
      {R"([1,2])", "malformed_ndjson", "not a JSON object"},
      {R"("text")", "malformed_ndjson", "not a JSON object"},
      {R"({"stream":"nope","key":"a","data":{"id":"a"}})", "stream_not_declared", "\"diary\""},
      {R"({"stream":"diary","key":"a","data":{"id":"a"}})", "invalid_record", "\"diary\", but it was sent to \"notes\""},
      {R"({"key":"a","data":{"id":"b"}})", "invalid_record_identity", "\"id\""},
      {R"({"key":["a"],"data":{"id":"b"}})", "invalid_record_identity", "\"id\""},
      {R"({"key":["a","b"],"data":{"id":"a"}})", "invalid_record_identity", "more parts"},
      {R"({"key":"","data":{"id":""}})", "invalid_record_identity", "empty"},
      {R"({"key":null,"data":{"id":"a"}})", "invalid_record_identity", "a key is a string"},
      {R"({"key":{"id":"a"},"data":{"id":"a"}})", "invalid_record_identity", "a key is a string"},
      {R"({"data":{"title":"no id"}})", "invalid_record_identity", "neither a \"key\" nor the primary key field \"id\""},
      {R"({"data":{"id":["a"]}})", "invalid_record_identity", "\"id\""},
      {R"({"op":"delete"})", "invalid_record_identity", "\"id\""},
      {R"({"key":")" + std::string(1025, 'k') + R"(","data":{}})", "invalid_record_identity", "1024"},
      {R"({"key":"a"})", "invalid_record", "\"data\" is missing"},
      {R"({"key":"a","data":null})", "invalid_record", "\"data\" is missing"},
      {R"({"key":"a","data":[]})", "invalid_record", "must be an object"},
      {R"({"key":"a","data":{"id":"a"},"op":"merge"})", "invalid_record", "upsert or delete"},
      {R"({"key":"a","data":{"id":"a"},"emitted_at":"yesterday"})", "invalid_record", "RFC 3339"},
      {R"({"key":"a","data":{"id":"a","id":"a"}})", "invalid_record", "twice"},
      {R"({"key":"a","key":"a","data":{"id":"a"}})", "invalid_record", "twice"},
      {R"({"key":"a","data":{}})", "invalid_record", "data: "},
      {R"({"key":"7","data":{"id":7}})", "invalid_record", "data/id: "},
      {R"({"key":"a","data":{"id":"a","words":1.5}})", "invalid_record", "data/words: "},
  };
  std::string input;
  for (const BadLine& bad : table) input += bad.line + "\n" + record_line("good", "");
  const server::IngestReport report = ingest(input);
  EXPECT_EQ(report.attempted, 2 * std::ssize(table));
  EXPECT_EQ(report.accepted, std::ssize(table));
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.unchanged, std::ssize(table) - 1);
  ASSERT_EQ(report.rejections.size(), table.size());
  for (std::size_t index = 0; index < table.size(); ++index) {
    const server::Rejection& rejection = report.rejections[index];
    EXPECT_EQ(rejection.code, table[index].code) << table[index].line << ": " << rejection.message;
    EXPECT_NE(rejection.message.find(table[index].says), std::string::npos) << rejection.message;
    EXPECT_EQ(rejection.line, static_cast<std::int64_t>(2 * index + 1));
    EXPECT_EQ(rejection.input_index, static_cast<std::int64_t>(2 * index));
    EXPECT_EQ(rejection.receipt_id.size(), 64U);
  }
}

TEST_P(IngestReceiptsTest, LinesAreCountedAsAnEditorCounts) {
  const server::IngestReport report = ingest("\r\n{\r\n\n   \t \n" + record_line("a", "") + "[]\r\n\n{");
  EXPECT_EQ(report.attempted, 4);
  EXPECT_EQ(report.accepted, 1);
  ASSERT_EQ(report.rejections.size(), 3U);
  EXPECT_EQ(report.rejections[0].line, 2);
  EXPECT_EQ(report.rejections[0].input_index, 0);
  EXPECT_EQ(report.rejections[1].line, 6);
  EXPECT_EQ(report.rejections[1].input_index, 2);
  EXPECT_EQ(report.rejections[2].line, 8);
  EXPECT_EQ(report.rejections[2].input_index, 3);
}

TEST_P(IngestReceiptsTest, ATruncatedInputIsReportedAsSuch) {
  const std::string whole = record_line("a", "\"body\":\"Grüße \\u00e9 tru\",\"words\":12,\"blocks\":[true,null,1.5e3]");
  for (std::size_t cut = 1; cut + 1 < whole.size(); ++cut) {
    const server::IngestReport report = ingest(record_line("first", "") + whole.substr(0, cut));
    ASSERT_EQ(report.rejections.size(), 1U) << cut;
    EXPECT_EQ(report.accepted, 1);
    EXPECT_EQ(report.rejections[0].code, "malformed_ndjson") << cut;
    EXPECT_EQ(report.rejections[0].line, 2);
    EXPECT_NE(report.rejections[0].message.find("the input ends inside this line"), std::string::npos)
        << report.rejections[0].message;
  }
  EXPECT_EQ(ingest(whole.substr(0, whole.size() - 1)).added, 1) << "a last line without its line end is a line";
}

TEST_P(IngestReceiptsTest, AReceiptDependsOnLineCodeAndTargetOnly) {
  must(server().sources().add_connection(owner(), "notes", "", "home"));
  const std::string bad = R"({"key":"a","data":{}})";
  const std::string receipt = ingest(bad).rejections.at(0).receipt_id;
  EXPECT_EQ(ingest(record_line("b", "") + bad + "\r\n").rejections.at(0).receipt_id, receipt);
  EXPECT_NE(ingest(bad, "home").rejections.at(0).receipt_id, receipt);
  EXPECT_NE(ingest(" " + bad).rejections.at(0).receipt_id, receipt);
  // The receipt's input according to PDPP "ingest", built by hand.
  const std::string basis = format(R"(["local","work","notes","{}","invalid_record","record-rejection-v2"])",
                                   to_hex(crypto::view(crypto::sha256(bad))));
  EXPECT_EQ(receipt, to_hex(crypto::view(crypto::sha256(basis))));
}

TEST_P(IngestReceiptsTest, ALineOverTheLimitIsSkipped) {
  const std::string input =
      record_line("a", "") + record_line("b", text_member("body", std::string(5000, 'x'))) + record_line("c", "");
  TextSource bytes(input);
  server::LineSource lines(bytes, 1000);
  QuietObserver observer;
  const server::IngestReport report = must(server().ingest().put_records(owner(), {"work", "notes"}, lines, observer));
  EXPECT_EQ(report.added, 2);
  ASSERT_EQ(report.rejections.size(), 1U);
  EXPECT_EQ(report.rejections[0].code, "resource_limit");
  EXPECT_EQ(report.rejections[0].line, 2);
  EXPECT_EQ(observer.line(), 3);
}

TEST_P(IngestReceiptsTest, AppendOnlyAcceptsARecordOnce) {
  const auto line = [](std::string_view id, std::string_view body) { return record_line(id, text_member("body", body)); };
  EXPECT_EQ(ingest(line("a", "one") + line("b", "two"), "work", "diary").added, 2);
  const server::IngestReport report =
      ingest(line("a", "one") + line("a", "other") + "{\n" + line("b", "other") + line("c", "new"), "work", "diary");
  EXPECT_EQ(report.unchanged, 1);
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.rejected, 3);
  ASSERT_EQ(report.rejections.size(), 3U);
  EXPECT_EQ(report.rejections[0].line, 2);
  EXPECT_EQ(report.rejections[0].code, "invalid_record");
  EXPECT_TRUE(report.rejections[0].message.starts_with("append_only")) << report.rejections[0].message;
  EXPECT_EQ(report.rejections[1].line, 3);
  EXPECT_EQ(report.rejections[1].code, "malformed_ndjson");
  EXPECT_EQ(report.rejections[2].line, 4);
  EXPECT_EQ(report.rejections[2].receipt_id.size(), 64U);
  EXPECT_NE(report.rejections[2].receipt_id, report.rejections[0].receipt_id);
  EXPECT_EQ(report.attempted, 5);
  EXPECT_EQ(report.accepted, 2);
}

TEST_P(IngestReceiptsTest, PrintsTheReceiptAsJson) {
  const server::IngestReport report = ingest(record_line("a", "") + "{\n");
  const std::string receipt = report.rejections.at(0).receipt_id;
  EXPECT_EQ(
      server::to_json(report),
      R"({"stream":"notes","records_attempted":2,"records_accepted":1,"records_rejected":1,"errors":[],"rejections":[{"input_index":1,"line":2,"code":"malformed_ndjson","message":"a member name in quotes is missing, at byte 2 of the line","receipt_id":")" +
          receipt + R"("}],"added":1,"changed":0,"unchanged":0,"deleted":0,"absent":0,"replaced_surrogates":0})");
}

TEST_P(IngestReceiptsTest, ListsSomeRejectionsAndCountsAll) {
  std::string input;
  for (std::size_t i = 0; i < server::kMaxListedRejections + 5; ++i) input += "{\n";
  const server::IngestReport report = ingest(input);
  EXPECT_EQ(report.rejected, std::ssize(input) / 2);
  EXPECT_EQ(report.rejections.size(), server::kMaxListedRejections);
  EXPECT_EQ(report.rejections.back().line, static_cast<std::int64_t>(server::kMaxListedRejections));
}

TEST_P(IngestReceiptsTest, RefusesAnUnknownTarget) {
  TextSource bytes("");
  server::LineSource lines(bytes, 1000);
  QuietObserver observer;
  const auto connection = server().ingest().put_records(owner(), {"nope", "notes"}, lines, observer);
  EXPECT_EQ(connection.error().code, Code::kConnectionNotFound);
  EXPECT_NE(connection.error().message.find("\"work\""), std::string::npos);
  const auto stream = server().ingest().put_records(owner(), {"work", "nope"}, lines, observer);
  EXPECT_EQ(stream.error().code, Code::kStreamNotDeclared);
  EXPECT_NE(stream.error().message.find("\"diary\""), std::string::npos);
  ASSERT_TRUE(store().add_owner("guest", clock().now()));
  EXPECT_EQ(server().ingest().put_records(owner("guest"), {"work", "notes"}, lines, observer).error().code,
            Code::kConnectionNotFound);
}

LADDER_FOR_EVERY_ENGINE(IngestReceiptsTest);

}  // namespace
}  // namespace ladder::test_support
