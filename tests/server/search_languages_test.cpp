// Queries of one or two words, whose language only the granted records show. Compounds are found by their parts and as
// a whole, and numbers with any digit grouping.
#include "search_suite.h"

#include <string>

namespace ladder {
namespace {

using test_support::must;

class SearchLanguages : public SearchSuite {
 protected:
  // Adds one mail that shows the language, and others that do not.
  void put_all(const std::string& language, const Ids& texts) {
    put_mail("tells", {.body = language});
    for (std::size_t i = 0; i < texts.size(); ++i) put_mail("m" + std::to_string(i + 1), {.body = texts[i]});
  }
  std::string first(const std::string& question) {
    const Ids found = find(owner(), question);
    return found.empty() ? "" : found.front().substr(found.front().find(':') + 1);
  }
};

constexpr const char* kSwedish = "Jag vet inte när och var vi ses";

TEST_P(SearchLanguages, OneWordHasTheFormsOfTheLanguagesOfTheRecords) {
  put_all(kSwedish, {"Sveriges drottning talar", "en inställd operation", "två flickor"});
  EXPECT_EQ(first("drottningen"), "m1");
  EXPECT_EQ(first("inställda operationer"), "m2");
  EXPECT_EQ(first("flickorna"), "m3");
}

TEST_P(SearchLanguages, FindsFormsInFinnishTurkishAndPolish) {
  put_mail("fi", {.body = "En tiedä mutta he ovat kaupunki"});
  put_mail("tr", {.body = "Bu bir kitap için degil"});
  put_mail("pl", {.body = "To jest oraz książka"});
  EXPECT_EQ(first("kaupungissa"), "fi");
  EXPECT_EQ(first("kitaplar"), "tr");
  EXPECT_EQ(first("książki"), "pl");
}

TEST_P(SearchLanguages, OnlyGrantedRecordsDetermineTheLanguage) {
  put_mail("m1", {.body = "Sveriges drottning talar", .hidden = kSwedish});
  put_mail("m2", {.body = "And this is what we have with us"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_TRUE(find(agent, "drottningarna").empty());
  put_mail("m3", {.body = kSwedish});
  EXPECT_EQ(find(agent, "drottningarna"), (Ids{"inbox/messages:m1"}));
}

TEST_P(SearchLanguages, FewHitsNameTheLanguagesOfGrantedRecords) {
  put_mail("m1", {.body = kSwedish, .hidden = "Wir wissen nicht wo und wann"});
  put_mail("m2", {.body = "And this is what we have with us"});
  put_mail("m3", {.body = "Это что был дом"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const auto told = [&](const std::string& question) {
    Ids names;
    for (const auto& each : must(server().search().find(agent, words(question))).languages)
      names.push_back(each.code + (each.asked ? "!" : ""));
    return sorted(names);
  };
  EXPECT_EQ(told("where is the queen of the country"), (Ids{"en!", "ru", "sv"}));
  EXPECT_EQ(told("zeppelin"), (Ids{"en", "ru", "sv"}));
  for (int i = 0; i < 5; ++i) put_mail("q" + std::to_string(i), {.body = "queen"});
  EXPECT_TRUE(told("queen").empty()) << "enough was found";
}

TEST_P(SearchLanguages, LaterPagesKeepTheLanguageOfTheFirst) {
  put_all(kSwedish, {"drottningen ett", "drottningar två", "drottning tre", "drottningarna fyra"});
  api::SearchRequest request = words("drottning");
  request.limit = 1;
  EXPECT_EQ(sorted(walk(owner(), request)),
            (Ids{"inbox/messages:m1", "inbox/messages:m2", "inbox/messages:m3", "inbox/messages:m4"}));
}

TEST_P(SearchLanguages, SplitsSwedishCompounds) {
  put_all(kSwedish, {"en röd barncykel", "en cykel som är för barn", "skolgården i byn", "mötet om arbetsmiljö"});
  EXPECT_EQ(sorted(find(owner(), "barncykel")).size(), 2U);
  EXPECT_EQ(first("barncykel"), "m1") << "the word itself comes first";
  EXPECT_EQ(first("barncyklarna"), "m1");
  EXPECT_EQ(sorted(find(owner(), "barn cykel")), (Ids{"inbox/messages:m1", "inbox/messages:m2"}));
  EXPECT_EQ(first("skola gård"), "m3");
  EXPECT_EQ(first("miljö arbete"), "m4");
}

TEST_P(SearchLanguages, AnAbsentCompoundIsFoundByItsParts) {
  put_all(kSwedish, {"cyklar för alla barn", "barn"});
  const api::SearchPage page = must(server().search().find(owner(), words("barncykel")));
  ASSERT_FALSE(page.hits.empty());
  EXPECT_EQ(page.hits[0].ref.record_id, "m1");
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "words_split");
  EXPECT_EQ(page.warnings[0].message, "also searched by their parts: barncykel → barn, cykel");
  api::SearchRequest request = words("barncykel");
  request.limit = 1;
  EXPECT_EQ(walk(owner(), request), names(page));
  EXPECT_TRUE(find(owner(), "+barncykel").empty());
  EXPECT_TRUE(find(owner(), "\"barncykel\"").empty());
}

TEST_P(SearchLanguages, SplitsGermanCompounds) {
  put_all("Wir wissen nicht wo er ist und wann",
          {"Der Arbeitsvertrag", "Fest im Sommer in der Schule", "Schulhof", "Mietwohnung"});
  EXPECT_EQ(first("Vertrag Arbeit"), "m1");
  EXPECT_EQ(first("Sommerfest"), "m2");
  EXPECT_EQ(first("Schule Hof"), "m3");
  EXPECT_EQ(first("Wohnungen Miete"), "m4");
}

TEST_P(SearchLanguages, SplitsDutchDanishNorwegianAndFinnishCompounds) {
  put_mail("nl", {.body = "Het is niet een verjaardagsfeest"});
  put_mail("nl2", {.body = "de fiets van een kind, niet het"});
  put_mail("da", {.body = "Jeg ved ikke hvad, og en sommerfesten"});
  put_mail("da2", {.body = "kage til fødselsdag"});
  put_mail("no", {.body = "Jeg vet ikke hva, og sommerhytta"});
  put_mail("fi", {.body = "En tiedä mutta olen kesämökki"});
  put_mail("fi2", {.body = "auton avain"});
  EXPECT_EQ(first("feest verjaardag"), "nl");
  EXPECT_EQ(first("kinderfiets"), "nl2");
  EXPECT_EQ(first("fest sommer"), "da");
  EXPECT_EQ(first("fødselsdagskage"), "da2");
  EXPECT_EQ(first("sommer hytte"), "no");
  EXPECT_EQ(first("kesä mökki"), "fi");
  EXPECT_EQ(first("autonavain"), "fi2");
}

TEST_P(SearchLanguages, SplitsNoWordsInOtherLanguages) {
  put_all("And this is what we have with us", {"a book", "a note"});
  EXPECT_TRUE(find(owner(), "notebook").empty());
}

TEST_P(SearchLanguages, ShortWordsHaveIrregularForms) {
  put_all("And this is what we have with us", {"She went home"});
  EXPECT_EQ(first("go"), "m1");
}

TEST_P(SearchLanguages, FindsNumbersInEveryGrouping) {
  put_all("And this is what we have with us", {"costs 53 500", "costs 53.500", "costs 53,500", "costs 53500", "total 1.234,56"});
  for (const char* typed : {"53500", "53 500", "53.500", "53,500"}) EXPECT_EQ(find(owner(), typed).size(), 4U) << typed;
  EXPECT_EQ(first("1234.56"), "m5");
}

TEST_P(SearchLanguages, FindsPhoneNumbersWithAndWithoutCountryCode) {
  put_all("And this is what we have with us",
          {"call +49 171 1234567", "call 0171 1234567", "call 01711234567", "call 0171/123 45 67", "call +491711234567"});
  for (const char* typed :
       {"+49 171 1234567", "0171 1234567", "01711234567", "+491711234567", "0171-1234567", "0049 171 1234567"}) {
    const Ids found = sorted(find(owner(), typed));
    for (const char* record : {"m1", "m2", "m3", "m5"}) {
      EXPECT_NE(std::ranges::find(found, std::string("inbox/messages:") + record), found.end()) << typed << " " << record;
    }
  }
}

LADDER_FOR_EVERY_ENGINE(SearchLanguages);

}  // namespace
}  // namespace ladder
