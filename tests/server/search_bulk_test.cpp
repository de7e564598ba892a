// Bulk mail, as its source declares it, ranks below personal mail if the caller may see the distinction.
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
    {"name":"letters","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"},
       "to_many":{"type":"boolean","x_pdpp_role":"bulk"}}},
     "query":{"search":{"lexical_fields":["text"]}}}]})";

class SearchBulk : public SearchSuite {
 protected:
  SearchBulk() {
    must(server().sources().add(owner(), std::string(kPost), "post"));
    must(server().sources().add_connection(owner(), "post", "", "box"));
  }
  void put_letter(std::string_view id, std::string_view text, std::string_view more = "") {
    const std::string members = text_member("text", text) + std::string(more);
    ASSERT_EQ(ingest(record_line(id, members), "box", "letters").accepted, 1);
  }
  void put_advertisement_and_booking() {
    put_letter("advertisement", "offers: a hotel with a room, another hotel", R"(,"to_many":true)");
    put_letter("booking", "your hotel, and the room that you have booked", R"(,"to_many":false)");
  }
  server::Access reader_of(std::vector<std::string> fields) { return client({"box", "letters", std::move(fields), {}, {}, {}}); }
};

TEST_P(SearchBulk, MailFromPeopleComesFirst) {
  put_advertisement_and_booking();
  EXPECT_EQ(find(owner(), "hotel room"), (Ids{"box/letters:booking", "box/letters:advertisement"}));
  EXPECT_EQ(find(owner(), "room offers").front(), "box/letters:advertisement") << "which alone has the other word";
}

TEST_P(SearchBulk, AnUngrantedFieldDoesNotAffectTheOrder) {
  put_advertisement_and_booking();
  const Ids by_words = {"box/letters:advertisement", "box/letters:booking"};
  const server::Access some = reader_of({"id", "text"}), all = reader_of({"id", "text", "to_many"});
  for (int i = 0; i < 2; ++i) {  // the second time with warm caches
    EXPECT_EQ(find(some, "hotel room"), by_words);
    EXPECT_EQ(find(all, "hotel room"), (Ids{by_words[1], by_words[0]}));
  }
}

TEST_P(SearchBulk, EveryPageFollowsTheSameOrder) {
  for (int i = 0; i < 12; ++i) {
    put_letter(format("l{:02}", i), i % 3 == 0 ? "hotel and hotel with a room" : "one hotel room",
               i % 2 == 0 ? R"(,"to_many":true)" : "");
  }
  api::SearchRequest request = words("hotel room");
  const Ids whole = find(owner(), request);
  ASSERT_EQ(whole.size(), 12U);
  request.limit = 5;
  EXPECT_EQ(walk(owner(), request), whole);
}

LADDER_FOR_EVERY_ENGINE(SearchBulk);

}  // namespace
}  // namespace ladder
