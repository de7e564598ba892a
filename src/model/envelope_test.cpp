// The RECORD line.
#include "model/envelope.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::model {
namespace {

Result<Envelope> read(std::string_view line) {
  EXPECT_TRUE(json::check(line, limits::kMaxJsonDepth).has_value()) << line;
  return read_envelope(line);
}

TEST(Envelope, ParsesACompleteLine) {
  const std::string line = R"( {"type":"RECORD","stream":"notes","key":["a", 1],"data":{"id":1.50, "x":"y"},)"
                           R"("emitted_at":"2026-04-01T00:00:01Z","op":"upsert"} )";
  const auto envelope = read(line);
  ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
  EXPECT_EQ(envelope->stream, "notes");
  ASSERT_TRUE(envelope->key.has_value());
  EXPECT_EQ(envelope->key->text, R"(["a", 1])");
  EXPECT_EQ(envelope->data.text, R"({"id":1.50, "x":"y"})");
  EXPECT_EQ(envelope->emitted_at, "2026-04-01T00:00:01Z");
  EXPECT_FALSE(envelope->is_delete);
  EXPECT_GE(envelope->data.text.data(), line.data());
  EXPECT_LE(envelope->data.text.data() + envelope->data.text.size(), line.data() + line.size());
}

TEST(Envelope, AcceptsMissingOptionalMembers) {
  const auto upsert = read(R"({"data":{}})");
  ASSERT_TRUE(upsert.has_value());
  EXPECT_FALSE(upsert->stream.has_value());
  EXPECT_FALSE(upsert->key.has_value());
  EXPECT_EQ(upsert->emitted_at, "");
  for (const std::string_view line : {R"({"key":"n1","op":"delete"})", R"({"key":"n1","op":"delete","data":null})"}) {
    const auto deletion = read(line);
    ASSERT_TRUE(deletion.has_value());
    EXPECT_TRUE(deletion->is_delete);
    EXPECT_EQ(deletion->data.kind, json::Kind::kNull);
    EXPECT_TRUE(deletion->data.text.empty());
  }
  EXPECT_EQ(read(R"({"op":"delete","data":{"id":"n1"}})")->data.text, R"({"id":"n1"})");
}

TEST(Envelope, DecodesEscapedMemberNames) {
  const auto envelope = read(R"({"\u0064ata":{"a":1},"\u006fp":"delete"})");
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->data.text, R"({"a":1})");
  EXPECT_TRUE(envelope->is_delete);
}

TEST(Envelope, RejectsLinesThatAreNotObjects) {
  for (const std::string_view line : {"[]", "1", "\"x\"", "null", " true "}) {
    const auto envelope = read(line);
    ASSERT_FALSE(envelope.has_value()) << line;
    EXPECT_EQ(envelope.error().code, Code::kMalformedNdjson);
  }
}

TEST(Envelope, ErrorsNameTheMember) {
  const std::string long_name(7 * limits::kMaxNameBytes, 'n');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"stream":1,"data":{}})", "stream"},
      {R"({"stream":")" + long_name + R"(","data":{}})", "stream"},
      {R"({"data":[]})", "data"},
      {R"({"data":"x"})", "data"},
      {R"({"data":null})", "data"},
      {R"({})", "data"},
      {R"({"op":"delete","data":5})", "data"},
      {R"({"data":{},"op":"replace"})", "op"},
      {R"({"data":{},"op":null})", "op"},
      {R"({"data":{},"emitted_at":"yesterday"})", "emitted_at"},
      {R"({"data":{},"emitted_at":5})", "emitted_at"},
      {R"({"data":{},"emitted_at":")" + long_name + R"("})", "emitted_at"},
      {R"({"data":{"a":1,"b":2,"a":3}})", "data"},
      {R"({"data":{"a":1,"\u0061":3}})", "data"}};
  for (const auto& [line, member] : cases) {
    const auto envelope = read(line);
    ASSERT_FALSE(envelope.has_value()) << line;
    EXPECT_EQ(envelope.error().code, Code::kInvalidRecord) << line;
    EXPECT_EQ(envelope.error().param, member) << line;
  }
}

TEST(Envelope, RejectsDuplicateMembers) {
  for (const std::string_view line :
       {R"({"data":{},"data":{}})", R"({"data":{},"x":1,"x":2})", R"({"data":{},"op":"upsert","o\u0070":"delete"})"}) {
    const auto envelope = read(line);
    ASSERT_FALSE(envelope.has_value()) << line;
    EXPECT_EQ(envelope.error().code, Code::kInvalidRecord);
  }
  // Duplicate names deeper in data are checked by the schema.
  EXPECT_TRUE(read(R"({"data":{"a":{"x":1,"x":2}}})").has_value());
}

}  // namespace
}  // namespace ladder::model
