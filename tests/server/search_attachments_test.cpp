// has:attachment keeps only records whose source declares an attachment.
#include "search_suite.h"

#include "base/text/format.h"

namespace ladder {
namespace {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

constexpr std::string_view kPost = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/post"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Post"},"streams":[
    {"name":"letters","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at","consent_time_field":"at",
     "selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"},
       "at":{"type":"string","format":"date-time"},"enclosed":{"type":"integer","x_pdpp_role":"attachments"}}},
     "query":{"search":{"lexical_fields":["text"]}}},
    {"name":"cards","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"},
       "attachment_count":{"type":"integer"}}},
     "query":{"search":{"lexical_fields":["text"]}}}]})";

class SearchAttachments : public SearchSuite {
 protected:
  SearchAttachments() {
    must(server().sources().add(owner(), std::string(kPost), "post"));
    must(server().sources().add_connection(owner(), "post", "", "box"));
    put("letters", "with", "the offer", R"(,"at":"2026-01-02T00:00:00Z","enclosed":2)");
    put("letters", "late", "a card", R"(,"at":"2026-01-03T00:00:00Z","enclosed":1)");
    put("letters", "none", "the offer again", R"(,"at":"2026-01-04T00:00:00Z","enclosed":0)");
    put("letters", "silent", "one more offer", R"(,"at":"2026-01-05T00:00:00Z")");
    put("cards", "card", "the offer on a card", R"(,"attachment_count":1)");
  }
  void put(std::string_view stream, std::string_view id, std::string_view text, std::string_view more) {
    ASSERT_EQ(ingest(record_line(id, text_member("text", text) + std::string(more)), "box", std::string(stream)).accepted, 1);
  }
  server::Access reader_of(std::vector<std::string> fields) { return client({"box", "letters", std::move(fields), {}, {}, {}}); }
};

TEST_P(SearchAttachments, FindsOnlyRecordsWithAttachments) {
  EXPECT_EQ(find(owner(), "offer").size(), 4U);
  EXPECT_EQ(find(owner(), "offer has:attachment"), (Ids{"box/letters:with"})) << "the name of a field says nothing";
  EXPECT_EQ(find(owner(), "has:attachments offer"), (Ids{"box/letters:with"}));
  EXPECT_EQ(find(owner(), "has:attachment the offer in:letters"), (Ids{"box/letters:with"}));
  EXPECT_TRUE(find(owner(), "offer in:cards has:attachment").empty());
}

TEST_P(SearchAttachments, ListsThemByTimeWithoutWords) {
  EXPECT_EQ(find(owner(), "has:attachment"), (Ids{"box/letters:late", "box/letters:with"})) << "the newest first";
  api::SearchRequest request = words("has:attachment");
  request.limit = 1;
  EXPECT_EQ(walk(owner(), request), (Ids{"box/letters:late", "box/letters:with"}));
  api::SearchRequest other = words("");
  other.until = parse_time("2027-01-01");
  other.cursor = must(server().search().find(owner(), request)).next_cursor;
  EXPECT_EQ(refusal(owner(), other), "cursor_mismatch cursor");
}

TEST_P(SearchAttachments, AnUngrantedFieldTellsNothing) {
  const server::Access some = reader_of({"id", "text"}), all = reader_of({"id", "text", "enclosed"});
  EXPECT_EQ(find(all, "offer has:attachment"), (Ids{"box/letters:with"}));
  EXPECT_EQ(sorted(find(some, "offer has:attachment")), sorted(find(some, "offer"))) << "the words are text";
}

LADDER_FOR_EVERY_ENGINE(SearchAttachments);

}  // namespace
}  // namespace ladder
