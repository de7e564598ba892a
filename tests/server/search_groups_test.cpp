// Hits of one conversation are grouped under the best one; one call returns the others, and ungranted data has no
// influence.
#include "search_suite.h"

#include <random>
#include <set>

namespace ladder {
namespace {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

constexpr std::string_view kTalks = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/talks"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Talks"},"streams":[
    {"name":"talks","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
       "title":{"type":"string","x_pdpp_role":"primary-title"}}},
     "relationships":[{"name":"lines","stream":"lines","foreign_key":"talk_id","cardinality":"has_many"}],
     "query":{"search":{"lexical_fields":["title"]}}},
    {"name":"lines","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at","consent_time_field":"at",
     "selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
       "talk_id":{"type":"string","x_pdpp_belongs_to":"conversation"},"talk":{"type":"string","x_pdpp_role":"context"},
       "other_talk_id":{"type":"string","x_pdpp_belongs_to":"conversation"},
       "text":{"type":"string"},"at":{"type":"string","format":"date-time"}}},
     "query":{"search":{"lexical_fields":["text","talk"]},"range_filters":{"at":["gte","lte"]}}},
    {"name":"notes","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
       "title":{"type":"string","x_pdpp_role":"primary-title"},
       "text":{"type":"string","x_pdpp_copies":"fold"},"place":{"type":"string","x_pdpp_copies":"fold"}}},
     "query":{"search":{"lexical_fields":["title","text","place"]}}},
    {"name":"events","semantics":"append_only","primary_key":["id"],"selection":{"fields":true,"resources":true},
     "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"text":{"type":"string"}}},
     "query":{"search":{"lexical_fields":["text"]}}}]})";

class SearchGroups : public SearchSuite {
 protected:
  SearchGroups() {
    must(server().add_source(owner(), std::string(kTalks), "talks"));
    must(server().add_connection(owner(), "talks", "", "phone"));
  }

