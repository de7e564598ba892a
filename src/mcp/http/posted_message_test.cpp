#include "mcp/http/posted_message.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::mcp {
namespace {

std::optional<WindowCall> window_in(const std::string& body) {
  const Received message(body, kMaxHttpMessageBytes);
  return window_call(message.incoming());
}

std::string call(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + params + "}}";
}

TEST(WindowCall, RecognizesShortWindowsInAnySpelling) {
  for (const std::string& params :
       {std::string(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body"})"),
        std::string(R"("name" : "read_record_field" , "arguments": {"id": "a/b:c", "field_path": "body", "offset_chars": 7})"),
        std::string(R"("arguments":{"id":"a/b:c","field_path":"body"},"name":"read_record_field",)"
                    R"("_meta":{"io.modelcontextprotocol/clientInfo":{"name":"somebody","version":"1"}})")}) {
    const std::string body = call(params);
    const auto found = window_in(body);
    ASSERT_TRUE(found) << params;
    EXPECT_EQ(found->cursor, "");
  }
  const std::string body = call(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body","cursor": "AQx"})");
  const auto found = window_in(body);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cursor, "AQx");
}

TEST(WindowCall, ParsesAMessageOnceAndALongOneLater) {
  http::Request request;
  request.body = call(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body"})");
  take_message(request);
  ASSERT_NE(known_message(request), nullptr);
  const http::Request passed_on = std::move(request);
  EXPECT_EQ(&message_of(passed_on)->incoming(), known_message(passed_on));
  EXPECT_EQ(known_message(passed_on)->messages.front().method, "tools/call");

  http::Request large;
  large.body = call(R"("name":")" + std::string(kMaxBytesReadAhead, 'x') + "\"");
  take_message(large);
  EXPECT_EQ(known_message(large), nullptr);
  EXPECT_EQ(message_of(large)->incoming().messages.front().method, "tools/call");
}

TEST(WindowCall, ExcludesSlowCalls) {
  for (const std::string& body : {
           std::string(),
           std::string("not json"),
           call(R"("name":"search","arguments":{"query":"read_record_field"})"),
           call(R"("name":"search","arguments":{"query":"x"},"_meta":{"clientInfo":{"name":"read_record_field"}})"),
           call(R"("name":"read_record_field","name":"search")"),
           call(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body","q":"word"})"),
           call(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body","\u0071":"word"})"),
           call(R"("name":"read_record_field","arguments":{"cursor":"a","cursor":"b"})"),
           call(R"("name":"read_record_field","arguments":{"cursor":7})"),
           "[" + call(R"("name":"read_record_field","arguments":{"id":"a/b:c","field_path":"body"})") + "]",
           std::string(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x","name":"read_record_field"}})"),
       }) {
    EXPECT_FALSE(window_in(body)) << body;
  }
}

}  // namespace
}  // namespace ladder::mcp
