// Tests of the field-window body: all members of PDPP "field windows" and Ladder's own, at the start, in the middle,
// at the end, and past the end of a field.
#include "api/field_window.h"

#include <gtest/gtest.h>

namespace ladder::api {
namespace {

FieldWindow window_of(std::int64_t start, std::int64_t end, std::int64_t total) {
  FieldWindow window;
  window.record = {"c1", "notes", "n1"};
  window.path = "body";
  window.type = "string";
  window.size_chars = total;
  window.digest = "sha256:00";
  window.text = "text";
  window.start_chars = start;
  window.end_chars = end;
  window.limit_chars = 4;
  return window;
}

TEST(FieldWindowJson, FirstWindow) {
  FieldWindow window = window_of(0, 4, 10);
  window.next_cursor = "next";
  EXPECT_EQ(to_json(window),
            R"({"object":"field_window","id":"c1/notes:n1","connection_id":"c1","stream":"notes","record_id":"n1",)"
            R"("url":"/v1/streams/notes/records/n1/field-window",)"
            R"("field":{"path":"body","type":"string","text_like":true,"size_chars":10,"digest":"sha256:00"},)"
            R"("window":{"total_chars":10,"start_chars":0,"end_chars":4,"limit_chars":4,"complete":false,"has_more":true,)"
            R"("match_start_chars":null,"match_end_chars":null,"next_offset_chars":4,"previous_offset_chars":null,)"
            R"("next_cursor":"next","previous_cursor":null,"text":"text"}})");
}

TEST(FieldWindowJson, LaterWindowHasAPreviousCursor) {
  FieldWindow window = window_of(6, 10, 10);
  window.previous_cursor = "back";
  const std::string json = to_json(window);
  EXPECT_NE(json.find(R"("complete":false,"has_more":false)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("next_offset_chars":null,"previous_offset_chars":2)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("next_cursor":null,"previous_cursor":"back")"), std::string::npos) << json;
  window.start_chars = 3;
  EXPECT_NE(to_json(window).find(R"("previous_offset_chars":0)"), std::string::npos);
}

TEST(FieldWindowJson, WholeFieldIsComplete) {
  EXPECT_NE(to_json(window_of(0, 4, 4)).find(R"("complete":true,"has_more":false)"), std::string::npos);
  EXPECT_NE(to_json(window_of(4, 4, 4)).find(R"("complete":false,"has_more":false)"), std::string::npos);
}

TEST(FieldWindowJson, MatchAndClass) {
  FieldWindow window = window_of(2, 6, 10);
  window.mime_type = "application/pdf";
  window.text_like = false;
  window.match = Match{"needle", 3, 5};
  window.next_match_cursor = "again";
  const std::string json = to_json(window);
  EXPECT_NE(json.find(R"("type":"string","mime_type":"application/pdf","text_like":false)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("match_start_chars":3,"match_end_chars":5)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("next_match_cursor":"again")"), std::string::npos) << json;
}

TEST(FieldWindowJson, EscapesKeysInTheUrlAndTextInTheBody) {
  FieldWindow window = window_of(0, 4, 4);
  window.record.record_id = "a b:ü";
  window.text = std::string("q\"\\\n\0é", 7);
  const std::string json = to_json(window);
  EXPECT_NE(json.find("/records/a%20b%3A%C3%BC/field-window"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("text":"q\"\\\n\u0000é"}})"), std::string::npos) << json;
}

}  // namespace
}  // namespace ladder::api
