#include "store/text/forms/number_forms.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::store {
namespace {

using Groups = std::vector<std::string>;

bool has(const Groups& groups, const char* form) {
  const auto forms = number_forms(groups);
  return std::ranges::find(forms, form) != forms.end();
}

TEST(NumberForms, AreGroupedAndJoined) {
  EXPECT_EQ(number_forms(Groups{"53500"}), Groups{"53 500"});
  EXPECT_EQ(number_forms(Groups{"53", "500"}), Groups{"53500"});
  EXPECT_EQ(number_forms(Groups{"1", "234", "56"}), Groups{"1234 56"});
  EXPECT_EQ(number_forms(Groups{"1234", "56"}), Groups{"1 234 56"});
  EXPECT_TRUE(number_forms(Groups{"500"}).empty());
  EXPECT_TRUE(number_forms(Groups{"2024", "01", "15"}).empty()) << "a date is not a number";
  EXPECT_TRUE(number_forms(Groups{"a", "500"}).empty());
}

TEST(NumberForms, TelephoneNumbersHaveAnOptionalCountryCode) {
  const Groups international = {"49", "171", "1234567"};
  for (const char* form : {"01711234567", "0171 1234567", "171 1234567", "491711234567"})
    EXPECT_TRUE(has(international, form)) << form;
  const Groups national = {"0171", "1234567"};
  for (const char* form : {"01711234567", "171 1234567", "491711234567", "0171 123 4567"})
    EXPECT_TRUE(has(national, form)) << form;
  EXPECT_TRUE(has({"01711234567"}, "0171 1234567"));
  EXPECT_TRUE(has({"0612345678"}, "06 12 34 56 78"));
  EXPECT_TRUE(has({"00491711234567"}, "491711234567"));
  EXPECT_TRUE(has({"358", "40", "1234567"}, "040 1234567"));
  EXPECT_FALSE(has(international, "49 171 1234567")) << "not the number itself";
  EXPECT_LT(number_forms(international).size(), 250U);
}

}  // namespace
}  // namespace ladder::store
