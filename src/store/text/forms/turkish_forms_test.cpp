#include "store/text/forms/turkish_forms.h"

#include "store/text/word_query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

constexpr std::size_t kMost = 16;

bool makes(const std::string& word, const std::string& form) {
  const std::vector<std::string> forms = turkish_forms(word, kMost);
  return std::ranges::find(forms, form) != forms.end();
}

TEST(TurkishForms, EndingsFollowTheLastVowel) {
  EXPECT_TRUE(makes("elbise", "elbiseler") && makes("elbise", "elbisesi") && makes("elbise", "elbiseye"));
  EXPECT_TRUE(makes("anahtar", "anahtarlar") && makes("anahtar", "anahtarı") && makes("anahtar", "anahtarda"));
  EXPECT_FALSE(makes("anahtar", "anahtarler") || makes("anahtar", "anahtari"));
  EXPECT_TRUE(makes("tarif", "tarifte") && !makes("tarif", "tarifde")) << "d hardens";
  EXPECT_TRUE(makes("okul", "okulda") && makes("gol", "golde")) << "folded o and u match o and ö, u and ü";
}

TEST(TurkishForms, EndingsAreRemoved) {
  EXPECT_TRUE(makes("dugunde", "dugun") && makes("dugunu", "dugun") && makes("dugunde", "dugunu"));
  EXPECT_TRUE(makes("alerjisi", "alerji") && makes("arabamız", "araba") && makes("pansiyonun", "pansiyon"));
  EXPECT_TRUE(makes("dugunde", "dugune") && !makes("dugunde", "duguna")) << "the ending determines the vowel";
}

TEST(TurkishForms, FinalConsonantsSoftenAndHarden) {
  EXPECT_TRUE(makes("cilek", "cilege") && makes("cilege", "cilek") && makes("cilege", "cilekler"));
  EXPECT_TRUE(makes("kitap", "kitabı") && makes("kitabı", "kitap"));
}

TEST(TurkishForms, AreFewDistinctAndNotTheWord) {
  for (const std::string word : {"dugunu", "ev", "at", "krk", "on", "evlerinizdekilerden", "ı", "mükemmel", "строка"}) {
    const std::vector<std::string> forms = turkish_forms(word, kMost);
    EXPECT_LE(forms.size(), kMost) << word;
    EXPECT_EQ(std::set<std::string>(forms.begin(), forms.end()).size(), forms.size()) << word;
    EXPECT_EQ(std::ranges::find(forms, word), forms.end()) << word;
  }
}

std::vector<std::string> forms_of(std::string_view question, std::size_t term) {
  return parse_word_query(question, {.all = false, .forms = true, .fields = {}})->terms.at(term).forms;
}

TEST(TurkishForms, AreUsedIfTurkishIsDetected) {
  const auto has = [](const std::vector<std::string>& forms, const char* form) {
    return std::ranges::find(forms, form) != forms.end();
  };
  EXPECT_TRUE(has(forms_of("düğünde nerede kalacağız", 0), "dugun"));
  EXPECT_TRUE(has(forms_of("Kerem'in düğünü ne zaman?", 2), "dugun")) << "though \"in\" and \"ne\" are words of other languages";
  EXPECT_TRUE(has(forms_of("pansiyonun anahtarı", 0), "pansiyon")) << "the other word has a distinctive letter";
  EXPECT_FALSE(has(forms_of("Where does Ayşe keep her letter?", 2), "letterin"));
  EXPECT_TRUE(has(forms_of("Doğan letter", 1), "letters")) << "forms of other languages, too, where only a name is Turkish";
}

}  // namespace
}  // namespace ladder::store
