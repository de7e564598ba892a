#include "console/reading/matches.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

TEST(Matches, MarksWordsAndNumbersThemAcrossTexts) {
  Matches matches("hotel miramar", {});
  EXPECT_EQ(matches.marked("subject", "Hotel <b>").text(), "<mark id=\"m1\">Hotel</mark> &lt;b&gt;");
  EXPECT_EQ(matches.marked("text", "the Miramar").text(), "the <mark id=\"m2\">Miramar</mark>");
  EXPECT_EQ(matches.written(), 2);
}

TEST(Matches, AWordOfOneFieldIsMarkedOnlyThere) {
  Matches matches("subject:invoice", {"subject"});
  EXPECT_EQ(matches.in("subject", "An invoice").count(), 1);
  EXPECT_EQ(matches.in("text", "An invoice").count(), 0);
}

TEST(Matches, TheCurrentMatchIsTheFirstOneThatEndsAfterThePosition) {
  Matches matches("tea", {});
  const std::string text = "tea, ünd tea";
  Matches::In in = matches.in("text", text, 4);
  EXPECT_EQ(in.part(text).text(),
            "<mark id=\"m1\">tea</mark>, ünd <span id=\"at\"></span><mark class=\"here\" id=\"m2\">tea</mark>");
  EXPECT_EQ(matches.first("text", text), 0);
  EXPECT_EQ(matches.first("text", "coffee"), std::nullopt);
}

TEST(Matches, PartsOfATextShareItsMatches) {
  Matches matches("\"big cat\"", {});
  const std::string text = "a big cat here";
  Matches::In in = matches.in("text", text);
  const std::string_view whole = text;
  EXPECT_EQ(in.count(whole.substr(0, 1)), 0);
  // The border of the parts divides the match: each part marks its half.
  EXPECT_EQ(in.part(whole.substr(0, 6)).text(), "a <mark id=\"m1\">big </mark>");
  EXPECT_EQ(in.part(whole.substr(6)).text(), "<mark id=\"m2\">cat</mark> here");
}

TEST(Matches, AnEmptyOrInvalidQueryHasNone) {
  EXPECT_FALSE(Matches("", {}).any_words());
  EXPECT_FALSE(Matches("!!", {}).any_words());
  EXPECT_EQ(Matches("", {}).marked("text", "a & b").text(), "a &amp; b");
}

}  // namespace
}  // namespace ladder::console
