#include "store/text/forms/irregular_forms.h"

#include "store/text/forms/word_forms.h"
#include "store/text/word_query.h"
#include "store/text/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

bool finds(const std::string& typed, const std::string& text) {
  const auto query = parse_word_query(typed, {.all = false, .forms = true, .fields = {}});
  return query && !find_terms(*query, text, 1).empty();
}

bool has(const std::vector<std::string>& forms, const char* form) { return std::ranges::find(forms, form) != forms.end(); }

TEST(IrregularForms, MatchEachOther) {
  EXPECT_TRUE(has(irregular_forms("buy", Language::kEnglish), "bought") &&
              has(irregular_forms("bought", Language::kEnglish), "buy"));
  EXPECT_TRUE(has(irregular_forms("дня", Language::kRussian), "день") && has(irregular_forms("psa", Language::kCzech), "pes"));
  EXPECT_TRUE(irregular_forms("letter", Language::kEnglish).empty() && irregular_forms("buy", Language::kGerman).empty());
}

TEST(IrregularForms, AmbiguousFormsDoNotMatchOthers) {
  EXPECT_TRUE(has(irregular_forms("rise", Language::kEnglish), "rose") && irregular_forms("rose", Language::kEnglish).empty());
  EXPECT_TRUE(has(irregular_forms("venir", Language::kSpanish), "vino") && irregular_forms("vino", Language::kSpanish).empty());
}

TEST(IrregularForms, AreFoundInQuestionsAndAlone) {
  EXPECT_TRUE(finds("when did I buy the car", "bought it in May") && finds("mouse", "two mice") && finds("mice", "a mouse"));
  EXPECT_TRUE(finds("Wann ist er gekommen", "er kam gestern") && finds("чей это пёс", "у пса") && finds("kde je náš pes", "psa"));
  EXPECT_FALSE(finds("\"buy\"", "bought")) << "quoted words match exactly";
}

TEST(IrregularForms, DoNotDisplaceTheUsualLanguages) {
  const auto forms = word_forms("house", std::nullopt);
  EXPECT_TRUE(has(forms, "houses") && has(forms, "housing"));
  const auto stand = word_forms("stand", std::nullopt);
  EXPECT_TRUE(has(stand, "stands") && has(stand, "stood"));
  EXPECT_LE(stand.size(), kMaxWordForms);
}

// The index contains folded words only.
TEST(IrregularForms, AreFoldedWords) {
  for (std::size_t at = 0; at < kLanguages; ++at) {
    const auto language = static_cast<Language>(at);
    for (const std::string& form : known_irregular_forms(language)) {
      Words words;
      words.feed(form);
      words.finish();
      Word word;
      ASSERT_TRUE(words.next(word)) << form;
      EXPECT_EQ(word.text, form);
      EXPECT_FALSE(words.next(word)) << form;
      const auto others = irregular_forms(form, language);
      EXPECT_EQ(std::set(others.begin(), others.end()).size(), others.size()) << form;
      EXPECT_FALSE(has(others, form.c_str())) << form;
      EXPECT_FALSE(others.empty()) << form << " has no other form";
    }
  }
}

}  // namespace
}  // namespace ladder::store
