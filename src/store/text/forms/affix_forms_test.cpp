#include "store/text/forms/affix_forms.h"

#include "base/text/utf8.h"
#include "store/text/forms/word_forms.h"
#include "store/text/word_query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

// True if a query of the typed words matches the text.
bool finds(const std::string& typed, const std::string& text) {
  const auto query = parse_word_query(typed, {.all = false, .forms = true, .fields = {}});
  return query && !find_terms(*query, text, 1).empty();
}

TEST(AffixForms, KoreanParticlesAreAddedAndRemoved) {
  EXPECT_TRUE(finds("회의", "회의는 내일입니다") && finds("회의가", "내일 회의") && finds("회의가", "회의에서 만나요"));
  EXPECT_TRUE(finds("펲시콜라", "펲시콜라를 샀습니다") && finds("예약", "호텔을 예약했습니다") && finds("책", "책을 읽는다"));
  EXPECT_TRUE(finds("서울", "서울로 갑니다") && !finds("서울", "서울으로")) << "after ㄹ it is 로";
  EXPECT_TRUE(finds("부산", "부산으로") && !finds("부산", "부산로") && !finds("나", "나은"));
  EXPECT_TRUE(finds("고양이", "고양이는 잔다")) << "a final syllable that looks like a particle may belong to the word";
  EXPECT_FALSE(finds("회의", "회전")) << "one syllable is not a stem";
  EXPECT_TRUE(finds("Rust 책이 어디 있어", "Rust를 배우다")) << "also after a Latin word";
}

TEST(AffixForms, ArabicAndHebrewTakeArticleAndPrepositions) {
  EXPECT_TRUE(finds("القاهره", "في القاهرة") && finds("قاهرة", "بالقاهرة") && finds("والبيت", "بيت"));
  EXPECT_TRUE(finds("اجتماع", "الاجتماعات"));
  EXPECT_TRUE(finds("תל", "בתל אביב") && finds("פגישה", "הפגישה מחר") && finds("לפגישה", "פגישות"));
  EXPECT_TRUE(finds("חלום", "חלומות") && finds("מחשבים", "המחשב")) << "letters that differ at the end of a word";
}

TEST(AffixForms, CaseEndingsAreExchanged) {
  EXPECT_TRUE(finds("hotel w Krakowie, który był rezerwowany", "rezerwacja hotelu w mieście Kraków"));
  EXPECT_TRUE(finds("kde je klíč od auta", "klíče") && finds("mikor van az értekezlet", "az értekezleten"));
  EXPECT_TRUE(finds("зустріч у Києві", "після зустрічі") && finds("unde este cheia și mașina", "mașinii"));
  EXPECT_TRUE(finds("συνάντηση", "της συνάντησης") && finds("किताब", "किताबों में"));
}

TEST(AffixForms, LanguagesWithoutAStemmerThatFoldedWordsFit) {
  EXPECT_TRUE(finds("nork dauka giltza", "giltzak auzokoari") && finds("siapa yang menulis surat", "surat ditulis kemarin"));
  EXPECT_TRUE(finds("kapan harus membayar", "pembayaran") && finds("cé aige a bhfuil an carr", "ár gcarr"));
  EXPECT_TRUE(finds("где је кључ", "кључеве") && finds("gdje je moj ključ", "ključeve") && finds("kde je kľúč", "s kľúčom"));
  EXPECT_TRUE(finds("kje je moja knjiga", "knjigo") && finds("къде е книга", "книгите") && finds("kus on maja", "majad"));
  EXPECT_TRUE(finds("kur ir māja", "mājas") && finds("կատու", "կատուները") && finds("பூனை", "பூனைகள்"));
  EXPECT_TRUE(finds("கடை எங்கே", "கடையில்") && finds("घर मेरो कहाँ छ", "घरमा") && finds("ווען איז די פארזאמלונג", "פארזאמלונגען"));
  EXPECT_TRUE(finds("کتاب کجاست", "کتاب‌های من"));
  EXPECT_TRUE(finds("on és la clau de casa", "les claus"));
}

TEST(AffixForms, ALongerEndingMayBelongToTheStem) {
  EXPECT_TRUE(finds("gdje je tegla", "tegle") && finds("gdzie jest szkoła", "w szkołach") && finds("kde je škola", "do školy"));
}

TEST(AffixForms, LettersMayBeTypedAsThoseOfAnotherLanguage) {
  EXPECT_TRUE(finds("dien thoai", "điện thoại") && finds("điện", "dien")) << "đ has no diacritic to strip";
  EXPECT_TRUE(finds("كليد", "کلید") && finds("کلید", "كليد")) << "an Arabic keyboard has other letters";
  EXPECT_TRUE(finds("gdzie są moje zlote", "złote"));
}

TEST(AffixForms, SingleWordsUseTheUsualLanguages) {
  EXPECT_TRUE(finds("bus", "two buses") && finds("die", "it dies")) << "though it is a function word elsewhere";
  EXPECT_TRUE(finds("sam birthday party letter", "letters")) << "a name that is a function word of another language";
  EXPECT_TRUE(finds("Čapek letter", "letters") && finds("Čapek letter", "Čapkovi dopis Čapka"))
      << "the letters of a name are weak evidence";
}

TEST(AffixForms, DetectsTheLanguageByLettersAndFunctionWords) {
  EXPECT_EQ(language_of_letters("kłódka"), Language::kPolish);
  EXPECT_EQ(language_of_letters("schůzka"), Language::kCzech);
  EXPECT_EQ(language_of_letters("їжа"), Language::kUkrainian);
  EXPECT_EQ(language_of_letters("Haus"), std::nullopt);
  EXPECT_EQ(language_of_letters("ключът"), Language::kBulgarian);
  EXPECT_EQ(language_of_letters("объём"), std::nullopt) << "Russian has ъ before vowels";
  EXPECT_EQ(language_of_word("שליסל", Language::kYiddish), Language::kYiddish);
  EXPECT_EQ(language_of_word("שליסל", Language::kFrench), Language::kHebrew);
  EXPECT_EQ(language_of_word("house", Language::kRussian), std::nullopt);
  EXPECT_EQ(language_of_word("회의", std::nullopt), Language::kKorean);
  EXPECT_EQ(language_of_word("встреча", std::nullopt), Language::kRussian);
}

TEST(AffixForms, IgnoresFunctionWordsOfAQuestion) {
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

TEST(AffixForms, AllKindsTogetherAreFewDistinctAndNotTheWord) {
  for (const std::string word :
       {"kaupungissa", "jarrut", "день", "подарок", "стіл", "đat", "zloty", "leabhair", "buy", "ал", "ẽẽẽ",  "কলম",
        "புத்தகம்",      "կատու",  "کلید", "שליסל",   "ąąą",  "ΐ",   "ﷺ",     "naïve",    "ł",   "øl", "stand"}) {
    for (std::size_t at = 0; at < kLanguages; ++at) {
      for (const bool sure : {true, false}) {
        const auto forms = word_forms(word, DetectedLanguage{static_cast<Language>(at), sure});
        EXPECT_LE(forms.size(), kMaxWordForms) << word;
        EXPECT_EQ(std::set<std::string>(forms.begin(), forms.end()).size(), forms.size()) << word;
        EXPECT_EQ(std::ranges::count(forms, word), 0) << word;
        EXPECT_TRUE(std::ranges::all_of(forms, [](const std::string& form) { return !form.empty() && utf8::is_valid(form); }))
            << word << " " << at;
      }
    }
  }
}

}  // namespace
}  // namespace ladder::store
