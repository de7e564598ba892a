#include "ask/answer.h"

#include <gtest/gtest.h>

#include <array>

namespace ladder::ask {
namespace {

const std::array<std::string, 3> kEvidence = {
    "Booking confirmation | Hotel Miramar | 3 February 2026\nYour reservation number is HM-20714. Price: 412 EUR, breakfast "
    "included.",
    "Re: Kitchen | Tomas Reuter\nWe would then install on the 14th and finish on the 16th.",
    "Quote\n10 Installation, two people, two days. Removal of the old cabinets is included.",
};

CheckedAnswer check(std::string_view answer) { return check_answer(answer, kEvidence); }

TEST(Answer, KeepsSentencesThatTheirPassageSays) {
  const CheckedAnswer made =
      check("The reservation number is HM-20714 [1]. It costs 412 EUR with breakfast.[1] They install on the 14th [2]!");
  ASSERT_EQ(made.sentences.size(), 3U);
  EXPECT_EQ(made.sentences[0].text, "The reservation number is HM-20714.");
  EXPECT_EQ(made.sentences[1].text, "It costs 412 EUR with breakfast.");
  EXPECT_EQ(made.sentences[1].citations, std::vector<int>{1});
  EXPECT_EQ(made.sentences[2].citations, std::vector<int>{2});
  EXPECT_TRUE(made.removed.empty());
}

TEST(Answer, RemovesSentencesWithoutACitation) {
  const CheckedAnswer made = check("The price is 412 EUR. The price is 412 EUR [1].");
  ASSERT_EQ(made.sentences.size(), 1U);
  ASSERT_EQ(made.removed.size(), 1U);
  EXPECT_EQ(made.removed[0].why, Removal::kNoCitation);
}

TEST(Answer, RemovesCitationsOfMissingPassages) {
  for (const std::string_view text : {"The price is 412 EUR [4].", "The price is 412 EUR [0].", "The price is 412 EUR [1, 9].",
                                      "The price is 412 EUR [9999]."}) {
    const CheckedAnswer made = check(text);
    EXPECT_TRUE(made.sentences.empty()) << text;
    ASSERT_EQ(made.removed.size(), 1U) << text;
    EXPECT_EQ(made.removed[0].why, Removal::kUnknownPassage) << text;
  }
}

TEST(Answer, RemovesWhatTheCitedPassageDoesNotSay) {
  for (const std::string_view text : {"The price is 413 EUR [1].", "The price is 412 EUR [2].",
                                      "Your aunt sold her yacht in Genoa [1].", "[1] [1].", "The and of it [1]."}) {
    const CheckedAnswer made = check(text);
    EXPECT_TRUE(made.sentences.empty()) << text;
  }
}

TEST(Answer, CombinesPassagesAndForms) {
  const CheckedAnswer made = check("They install the kitchen on the 14th, and the removal of cabinets is included [2][3].");
  ASSERT_EQ(made.sentences.size(), 1U);
  EXPECT_EQ(made.sentences[0].citations, (std::vector<int>{2, 3}));
  EXPECT_EQ(check("Installing takes two days [3].").sentences.size(), 1U);
}

TEST(Answer, KeepsParagraphsAndReadsLists) {
  const CheckedAnswer made = check("- The price is 412 EUR [1].\n- Mr. Reuter finishes on the 16th [2].\n\nTwo people [3].");
  ASSERT_EQ(made.sentences.size(), 3U);
  EXPECT_EQ(made.sentences[0].text, "The price is 412 EUR.");
  EXPECT_TRUE(made.sentences[1].begins_paragraph);
  EXPECT_EQ(made.sentences[2].text, "Two people.");
}

TEST(Answer, IgnoresThoughts) {
  const CheckedAnswer made = check("<think>The price is 412 EUR [1].</think>\nTwo people [3].");
  ASSERT_EQ(made.sentences.size(), 1U);
  EXPECT_TRUE(check("<think>The price is 412 EUR [1].").sentences.empty());
}

TEST(Answer, IsBounded) {
  std::string endless;
  for (int i = 0; i < 5'000; ++i) endless += "The price is 412 EUR [1]. ";
  const CheckedAnswer made = check(endless);
  EXPECT_TRUE(made.cut);
  EXPECT_LE(made.sentences.size(), 40U);
  EXPECT_TRUE(check(std::string(1'000'000, 'a')).sentences.empty());
  EXPECT_TRUE(check(std::string(100'000, '[')).sentences.empty());
  EXPECT_TRUE(check("\xFF The price is 412 EUR [1].").sentences.empty());
}

}  // namespace
}  // namespace ladder::ask
