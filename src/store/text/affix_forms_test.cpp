#include "store/text/affix_forms.h"

#include "base/text/utf8.h"
#include "store/text/word_forms.h"
#include "store/text/word_query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

// True if a query of the typed words finds some of them in the text.
bool finds(const std::string& typed, const std::string& text) {
  const auto query = parse_word_query(typed, {.all = false, .forms = true, .fields = {}});
  return query && !find_terms(*query, text, 1).empty();
}

TEST(AffixForms, KoreanParticlesStandBehindAWordAndAreTakenOff) {
  EXPECT_TRUE(finds("회의", "회의는 내일입니다") && finds("회의가", "내일 회의") && finds("회의가", "회의에서 만나요"));
  EXPECT_TRUE(finds("펲시콜라", "펲시콜라를 샀습니다") && finds("예약", "호텔을 예약했습니다") && finds("책", "책을 읽는다"));
  EXPECT_TRUE(finds("서울", "서울로 갑니다") && !finds("서울", "서울으로")) << "behind ㄹ it is 로";
  EXPECT_TRUE(finds("부산", "부산으로") && !finds("부산", "부산로") && !finds("나", "나은"));
  EXPECT_TRUE(finds("고양이", "고양이는 잔다")) << "what looks like a particle may belong to the word";
  EXPECT_FALSE(finds("회의", "회전")) << "one syllable is no stem";
  EXPECT_TRUE(finds("Rust 책이 어디 있어", "Rust를 배우다")) << "also behind a Latin word";
}

TEST(AffixForms, ArabicAndHebrewTakeArticleAndPrepositions) {
  EXPECT_TRUE(finds("القاهره", "في القاهرة") && finds("قاهرة", "بالقاهرة") && finds("والبيت", "بيت"));
  EXPECT_TRUE(finds("اجتماع", "الاجتماعات"));
  EXPECT_TRUE(finds("תל", "בתל אביב") && finds("פגישה", "הפגישה מחר") && finds("לפגישה", "פגישות"));
  EXPECT_TRUE(finds("חלום", "חלומות") && finds("מחשבים", "המחשב")) << "letters that differ at the end of a word";
}

TEST(AffixForms, EndingsOfCasesAreExchanged) {
  EXPECT_TRUE(finds("hotel w Krakowie, który był rezerwowany", "rezerwacja hotelu w mieście Kraków"));
  EXPECT_TRUE(finds("kde je klíč od auta", "klíče") && finds("mikor van az értekezlet", "az értekezleten"));
  EXPECT_TRUE(finds("зустріч у Києві", "після зустрічі") && finds("unde este cheia și mașina", "mașinii"));
  EXPECT_TRUE(finds("συνάντηση", "της συνάντησης") && finds("किताब", "किताबों में"));
}

TEST(AffixForms, TheLanguageIsToldByLettersAndFunctionWords) {
  EXPECT_EQ(language_of_letters("kłódka"), Language::kPolish);
  EXPECT_EQ(language_of_letters("schůzka"), Language::kCzech);
  EXPECT_EQ(language_of_letters("їжа"), Language::kUkrainian);
  EXPECT_EQ(language_of_letters("Haus"), std::nullopt);
  EXPECT_EQ(language_of_word("회의", std::nullopt), Language::kKorean);
  EXPECT_EQ(language_of_word("встреча", std::nullopt), Language::kRussian);
}

TEST(AffixForms, FunctionWordsOfAQuestionAreNotSought) {
  const auto query = parse_word_query("호텔 예약 번호가 뭐야", {.all = false, .forms = true, .fields = {}});
  ASSERT_TRUE(query);
  EXPECT_TRUE(std::ranges::none_of(query->terms, [](const WordTerm& term) { return term.typed == "뭐야"; }));
  EXPECT_EQ(query->terms.size(), 3u);
}

TEST(AffixForms, AreFewDistinctAndNotTheWord) {
  for (const std::string word : {"회의", "회", "rust", "ال", "בית", "ם", "a", "книга", "किताबों", "σ", "ł", "은", "ا"}) {
    for (std::size_t at = 0; at < kLanguages; ++at) {
      const auto forms = affix_forms(word, static_cast<Language>(at), kMaxWordForms);
      EXPECT_LE(forms.size(), kMaxWordForms);
      EXPECT_EQ(std::set<std::string>(forms.begin(), forms.end()).size(), forms.size()) << word;
      EXPECT_EQ(std::ranges::count(forms, word), 0) << word;
      EXPECT_TRUE(std::ranges::all_of(forms, [](const std::string& form) { return !form.empty() && utf8::is_valid(form); }))
          << word;
    }
  }
}

}  // namespace
}  // namespace ladder::store
