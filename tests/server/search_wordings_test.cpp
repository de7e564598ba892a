// Queries as people paste and mistype them, and several wordings in one search.
#include "search_suite.h"

#include "base/text/format.h"

#include <set>

namespace ladder {
namespace {

using test_support::must;
using test_support::record_line;

class SearchWordings : public SearchSuite {
 protected:
  std::string warning(const api::SearchPage& page, std::string_view code) {
    for (const api::Warning& one : page.warnings) {
      if (one.code == code) return one.message;
    }
    return "";
  }
};

TEST_P(SearchWordings, ALongQueryUsesItsRarestWords) {
  std::string question;
  for (int i = 0; i < 100; ++i) question += format("ordinary{} ", i);
  std::string common = question;
  for (int i = 0; i < 12; ++i) put_mail(format("c{:02}", i), {.body = common});
  put_mail("rare", {.body = "the zygote report"});
  const api::SearchPage page = must(server().search().find(owner(), words(question + "zygote")));
  EXPECT_EQ(page.hits.size(), 13U) << "with the mail that has only the shortest word, which is the rarest";
  EXPECT_NE(warning(page, "words_left_out").find("ordinary"), std::string::npos);
  EXPECT_EQ(warning(page, "words_left_out").find("zygote"), std::string::npos);
  api::SearchRequest request = words(question + "zygote");
  request.limit = 3;
  const Ids all = walk(owner(), request);
  EXPECT_EQ(all.size(), 13U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST_P(SearchWordings, AQueryOf8000CharactersIsAccepted) {
  put_mail("m1", {.body = "The pump of the north station"});
  std::string question = "pump ";
  while (question.size() < 7'990) question += format("w{} ", question.size() % 200);
  question.resize(8'000, ' ');
  EXPECT_EQ(find(owner(), question), (Ids{"inbox/messages:m1"}));
}

TEST_P(SearchWordings, AQuotationInProseExcludesNothing) {
  put_mail("m1", {.body = "Titles that describe an article"});
  put_mail("m2", {.body = "Something else"});
  EXPECT_EQ(find(owner(), "what do people mean by \"approximate titles\" of some article"), (Ids{"inbox/messages:m1"}));
}

TEST_P(SearchWordings, TypingErrorsAreCorrectedInEveryScript) {
  put_mail("latin", {.body = "Sumatriptan against migraine"});
  put_mail("cyrillic", {.body = "Договор аренды квартиры"});
  put_mail("greek", {.body = "Το συμβόλαιο της κατοικίας"});
  put_mail("hebrew", {.body = "הזמנה למלון בירושלים"});
  put_mail("exact", {.body = "Sumatra coffee against migraine"});
  EXPECT_EQ(find(owner(), "sumatripan"), (Ids{"inbox/messages:latin"}));
  EXPECT_EQ(find(owner(), "квартирры"), (Ids{"inbox/messages:cyrillic"}));
  EXPECT_EQ(find(owner(), "κατοικιαας"), (Ids{"inbox/messages:greek"}));
  EXPECT_EQ(find(owner(), "בירושליים"), (Ids{"inbox/messages:hebrew"}));
  EXPECT_EQ(find(owner(), "sumatra migrane").front(), "inbox/messages:exact") << "a correction weighs less than a word";
}

TEST_P(SearchWordings, ACursorKeepsTheCorrections) {
  for (int i = 0; i < 7; ++i) put_mail(format("m{}", i), {.body = "a reservation of a hotel"});
  api::SearchRequest request = words("resevation hotel");
  request.limit = 2;
  EXPECT_EQ(walk(owner(), request).size(), 7U);
}

TEST_P(SearchWordings, FurtherWordingsAreFused) {
  put_mail("en", {.body = "The landlord raised the rent"});
  put_mail("de", {.body = "Die Miete der Wohnung steigt"});
  put_mail("both", {.body = "rent and Miete"});
  put_mail("none", {.body = "the weather"});
  EXPECT_EQ(sorted(find(owner(), "rent")), (Ids{"inbox/messages:both", "inbox/messages:en"}));
  api::SearchRequest request = words("rent");
  request.also = {"Miete Wohnung"};
  const api::SearchPage page = must(server().search().find(owner(), request));
  EXPECT_EQ(names(page)[0], "inbox/messages:both") << "both wordings find it";
  EXPECT_EQ(sorted(names(page)), (Ids{"inbox/messages:both", "inbox/messages:de", "inbox/messages:en"}));
  for (const api::SearchHit& hit : page.hits) {
    EXPECT_FALSE(hit.windows.empty()) << name_of(hit);
    expect_exact(owner(), hit);
  }
  EXPECT_GT(page.hits[0].score, page.hits[1].score);
}

TEST_P(SearchWordings, PagesOfFusedWordingsRepeatNothing) {
  for (int i = 0; i < 20; ++i)
    put_mail(format("m{:02}", i), {.body = i % 2 == 0 ? "rent" : (i % 3 == 0 ? "rent Miete" : "Miete")});
  api::SearchRequest request = words("rent");
  request.also = {"Miete"};
  const Ids whole = names(must(server().search().find(owner(), request)));
  request.limit = 3;
  const Ids walked = walk(owner(), request);
  EXPECT_EQ(walked, whole);
  EXPECT_EQ(std::set<std::string>(walked.begin(), walked.end()).size(), 20U);
  const std::string cursor = must(server().search().find(owner(), request)).next_cursor;
  api::SearchRequest other = words("rent");
  other.cursor = cursor;
  EXPECT_EQ(refusal(owner(), other), "cursor_mismatch cursor");
}

TEST_P(SearchWordings, InNamesAStreamOrAConnection) {
  put_mail("m1", {.body = "the offer of the roof"});
  put_mail("m2", {.body = "the offer of the roof"}, "archive");
  EXPECT_EQ(find(owner(), "offer in:archive"), (Ids{"archive/messages:m2"}));
  EXPECT_EQ(find(owner(), "in:inbox offer"), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(owner(), "in:messages offer").size(), 2U);
  EXPECT_EQ(find(owner(), "offer in:nowhere").size(), 2U) << "text";
  api::SearchRequest request = words("in:messages offer");
  request.limit = 1;
  api::SearchRequest other = words("offer");
  other.cursor = must(server().search().find(owner(), request)).next_cursor;
  EXPECT_EQ(refusal(owner(), other), "cursor_mismatch cursor");
}

TEST_P(SearchWordings, FromMeansTheDeclaredAuthor) {
  must(server().sources().add(
      owner(),
      R"({"protocol_version": "0.1.0", "source": {"kind": "connector", "id": "https://sources.example/room"},
    "declaration_version": "1", "publisher": {"id": "https://sources.example/"}, "display": {"name": "Room"}, "streams": [{"name": "lines",
    "semantics": "mutable_state", "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"},
    "author": {"type": "string", "x_pdpp_role": "actor"}, "text": {"type": "string"}}}, "primary_key": ["id"], "selection": {"fields": true, "resources": true},
    "query": {"search": {"lexical_fields": ["author", "text"]}}}]})",
      "room"));
  must(server().sources().add_connection(owner(), "room", "", "room"));
  ingest(record_line("a", R"("author":"Anna","text":"the offer")"), "room", "lines");
  ingest(record_line("b", R"("author":"Ben","text":"the offer for Anna")"), "room", "lines");
  EXPECT_EQ(find(owner(), "offer from:anna"), (Ids{"room/lines:a"}));
  EXPECT_EQ(find(owner(), "offer -from:anna"), (Ids{"room/lines:b"}));
}

TEST_P(SearchWordings, FusedWordingsHaveATimeOrderAndBounds) {
  put_mail("old", {.body = "rent", .sent_at = "2024-01-01T00:00:00Z"});
  put_mail("new", {.body = "Miete", .sent_at = "2025-01-01T00:00:00Z"});
  api::SearchRequest request = words("rent");
  request.also = {"Miete"};
  request.order = api::SearchOrder::kNewest;
  EXPECT_EQ(find(owner(), request), (Ids{"inbox/messages:new", "inbox/messages:old"}));
  request.order = api::SearchOrder::kOldest;
  EXPECT_EQ(find(owner(), request), (Ids{"inbox/messages:old", "inbox/messages:new"}));
  request.also.assign(5, "Miete");
  EXPECT_EQ(refusal(owner(), request), "invalid_request also");
  request.also = {"..."};
  EXPECT_EQ(refusal(owner(), request), "invalid_request also");
}

LADDER_FOR_EVERY_ENGINE(SearchWordings);

}  // namespace
}  // namespace ladder
