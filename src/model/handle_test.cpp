// Handles: their form and the errors of decoding. They identify and never authorize.
#include "model/handle.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::model {
namespace {

std::string handle_of(std::string_view json) { return base64url::encode(json); }

void expect_record_refused(std::string_view handle) {
  const auto record = decode_record_handle(handle);
  ASSERT_FALSE(record.has_value()) << handle;
  EXPECT_EQ(record.error().code, Code::kInvalidHandle) << handle;
}

void expect_window_refused(std::string_view json) {
  const auto window = decode_field_window_handle(handle_of(json));
  ASSERT_FALSE(window.has_value()) << json;
  EXPECT_EQ(window.error().code, Code::kInvalidHandle) << json;
}

std::string window_json(std::string_view more) {
  return format(R"({{"v":1,"kind":"field-window","connection_id":"c","stream":"s","record_id":"r","field_path":"body"{}}})",
                more);
}

TEST(Handle, AreUrlSafeAndContainNothingRaw) {
  const std::string handle = encode_record_handle({"c", "a stream/with ünïcode", "rec:ord"});
  EXPECT_EQ(handle.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"), std::string::npos);
  EXPECT_EQ(handle.find("rec"), std::string::npos);
  EXPECT_EQ(decode_record_handle(handle), (RecordRef{"c", "a stream/with ünïcode", "rec:ord"}));
}

TEST(Handle, ContainIdentityOnly) {
  EXPECT_EQ(base64url::decode(encode_record_handle({"c", "s", "r"})), "c/s:r");
  EXPECT_EQ(base64url::decode(encode_record_handle({"c", "s:t", "r"})),
            R"({"v":1,"kind":"record","connection_id":"c","stream":"s:t","record_id":"r"})");
  EXPECT_EQ(base64url::decode(encode_record_handle({"", "s", "r"})), R"({"v":1,"kind":"record","stream":"s","record_id":"r"})");
  EXPECT_EQ(base64url::decode(encode_field_window_handle({{"c", "s", "r"}, "body", {.offset_chars = 5}})),
            R"(["c/s:r","body",5])");
  const FieldWindowHandle window{{"c", "s", "r"}, "body", {.offset_chars = 5, .limit_chars = 9}};
  EXPECT_EQ(base64url::decode(encode_field_window_handle(window)), window_json(R"(,"offset_chars":5,"limit_chars":9)"));
}

TEST(Handle, ShortFormsRoundTripAndAreChecked) {
  for (const RecordRef& record : {RecordRef{"c", "s", "r"}, RecordRef{"c", "s", "/r"}, RecordRef{"c", "s", "a/b:c"},
                                  RecordRef{"{c", "s", "r"}, RecordRef{"c", "s:t", "r"}}) {
    EXPECT_EQ(decode_record_handle(encode_record_handle(record)), record) << record.record_id;
    const auto window = decode_field_window_handle(encode_field_window_handle({record, "body", {.offset_chars = 5}}));
    ASSERT_TRUE(window) << record.record_id;
    EXPECT_EQ(window->record, record);
    EXPECT_EQ(window->field_path, "body");
    EXPECT_EQ(window->window.offset_chars, 5);
  }
  for (const char* const bad : {R"(["c/s:r","body"])", R"(["c/s:r","body",-1])", R"(["c/s:r",1,0])", R"(["c/..:r","body",0])",
                                R"(["s","body",0])", R"([])"}) {
    EXPECT_FALSE(decode_field_window_handle(base64url::encode(bad))) << bad;
  }
  EXPECT_FALSE(decode_record_handle(base64url::encode("c/..:r")));
  EXPECT_FALSE(decode_record_handle(base64url::encode("no record")));
}

TEST(Handle, RejectsMalformedRecordHandles) {
  for (const std::string_view json : {R"([])",
                                      R"("x")",
                                      R"({})",
                                      R"({"v":2,"kind":"record","stream":"s","record_id":"r"})",
                                      R"({"v":1.0,"kind":"record","stream":"s","record_id":"r"})",
                                      R"({"v":"1","kind":"record","stream":"s","record_id":"r"})",
                                      R"({"kind":"record","stream":"s","record_id":"r"})",
                                      R"({"v":1,"kind":"blob","stream":"s","record_id":"r"})",
                                      R"({"v":1,"stream":"s","record_id":"r"})",
                                      R"({"v":1,"kind":"record","record_id":"r"})",
                                      R"({"v":1,"kind":"record","stream":"s"})",
                                      R"({"v":1,"kind":"record","stream":"","record_id":"r"})",
                                      R"({"v":1,"kind":"record","stream":7,"record_id":"r"})",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":["r"]})",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":"."})",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":".."})",
                                      R"({"v":1,"kind":"record","stream":"..","record_id":"r"})",
                                      R"({"v":1,"kind":"record","connection_id":"","stream":"s","record_id":"r"})",
                                      R"({"v":1,"kind":"record","connection_id":"..","stream":"s","record_id":"r"})",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":"r"} x)",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":"r")"}) {
    expect_record_refused(handle_of(json));
  }
  for (const std::string_view handle : {"", "!", "a", "====", "%", "%4", "%zz", "not base64 at all", "\xFF", "%FF%3Ax"}) {
    expect_record_refused(handle);
  }
  expect_record_refused(std::string(limits::kMaxHandleBytes + 1, 'A'));
}

TEST(Handle, RejectsUnknownKeys) {
  expect_record_refused(handle_of(R"({"v":1,"kind":"record","stream":"s","record_id":"r","token":"x"})"));
  expect_record_refused(handle_of(R"({"v":1,"kind":"record","stream":"s","record_id":"r","field_path":"x"})"));
  expect_window_refused(window_json(R"(,"limit":5)"));
}

TEST(Handle, RejectsOverLongKeys) {
  const std::string most(limits::kMaxRecordKeyBytes, 'k');
  EXPECT_TRUE(decode_record_handle(encode_record_handle({"c", "s", most})).has_value());
  expect_record_refused(encode_record_handle({"c", "s", most + "k"}));
}

TEST(Handle, ANullConnectionIsAbsent) {
  const auto record =
      decode_record_handle(handle_of(R"({"v":1,"kind":"record","connection_id":null,"stream":"s","record_id":"r"})"));
  EXPECT_EQ(record, (RecordRef{"", "s", "r"}));
}

TEST(Handle, AcceptsPercentEncodedIds) {
  EXPECT_EQ(decode_record_handle(percent_encode("c/s:r")), (RecordRef{"c", "s", "r"}));
  EXPECT_EQ(decode_record_handle("c%2fs%3ar"), (RecordRef{"c", "s", "r"}));
  EXPECT_EQ(decode_record_handle("c/s:r"), (RecordRef{"c", "s", "r"}));
  EXPECT_EQ(decode_record_handle("s%3Ar%3Aq"), (RecordRef{"", "s", "r:q"}));
  EXPECT_EQ(decode_record_handle(percent_encode("c/s:a/b")), (RecordRef{"c", "s", "a/b"}));
  EXPECT_EQ(parse_record_id("pdpp://record/" + percent_encode("c/s:r")), (RecordRef{"c", "s", "r"}));
  // A percent-encoded base64url handle is also accepted.
  EXPECT_EQ(decode_record_handle(percent_encode(encode_record_handle({"c", "s", "r"}))), (RecordRef{"c", "s", "r"}));
  for (const std::string_view id :
       {"c/s:.", "c/s:..", "../s:r", "c/..:r", "c/x/s:r", "/s:r", "c/:r", "c/s:", "c\\d/s:r", "c/s"}) {
    expect_record_refused(percent_encode(id));
  }
  expect_record_refused(percent_encode("pdpp://record/c/s:r"));
}

TEST(Handle, FieldWindowsRoundTrip) {
  const std::vector<FieldWindowHandle> handles = {
      {{"c", "s", "r"}, "body", {}},
      {{"", "s", "r"}, "/blocks/3/text", {.cursor = "abc", .limit_chars = 16384}},
      {{"c", "s/t", "a/b"}, "a.b", {.q = "ß\"\\\n", .before_chars = 0, .after_chars = 8192}},
      {{"c", "s", "r"}, "\"", {.offset_chars = INT64_MAX}}};
  for (const FieldWindowHandle& handle : handles) {
    const auto back = decode_field_window_handle(encode_field_window_handle(handle));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(back->record, handle.record);
    EXPECT_EQ(back->field_path, handle.field_path);
    EXPECT_EQ(back->window.cursor, handle.window.cursor);
    EXPECT_EQ(back->window.q, handle.window.q);
    EXPECT_EQ(back->window.offset_chars, handle.window.offset_chars);
    EXPECT_EQ(back->window.limit_chars, handle.window.limit_chars);
    EXPECT_EQ(back->window.before_chars, handle.window.before_chars);
    EXPECT_EQ(back->window.after_chars, handle.window.after_chars);
  }
}

TEST(Handle, ValidatesFieldWindowSelectors) {
  EXPECT_TRUE(decode_field_window_handle(handle_of(window_json(""))).has_value());
  for (const std::string_view more :
       {R"(,"offset_chars":-1)", R"(,"offset_chars":1.5)", R"(,"offset_chars":"3")", R"(,"offset_chars":null)",
        R"(,"limit_chars":0)", R"(,"limit_chars":16385)", R"(,"before_chars":5)", R"(,"q":"x","after_chars":8193)",
        R"(,"q":"x","offset_chars":1)", R"(,"cursor":"c","q":"x")", R"(,"cursor":"")", R"(,"cursor":5)", R"(,"q":"")",
        R"(,"offset_chars":18446744073709551615)"}) {
    expect_window_refused(window_json(more));
  }
  expect_window_refused(R"({"v":1,"kind":"field-window","stream":"s","record_id":"r"})");
  expect_window_refused(R"({"v":1,"kind":"field-window","stream":"s","record_id":"r","field_path":"a/b"})");
  expect_window_refused(R"({"v":1,"kind":"field-window","stream":"s","record_id":"r","field_path":"/a~2"})");
  expect_window_refused(R"({"v":1,"kind":"record","stream":"s","record_id":"r","field_path":"a"})");
  // A record id is not a field-window handle.
  EXPECT_FALSE(decode_field_window_handle("c%2Fs%3Ar").has_value());
}

TEST(Handle, BlobHandlesRoundTripAndAreValidated) {
  const BlobHandle whole{{"cin a", "s/t", "..r"}, "/files/0/data", 0, {}};
  const BlobHandle part{{"", "s", "r"}, "photo", 24'576, 100};
  for (const BlobHandle& handle : {whole, part}) {
    const auto back = decode_blob_handle(encode_blob_handle(handle));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->record, handle.record);
    EXPECT_EQ(back->field_path, handle.field_path);
    EXPECT_EQ(back->first_byte, handle.first_byte);
    EXPECT_EQ(back->max_bytes, handle.max_bytes);
  }
  for (const std::string_view json : {R"({"v":1,"kind":"blob","stream":"s","record_id":"r"})",
                                      R"({"v":1,"kind":"blob","stream":"s","record_id":"r","field_path":"a","first_byte":-1})",
                                      R"({"v":1,"kind":"blob","stream":"s","record_id":"r","field_path":"a","max_bytes":0})",
                                      R"({"v":1,"kind":"blob","stream":"s","record_id":"r","field_path":"a","offset_chars":0})",
                                      R"({"v":1,"kind":"blob","stream":"s","record_id":"..","field_path":"a"})",
                                      R"({"v":2,"kind":"blob","stream":"s","record_id":"r","field_path":"a"})",
                                      R"({"v":1,"kind":"record","stream":"s","record_id":"r","field_path":"a"})"}) {
    const auto back = decode_blob_handle(base64url::encode(json));
    ASSERT_FALSE(back) << json;
    EXPECT_EQ(back.error().code, Code::kInvalidHandle) << json;
  }
}

TEST(Handle, PercentEncodingRoundTrips) {
  EXPECT_EQ(percent_encode("aZ9-._~"), "aZ9-._~");
  EXPECT_EQ(percent_encode("a/b c%ü"), "a%2Fb%20c%25%C3%BC");
  EXPECT_EQ(percent_encode(std::string("\0", 1)), "%00");
  EXPECT_EQ(percent_decode("a%2Fb%20c%25%c3%bc+"), "a/b c%ü+");
  for (const std::string_view bad : {"%", "a%", "%2", "%2g", "%g2", "% 2", "%FF", "%C3", "\xC3"}) {
    const auto decoded = percent_decode(bad);
    ASSERT_FALSE(decoded.has_value()) << bad;
    EXPECT_EQ(decoded.error().code, Code::kInvalidHandle);
  }
}

}  // namespace
}  // namespace ladder::model