  void put_line(int number, std::string_view talk_id, std::string_view talk, std::string_view text,
                std::string_view other_talk_id = "") {
    const std::string members =
        (other_talk_id.empty() ? "" : text_member("other_talk_id", other_talk_id) + ",") + text_member("talk_id", talk_id) + "," +
        text_member("talk", talk) + "," + text_member("text", text) + "," +
        text_member("at", format("2026-01-{:02}T{:02}:{:02}:00Z", 1 + number / 1'440 % 28, number / 60 % 24, number % 60));
    ASSERT_EQ(ingest(record_line(format("l{:04}", number), members), "phone", "lines").accepted, 1);
  }
  void put_talk(std::string_view id, std::string_view title) {
    ASSERT_EQ(ingest(record_line(id, text_member("title", title)), "phone", "talks").accepted, 1);
  }
  void put_note(std::string_view id, std::string_view title, std::string_view text) {
    const std::string members = text_member("title", title) + "," + text_member("text", text);
    ASSERT_EQ(ingest(record_line(id, members), "phone", "notes").accepted, 1);
  }
  // A conversation of 61 lines that all contain its title, one line with the word, and lines elsewhere.
  void put_flood() {
    for (int i = 0; i < 61; ++i)
      put_line(i, "t1", "Rust borrow checker",
               i == 17 ? "why does the borrow checker complain about rust" : format("line {}", i));
    put_line(100, "t2", "Kitchen", "rust on the pan");
    put_line(101, "t3", "Garden", "the gate has rust");
    put_talk("t1", "Rust borrow checker");
  }
  api::SearchPage page_of(const server::Access& access, const api::SearchRequest& request) {
    return must(server().search(access, request));
  }
};

TEST_P(SearchGroups, AConversationAppearsOnceWithItsBestHit) {
  put_flood();
  for (const std::string q : {"rust borrow checker", "rust"}) {
    api::SearchRequest request = words(q);
    request.limit = 10;
    const api::SearchPage page = page_of(owner(), request);
    const Ids found = names(page);
    EXPECT_EQ(found.size(), 3U) << q;
    EXPECT_EQ(std::ranges::count(found, "phone/lines:l0100"), 1) << q;
    EXPECT_EQ(std::ranges::count(found, "phone/lines:l0101"), 1) << q;
    EXPECT_FALSE(page.has_more);
    EXPECT_EQ(page.count, 64) << "all of them match";
    const auto talk = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
    ASSERT_NE(talk, page.hits.end()) << q;
    EXPECT_EQ(talk->group->more, 61) << "the other lines, and the talk itself or the line";
    EXPECT_EQ(talk->group->label, "conversation");
    EXPECT_TRUE(talk->group->exact);
    for (const api::SearchHit& hit : page.hits) expect_exact(owner(), hit);
  }
}

TEST_P(SearchGroups, OneCallReturnsTheOthers) {
  put_flood();
  api::SearchRequest request = words("rust borrow checker");
  const api::SearchPage page = page_of(owner(), request);
  const auto talk = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
  ASSERT_NE(talk, page.hits.end());
  request.group = talk->group->id;
  request.limit = 9;
  const Ids all = walk(owner(), request);
  EXPECT_EQ(all.size(), 62U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 62U);
  EXPECT_EQ(all.front(), name_of(*talk)) << "the best one first, as before";
  EXPECT_EQ(page_of(owner(), request).count, 62);
  for (const std::string wrong : {"x", "g", "gAAAA", "zAAAAAAAAAAA", "gAAAAAAAAAAA.x", "."}) {
    request.group = wrong;
    EXPECT_EQ(refusal(owner(), request), "invalid_request group") << wrong;
  }
  request.group = "gAAAAAAAAAAA";
  EXPECT_TRUE(find(owner(), request).empty());
}

TEST_P(SearchGroups, AHitInAConversationNamesItsNeighbors) {
  constexpr int kMinutesOfDay = 1'440;
  put_line(10 * kMinutesOfDay, "t1", "Trip", "where shall we sleep");
  put_line(10 * kMinutesOfDay + 5, "t1", "Trip", "the zebra hostel");
  put_line(10 * kMinutesOfDay + 9, "t1", "Trip", "booked");
  put_line(10 * kMinutesOfDay + 7, "t2", "Work", "another talk at that time");
  put_line(20 * kMinutesOfDay, "t1", "Trip", "the same talk, much later");
  const api::SearchPage page = page_of(owner(), words("zebra"));
  ASSERT_EQ(page.hits.size(), 1U);
  ASSERT_TRUE(page.hits.front().neighbours);
  const api::Neighbours& around = *page.hits.front().neighbours;
  EXPECT_EQ(around.part.field_path, "talk_id");
  api::RecordsRequest request;
  request.scope.connection_id = "phone";
  request.stream = "lines";
  request.descending = false;
  request.filters = {
      {around.field, "", around.value}, {around.time_field, "gte", around.since}, {around.time_field, "lte", around.until}};
  std::vector<std::string> keys;
  for (const api::Record& record : must(server().records(owner(), request)).records) keys.push_back(record.ref.record_id);
  EXPECT_EQ(keys, (std::vector<std::string>{"l14400", "l14405", "l14409"}));
  for (const std::vector<std::string>& fields : {std::vector<std::string>{"id", "text", "at"}, {"id", "text", "talk_id"}}) {
    const api::SearchPage blind = page_of(client({"phone", "lines", fields, {}, {}, {}}), words("zebra"));
    ASSERT_EQ(blind.hits.size(), 1U);
    EXPECT_FALSE(blind.hits.front().neighbours) << "it needs both the conversation and the time";
  }
}

TEST_P(SearchGroups, EqualWordsOfManyConversationsAppearOnce) {
  for (int i = 0; i < 30; ++i) put_line(i, format("t{}", i), "Talk", "many thanks to you");
  put_line(40, "t40", "Talk", "thanks, and the key is under the mat");
  const api::SearchPage page = page_of(owner(), words("thanks"));
  EXPECT_EQ(names(page).size(), 2U);
  const auto same = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
  ASSERT_NE(same, page.hits.end());
  EXPECT_EQ(same->group->more, 29);
  EXPECT_EQ(same->group->label, "wording");
  api::SearchRequest request = words("thanks");
  request.group = same->group->id;
  EXPECT_EQ(find(owner(), request).size(), 25U);
  request.limit = 100;
  EXPECT_EQ(find(owner(), request).size(), 30U);
}

TEST_P(SearchGroups, AnyPageSizeGivesTheSameList) {
  std::mt19937 random(7);
  int number = 0;
  for (int talk = 0; talk < 40; ++talk) {
    for (int lines = talk == 0 ? 400 : static_cast<int>(random() % 12); lines > 0; --lines) {
      std::string text = random() % 3 == 0 ? "plum" : "fig plum";
      for (unsigned long more = random() % 4; more > 0; --more) text += format(" w{}", random() % 60);
      put_line(number++, format("t{}", talk), talk == 0 ? "Plum fig talk" : "Other talk", text);
    }
  }
  for (const std::string q : {"plum", "plum fig", "plum w7 w8"}) {
    for (const api::SearchOrder order : {api::SearchOrder::kRelevance, api::SearchOrder::kNewest, api::SearchOrder::kOldest}) {
      std::vector<Ids> walks;
      for (const std::int64_t limit : {3, 10, 100}) {
        api::SearchRequest request = words(q);
        request.order = order;
        request.limit = limit;
        walks.push_back(walk(owner(), request));
        EXPECT_EQ(walks.back(), walks.front()) << q << " " << limit << " " << static_cast<int>(order);
      }
      const Ids& list = walks.front();
      EXPECT_EQ(std::set<std::string>(list.begin(), list.end()).size(), list.size());
      EXPECT_LT(list.size(), 300U) << "a conversation of 400 lines appears once: " << q << " " << static_cast<int>(order);
    }
  }
}

TEST_P(SearchGroups, WithoutTheFieldNothingIsGrouped) {
  put_flood();
  const auto blind = client({"phone", "lines", {"id", "talk", "text"}, {}, {}, {}});
  api::SearchRequest request = words("rust borrow checker");
  request.limit = 100;
  EXPECT_EQ(find(blind, request).size(), 63U) << "a client without the grouping field sees each line";
  const auto seeing = client({"phone", "lines", {"id", "talk_id", "text"}, {}, {}, {}});
  EXPECT_EQ(find(seeing, request).size(), 3U);
  EXPECT_EQ(page_of(seeing, request).count, 3) << "the title that every line carries is not granted";
}

TEST_P(SearchGroups, DeclaredCopiesAppearOnce) {
  for (int i = 0; i < 30; ++i) put_note(format("copy{:02}", i), "Licence", "permission is granted to the heron");
  put_note("other", "Heron", "a heron stands at the weir");
  for (const std::string q : {"heron", "heron permission"}) {
    for (const int again : {1, 2}) {  // the second time PostgreSQL has the texts cached
      const api::SearchPage page = page_of(owner(), words(q));
      EXPECT_EQ(names(page).size(), 2U) << q << again;
      EXPECT_EQ(page.count, 31) << q;
      EXPECT_FALSE(page.has_more);
      const auto copy = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
      ASSERT_NE(copy, page.hits.end()) << q;
      EXPECT_EQ(copy->group->more, 29);
      EXPECT_EQ(copy->group->label, "wording");
      api::SearchRequest request = words(q);
      request.group = copy->group->id;
      request.limit = 7;
      const Ids all = walk(owner(), request);
      EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 30U) << q;
    }
  }
}

TEST_P(SearchGroups, TheLineWithMostWordsRepresentsTheConversation) {
  put_line(1, "t1", "", "heron heron heron, said one");
  put_line(2, "t1", "", format("{} heron weir mill", std::string(900, 'x')));
  put_line(3, "t2", "", "a heron");
  for (int i = 10; i < 16; ++i) put_line(i, format("t{}", i), "", "something about a mill or a weir");
  const api::SearchPage page = page_of(owner(), words("heron weir mill"));
  const auto talk = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
  ASSERT_NE(talk, page.hits.end());
  EXPECT_EQ(talk->ref.record_id, "l0002");
  EXPECT_EQ(talk->group->more, 1);
  EXPECT_FALSE(talk->group->second) << "the other one adds nothing";
}

TEST_P(SearchGroups, ASecondLineComesNextIfItAddsWords) {
  put_line(1, "t1", "", "where is the heron of the weir");
  put_line(2, "t1", "", "the heron is at the weir");
  put_line(3, "t1", "", "we met the miller");
  put_line(4, "t2", "", "a heron at the weir, and one at the weir");
  for (int i = 5; i < 8; ++i) put_line(i, "t3", "", "a miller");
  const api::SearchPage page = page_of(owner(), words("heron weir miller"));
  const auto second = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group && hit.group->second; });
  ASSERT_NE(second, page.hits.end());
  EXPECT_EQ(second->ref.record_id, "l0003");
  EXPECT_EQ(second->group->more, 0);
  ASSERT_NE(second, page.hits.begin());
  const api::SearchHit& first = *(second - 1);
  EXPECT_EQ(first.group->id, second->group->id);
  EXPECT_EQ(first.group->more, 1);
  EXPECT_EQ(page.hits.size(), 4U);
  api::SearchRequest request = words("heron weir miller");
  request.group = second->group->id;
  EXPECT_EQ(find(owner(), request).size(), 3U);
  for (const std::int64_t limit : {1, 2, 10}) {
    api::SearchRequest some = words("heron weir miller");
    some.limit = limit;
    EXPECT_EQ(walk(owner(), some), names(page)) << limit;
  }
  request = words("heron weir miller");
  request.also = {"miller heron"};
  EXPECT_EQ(find(owner(), request).size(), 3U) << "of several wordings one hit of a conversation is shown";
}

