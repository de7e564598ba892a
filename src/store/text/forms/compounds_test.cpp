#include "store/text/forms/compounds.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::store {
namespace {

bool joins(const char* first, const char* second, const char* compound, Language language) {
  const std::vector<std::string> seconds = {second};
  const auto made = compounds_of(first, seconds, language);
  return std::ranges::find(made, compound) != made.end();
}

bool parts(const char* compound, const char* first, const char* second, Language language) {
  const auto ways = compound_parts(compound, language);
  return std::ranges::find(ways, CompoundParts{first, second}) != ways.end();
}

TEST(Compounds, AreJoinedWithTheLettersOfTheirLanguage) {
  EXPECT_TRUE(joins("barn", "cykel", "barncykel", Language::kSwedish));
  EXPECT_TRUE(joins("kyrka", "gard", "kyrkogard", Language::kSwedish) || joins("kyrk", "gard", "kyrkogard", Language::kSwedish));
  EXPECT_TRUE(joins("skola", "gard", "skolgard", Language::kSwedish));
  EXPECT_TRUE(joins("arbeit", "vertrag", "arbeitsvertrag", Language::kGerman));
  EXPECT_TRUE(joins("schule", "hof", "schulhof", Language::kGerman));
  EXPECT_TRUE(joins("kind", "garten", "kindergarten", Language::kGerman));
  EXPECT_TRUE(joins("boek", "kast", "boekenkast", Language::kDutch));
  EXPECT_TRUE(joins("barn", "have", "barnehave", Language::kDanish));
  EXPECT_TRUE(joins("auto", "avain", "autonavain", Language::kFinnish));
  EXPECT_FALSE(joins("note", "book", "notebook", Language::kEnglish));
  EXPECT_FALSE(joins("i", "dag", "idag", Language::kSwedish)) << "a part has three letters";
  EXPECT_FALSE(joins("a4x", "papier", "a4xpapier", Language::kGerman));
}

TEST(Compounds, AreSplitMostEvenlyFirst) {
  const auto ways = compound_parts("barncykel", Language::kSwedish);
  ASSERT_FALSE(ways.empty());
  EXPECT_EQ(ways.front(), (CompoundParts{"barn", "cykel"}));
  EXPECT_TRUE(parts("arbeitsvertrag", "arbeit", "vertrag", Language::kGerman));
  EXPECT_TRUE(parts("kindergarten", "kind", "garten", Language::kGerman));
  EXPECT_FALSE(parts("unternehmen", "unter", "nehmen", Language::kGerman)) << "a function word is not a part";
  EXPECT_TRUE(compound_parts("notebook", Language::kEnglish).empty());
  EXPECT_TRUE(compound_parts("haus", Language::kGerman).empty());
  EXPECT_TRUE(compound_parts(std::string(60, 'a'), Language::kGerman).empty());
}

}  // namespace
}  // namespace ladder::store
