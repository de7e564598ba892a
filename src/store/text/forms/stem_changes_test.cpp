#include "store/text/forms/stem_changes.h"

#include "base/text/utf8.h"
#include "store/text/word_query.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::store {
namespace {

bool finds(const std::string& typed, const std::string& text) {
  const auto query = parse_word_query(typed, {.all = false, .forms = true, .fields = {}});
  return query && !find_terms(*query, text, 1).empty();
}

bool makes(Language language, const char32_t* stem, const char32_t* form) {
  const auto forms = changed_forms(stem, language);
  return std::ranges::find(forms, std::u32string(form)) != forms.end();
}

bool has_plain(Language language, const char32_t* word, const char32_t* stem) {
  const auto stems = plain_stems(word, language);
  return std::ranges::find(stems, std::u32string(stem)) != stems.end();
}

TEST(StemChanges, WorkInBothDirections) {
  EXPECT_TRUE(makes(Language::kFinnish, U"hinta", U"hinnan") && has_plain(Language::kFinnish, U"hinnalla", U"hinta"));
  EXPECT_TRUE(makes(Language::kSwedish, U"cykl", U"cykeln") && has_plain(Language::kSwedish, U"cykel", U"cykl"));
  EXPECT_TRUE(makes(Language::kPolish, U"nog", U"nodze") && has_plain(Language::kPolish, U"nodze", U"nog"));
  EXPECT_TRUE(makes(Language::kCzech, U"knih", U"knize") && has_plain(Language::kCzech, U"knize", U"knih"));
  EXPECT_TRUE(makes(Language::kUkrainian, U"стол", U"стіл") && has_plain(Language::kUkrainian, U"стіл", U"стол"));
  EXPECT_TRUE(makes(Language::kRussian, U"огн", U"огонь") && has_plain(Language::kRussian, U"огонь", U"огн"));
  EXPECT_TRUE(makes(Language::kIrish, U"leabhar", U"leabhair") && has_plain(Language::kIrish, U"leabhair", U"leabhar"));
}

TEST(StemChanges, KeepLettersMatchedByWildcards) {
  EXPECT_TRUE(makes(Language::kUkrainian, U"радост", U"радість"));
  EXPECT_FALSE(makes(Language::kFinnish, U"hinta", U"hinnon") || makes(Language::kRussian, U"огн", U"оген ь"));
  EXPECT_FALSE(makes(Language::kRussian, U"оки", U"окои")) << "a vowel is not a consonant";
}

TEST(StemChanges, ApplyToTheirLanguageOnly) {
  EXPECT_TRUE(changed_forms(U"hinta", Language::kEnglish).empty() && plain_stems(U"hinnan", Language::kGerman).empty());
  EXPECT_TRUE(changed_forms(U"", Language::kFinnish).empty() && plain_stems(U"", Language::kRussian).empty());
  EXPECT_TRUE(plain_stems(U"т", Language::kRussian).empty());
  for (const char32_t* const word : {U"katkokatko", U"мешок", U"ночі", U"ręce", U"kadulla"}) {
    for (std::size_t at = 0; at < kLanguages; ++at)
      EXPECT_LE(plain_stems(word, static_cast<Language>(at)).size(), kMaxPlainStems);
  }
}

TEST(StemChanges, AreFoundInTexts) {
  EXPECT_TRUE(finds("missä on kaupunki", "kaupungin keskusta") && finds("missä kaupungissa se on", "kaupunki"));
  EXPECT_TRUE(finds("Київ", "у Києві") && finds("у Києві", "Київ") && finds("ніч", "до ночі"));
  EXPECT_TRUE(finds("gdzie jest ręka i noga", "na nodze") && finds("gdzie są książki w Polsce", "książek"));
  EXPECT_TRUE(finds("kde je moje kniha", "v knize") && finds("kde to je v Praze", "Praha"));
  EXPECT_TRUE(finds("где мой подарок", "без подарка") && finds("сколько подарков", "подарок"));
  EXPECT_TRUE(finds("kur yra mano stabdį", "stabdžius")) << "d is dž before a soft ending";
}

}  // namespace
}  // namespace ladder::store