TEST_P(SearchGroups, AConversationMayHaveTwoNames) {
  put_line(1, "t1", "", "the heron at the weir", "derived");
  put_line(2, "derived", "", "a heron at the mill");
  put_line(3, "t1", "", "this heron");
  put_line(4, "t4", "", "another heron");
  for (const std::string q : {"heron", "heron weir"}) {
    const api::SearchPage page = page_of(owner(), words(q));
    EXPECT_EQ(page.hits.size(), 2U) << q;
    const auto talk = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
    ASSERT_NE(talk, page.hits.end()) << q;
    EXPECT_EQ(talk->group->more, 2) << q;
  }
  api::SearchRequest request = words("heron weir");
  for (const std::string q : {"heron weir", "heron mill"}) {  // the shown hits have two names and one of them
    request = words(q);
    request.group = page_of(owner(), request).hits.front().group->id;
    EXPECT_EQ(find(owner(), request).size(), 3U) << q;
    request.limit = 1;
    EXPECT_EQ(walk(owner(), request).size(), 3U) << q;
  }
  const auto one_name = client({"phone", "lines", {"id", "talk_id", "text"}, {}, {}, {}});
  EXPECT_EQ(find(one_name, words("heron")).size(), 3U) << "the other name is not granted";
}

TEST_P(SearchGroups, VersionsOfANoteAppearOnce) {
  const auto version = [](int number) {
    std::string text = format("version 1.{} of the rules for herons and weirs. ", number);
    for (int i = 0; i < 300; ++i) text += format("rule{} ", i == 37 * number ? 1'000 + number : i);
    return text;
  };
  for (int i = 0; i < 9; ++i) put_note(format("v{}", i), "Rules", version(i));
  put_note("with", "Rules", version(9) + "The toll is five.");
  put_note("other", "Birds", "herons sleep near weirs");
  for (const std::string q : {"herons weirs", "herons"}) {
    for (const int again : {1, 2}) {  // the second time PostgreSQL has the texts cached
      const api::SearchPage page = page_of(owner(), words(q));
      EXPECT_EQ(names(page).size(), 2U) << q << again;
      EXPECT_EQ(page.count, 11) << q;
      const auto copy = std::ranges::find_if(page.hits, [](const api::SearchHit& hit) { return hit.group.has_value(); });
      ASSERT_NE(copy, page.hits.end()) << q;
      EXPECT_EQ(copy->group->more, 9);
      EXPECT_EQ(copy->group->label, "near copies");
      api::SearchRequest request = words(q);
      request.group = copy->group->id;
      EXPECT_EQ(find(owner(), request).size(), 10U) << q;
    }
  }
  EXPECT_EQ(find(owner(), words("herons toll")).size(), 3U)
      << "the one that alone has a word of the question is a hit of its own";
  const auto titles = client({"phone", "notes", {"id", "title"}, {}, {}, {}});
  EXPECT_EQ(find(titles, words("rules")).size(), 10U) << "a client without the text gets no grouping by it";
}

TEST_P(SearchGroups, EqualEventsAppearSeparately) {
  for (int i = 0; i < 30; ++i)
    ingest(record_line(format("e{:02}", i), text_member("text", "the heron landed")), "phone", "events");
  EXPECT_EQ(walk(owner(), words("heron")).size(), 30U);
  EXPECT_EQ(walk(owner(), words("heron landed")).size(), 30U);
}

TEST_P(SearchGroups, CopiesAreDetectedByTheDeclaredFields) {
  for (int i = 0; i < 5; ++i) put_note(format("n{}", i), format("Heron {}", i), "a heron stands at the weir");
  put_note("empty1", "Heron alone", "");
  put_note("empty2", "Heron again", "");
  EXPECT_EQ(find(owner(), words("heron")).size(), 3U) << "titles do not count, and notes without a text are no copies";
}

TEST_P(SearchGroups, CopiesAreDetectedByGrantedFieldsOnly) {
  for (int i = 0; i < 5; ++i) {
    const std::string members =
        text_member("text", "a heron stands at the weir") + "," + text_member("place", format("mill {}", i));
    ASSERT_EQ(ingest(record_line(format("n{}", i), members), "phone", "notes").accepted, 1);
  }
  EXPECT_EQ(find(owner(), words("heron weir")).size(), 5U) << "their places differ";
  const auto texts = client({"phone", "notes", {"id", "text"}, {}, {}, {}});
  EXPECT_EQ(find(texts, words("heron weir")).size(), 1U);
  EXPECT_EQ(find(owner(), words("heron weir")).size(), 5U) << "another client's cached text is not used";
  const auto titles = client({"phone", "notes", {"id", "title"}, {}, {}, {}});
  for (int i = 0; i < 3; ++i) put_note(format("m{}", i), "Weir", "the same");
  EXPECT_EQ(find(titles, words("weir")).size(), 3U) << "a client without the text gets no grouping by it";
}

TEST_P(SearchGroups, LaterPagesDoNotRepeatCopies) {
  for (int i = 0; i < 400; ++i) put_note(format("copy{:03}", i), "Licence", "permission is granted to the heron");
  for (int i = 0; i < 20; ++i) put_note(format("other{:02}", i), "Bird", format("bird {} stands there like a heron", i));
  for (const std::string q : {"heron", "permission heron"}) {
    for (const std::int64_t limit : {3, 25}) {
      api::SearchRequest request = words(q);
      request.limit = limit;
      EXPECT_EQ(walk(owner(), request).size(), 21U) << q << " " << limit;
    }
  }
}

LADDER_FOR_EVERY_ENGINE(SearchGroups);

}  // namespace
}  // namespace ladder
