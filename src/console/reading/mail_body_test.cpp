#include "console/reading/mail_body.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ladder::console {
namespace {

using enum BodyKind;

// The kinds of the parts with their texts, without white space around them.
std::string divided(std::string_view text) {
  std::string out;
  for (const BodyPart& part : body_parts(text)) {
    const std::size_t first = part.text.find_first_not_of(" \n");
    if (first == std::string_view::npos) continue;
    out += part.kind == kText ? "text(" : part.kind == kQuote ? "quote(" : "signature(";
    out += std::string(part.text.substr(first, part.text.find_last_not_of(" \n") + 1 - first)) + ") ";
  }
  return out;
}

TEST(MailBody, PlainTextIsOnePart) {
  EXPECT_EQ(divided("Hello Nora,\n\n    indented\n\nOla\n"), "text(Hello Nora,\n\n    indented\n\nOla) ");
  EXPECT_TRUE(body_parts("").empty());
}

TEST(MailBody, AQuoteIncludesItsIntroduction) {
  EXPECT_EQ(divided("Yes.\n\nOn Thu, 12 Nov 2026 at 09:14, Ola <ola@fjord.example> wrote:\n> Shall I?\n>> Who?\n"),
            "text(Yes.) quote(On Thu, 12 Nov 2026 at 09:14, Ola <ola@fjord.example> wrote:\n> Shall I?\n>> Who?) ");
  EXPECT_EQ(divided("Ja.\n\nAm 12. November 2026 schrieb Ola\n<ola@fjord.example>:\n\n> Soll ich?\n"),
            "text(Ja.) quote(Am 12. November 2026 schrieb Ola\n<ola@fjord.example>:\n\n> Soll ich?) ");
  EXPECT_EQ(divided("He asked me this:\n> Shall I?\nAnd I said no.\n"),
            "quote(He asked me this:\n> Shall I?) text(And I said no.) ");
}

TEST(MailBody, ALongParagraphBeforeAQuoteStaysText) {
  EXPECT_EQ(divided("One 1\ntwo\nthree\nfour\nfive:\n> quoted\n"), "text(One 1\ntwo\nthree\nfour) quote(five:\n> quoted) ");
  EXPECT_EQ(divided("No colon\n> quoted\n"), "text(No colon) quote(> quoted) ");
}

TEST(MailBody, AnswersBetweenQuotesAreText) {
  EXPECT_EQ(divided("> gutters?\n\nYes.\n\n> When?\n\nWeek 48.\n"),
            "quote(> gutters?) text(Yes.) quote(> When?) text(Week 48.) ");
}

TEST(MailBody, TheSignatureEndsBeforeTheQuote) {
  EXPECT_EQ(divided("Yes.\n-- \nOla\nBergen\n\nOn 12 Nov 2026, Nora wrote:\n> Well?\n"),
            "text(Yes.) signature(-- \nOla\nBergen) quote(On 12 Nov 2026, Nora wrote:\n> Well?) ");
  EXPECT_EQ(divided("A list:\n--\n" + std::string(3'000, 'x')), "text(A list:\n--\n" + std::string(3'000, 'x') + ") ");
}

TEST(MailBody, AForwardedMessageIsAQuote) {
  EXPECT_EQ(divided("Zur Info.\n\n-----Ursprüngliche Nachricht-----\nVon: Haus\n\nLiebe Eigentümer\n"),
            "text(Zur Info.) quote(-----Ursprüngliche Nachricht-----\nVon: Haus\n\nLiebe Eigentümer) ");
  EXPECT_EQ(
      divided("Thanks!\n\nFrom: Ola <ola@fjord.example>\nSent: Thursday, November 5, 2026\nSubject: Plants\n\nWater them?\n"),
      "text(Thanks!) quote(From: Ola <ola@fjord.example>\nSent: Thursday, November 5, 2026\nSubject: Plants\n\nWater them?) ");
  EXPECT_EQ(divided("Sounds good!\n\nOn Fri, Nov 6, 2026 at 9:00 AM Ola <ola@fjord.example> wrote:\n\nLunch?\n"),
            "text(Sounds good!) quote(On Fri, Nov 6, 2026 at 9:00 AM Ola <ola@fjord.example> wrote:\n\nLunch?) ");
}

TEST(MailBody, NothingIsHiddenWithoutAReply) {
  EXPECT_EQ(divided("From: Ola <ola@fjord.example>\nSent: Thursday, November 5, 2026\nSubject: Plants\n\nWater them?\n"),
            "text(From: Ola <ola@fjord.example>\nSent: Thursday, November 5, 2026\nSubject: Plants\n\nWater them?) ");
  Matches none("", {});
  const std::string text = "> all is quoted\n> in this mail\n";
  Matches::In in = none.in("text", text);
  EXPECT_NE(mail_body(text, in).text().find("<details class=\"quoted\" open>"), std::string::npos);
}

TEST(MailBody, FoldsSayHowManyMatchesTheyContain) {
  Matches matches("gutters", {});
  const std::string text = "Which gutters?\n\nOla wrote:\n> the gutters, new gutters\n";
  Matches::In in = matches.in("text", text);
  const std::string html = mail_body(text, in).text();
  EXPECT_NE(html.find("<mark id=\"m1\">gutters</mark>?"), std::string::npos);
  EXPECT_NE(html.find("2 matches"), std::string::npos);
  EXPECT_EQ(matches.written(), 3);
}

// The text of an element, as a browser has it, for the characters that the random texts use.
std::string text_content(std::string_view html) {
  std::string out;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') at = html.find('>', at) + 1;
    else if (html.substr(at).starts_with("&gt;")) out += '>', at += 4;
    else out += html[at++];
  }
  return out;
}

TEST(MailBody, RandomTextsLoseNothing) {
  const std::vector<std::string> pieces = {
      "> ",   ">",  "\n", "\n\n",        "--\n",         "-- \n",     "word ", "On 12 Nov 2026, a@b.c wrote:\n",
      "    ", "\t", ">>", "From: a@b\n", "Sent: 2026\n", "Re: x y\n", "____\n"};
  std::mt19937 random(17);
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto count = random() % 40; count > 0; --count) text += pieces[random() % pieces.size()];
    std::string joined;
    for (const BodyPart& part : body_parts(text)) joined += part.text;
    ASSERT_EQ(joined, text);
    Matches matches("word", {});
    Matches::In in = matches.in("text", text);
    std::string html = mail_body(text, in).text(), shown;
    for (std::size_t summary; (summary = html.find("<summary>")) != std::string::npos;) {
      html.erase(summary, html.find("</summary>", summary) + 10 - summary);
    }
    ASSERT_EQ(text_content(html), text);
    ASSERT_EQ(matches.written(), in.count());
  }
}

}  // namespace
}  // namespace ladder::console
