#include "import/html/html_prune.h"

#include "import/testing/page_tree.h"

#include <gtest/gtest.h>

#include <random>

namespace ladder::imports::html {
namespace {

using testing::tree_of_page;
using testing::tree_of_pruned_page;

std::string short_of(std::string_view page) { return PrunedPage(page).html(); }

TEST(PrunedPage, RemovesMarkupWithoutText) {
  EXPECT_EQ(short_of("<table width=\"100%\" style='color:red; DISPLAY:none;padding:0' class=x><tr><td align=center hidden>"),
            "<table style=' DISPLAY:none;'><tr><td hidden>");
  EXPECT_EQ(short_of("<a href='https://x.example/' target=_blank>x</a><img src=\"y\" alt=\"z\"/>"),
            "<a href='https://x.example/'>x</a><img alt=\"z\"/>");
  EXPECT_EQ(short_of("<style type=a>td{}</style><!--[if mso]><td><![endif]--><title>a <b></title>"),
            "<style type=a></style><!----><title>a <b></title>");
}

TEST(PrunedPage, ReplacesRunsOfText) {
  constexpr std::string_view kPage = "<p>One sentence.</p> <p>\n Another &amp; yet another one.</p>";
  EXPECT_LT(short_of(kPage).size(), kPage.size() - 20);
  EXPECT_EQ(tree_of_pruned_page(kPage), tree_of_page(kPage));
}

TEST(PrunedPage, KeepsBlanks) {
  // gumbo drops the NUL, so that the text is blank; it turns \r\n into one line end.
  for (const std::string_view page :
       {std::string_view("\0          <p>", 14), std::string_view("<p>some words\r\n and more words</p>"),
        std::string_view("<table> words here <td> </table>")}) {
    EXPECT_EQ(tree_of_pruned_page(page), tree_of_page(page));
  }
}

TEST(PrunedPage, KeepsPagesThatUsePlaceholders) {
  for (const std::string_view page : {"<p>a run of words, &#983040; and &#xF0001;", "<p>a run of words, \xF3\xB0\x80\x80"})
    EXPECT_EQ(tree_of_pruned_page(page), tree_of_page(page));
}

TEST(PrunedPage, KeepsFormattingElements) {
  // gumbo reopens up to three elements with the same tag and attributes.
  EXPECT_EQ(short_of("<font color=red size=1><b class=x>"), "<font color=red size=1><b class=x>");
}

TEST(PrunedPage, StopsAtMalformedMarkup) {
  for (const std::string_view rest : {"<td class=\"x\" =y align=z>", "<td class=x\"y\" align=z>", "<td align=\"x\"b=c>",
                                      "<script>var a='<td align=x>'</script>", "<svg><td align=x>", "<select><td align=x>",
                                      "<!--a--!><td align=x>", "<!--><td align=x>", "<td align=x", "</td align=x>"}) {
    EXPECT_EQ(short_of("<td align=x>" + std::string(rest)), "<td>" + std::string(rest));
  }
}

// Markup from pieces that are difficult next to each other.
std::string random_page(std::mt19937_64& random) {
  static const std::vector<std::string> kCalm = {"<p>",
                                                 "</p>",
                                                 "<div ",
                                                 "<td ",
                                                 "<table ",
                                                 "</table>",
                                                 "<tr>",
                                                 "</tr>",
                                                 "</td>",
                                                 "<a ",
                                                 "</a>",
                                                 "<b>",
                                                 "</b>",
                                                 "<font size=1>",
                                                 "<font size=2 style='font-size:0'>",
                                                 "</font>",
                                                 "<i class=a>",
                                                 "</i>",
                                                 "<style>",
                                                 "</style>",
                                                 "<style a='>'>",
                                                 "<title>",
                                                 "</title>",
                                                 "<title/>",
                                                 "</title >",
                                                 "<!--",
                                                 "-->",
                                                 "--",
                                                 "<!>",
                                                 "<!DOCTYPE html>",
                                                 "<!DOCTYPE html PUBLIC \"a>b\">",
                                                 "]]>",
                                                 "<?xml ?>",
                                                 "</select>",
                                                 "<option>",
                                                 "</svg>",
                                                 "</script>",
                                                 "</textarea>",
                                                 "</template>",
                                                 "<head>",
                                                 "</head>",
                                                 "<body ",
                                                 "</body>",
                                                 "<html ",
                                                 "</html>",
                                                 "<pre>",
                                                 "\n",
                                                 "<li>",
                                                 "<ul>",
                                                 "</ul>",
                                                 "<h1>",
                                                 "</h1>",
                                                 "<h2 ",
                                                 "<img ",
                                                 "<br/>",
                                                 "<br ",
                                                 "<caption>",
                                                 "<colgroup>",
                                                 "<col>",
                                                 "<form>",
                                                 "<button>",
                                                 "</button>",
                                                 "<object>",
                                                 "</object>",
                                                 "<center ",
                                                 "<input type=hidden>",
                                                 "<isindex ",
                                                 "<image ",
                                                 "</br>",
                                                 "</p >",
                                                 "class=x ",
                                                 "class=\"x>y\" ",
                                                 "class='x' ",
                                                 "align=x/",
                                                 "href=x",
                                                 "href='x'",
                                                 "alt=\"a&amp;b\" ",
                                                 "style=\"color:red;display:none\" ",
                                                 "style='font-size:0;&amp;'",
                                                 "style=opacity:0 ",
                                                 "style ",
                                                 "hidden ",
                                                 "hidden",
                                                 "/",
                                                 "/>",
                                                 ">",
                                                 ">",
                                                 ">",
                                                 " ",
                                                 " ",
                                                 "\t",
                                                 "word",
                                                 "          ",
                                                 "a longer run of words",
                                                 "  blanks first, then words",
                                                 "&amp;",
                                                 "&copy",
                                                 "&nbsp;",
                                                 "&#128512;",
                                                 "&notanentity;",
                                                 "&",
                                                 "\xC2\x85 control",
                                                 "\x01 control here",
                                                 "\xEF\xB7\x90 is none",
                                                 "\xF0\x9F\x98\x80 smile, smile",
                                                 "\xD8\xA7\xD9\x84\xD8\xB9\xD8\xB1\xD8\xA8 \xE5\xA4\x9C\xE8\xA1\x8C",
                                                 std::string("\0", 1),
                                                 std::string("run with \0 in it", 16),
                                                 "\f",
                                                 "<o:p>",
                                                 "</o:p>",
                                                 "<span ",
                                                 "</span>",
                                                 "</div>",
                                                 "<tbody ",
                                                 "<th ",
                                                 "<ol start=3 ",
                                                 "</ol>"};
  static const std::vector<std::string> kEndPruning = {
      "--!>",       "->",         "<![CDATA[",        "<select>",  "<svg>",    "<math>", "<script>", "<textarea>",
      "<template>", "<frameset>", "<noscript>",       "=",         " = ",      "\"",     "'",        "<",
      "</",         "<a",         "\xF3\xB0\x80\x80", "&#983040;", "&#xF0000", "\r\n",   "\r"};
  std::string page;
  const std::size_t pieces = 1 + random() % 40;
  const std::size_t kinds = kCalm.size() + (random() % 2 == 0 ? kEndPruning.size() : 0);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t kind = random() % kinds;
    page += kind < kCalm.size() ? kCalm[kind] : kEndPruning[kind - kCalm.size()];
  }
  return page;
}

TEST(PrunedPage, HasTheSameTreeAsTheOriginal) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string page = random_page(random);
    ASSERT_EQ(tree_of_pruned_page(page), tree_of_page(page)) << page;
  }
}

}  // namespace
}  // namespace ladder::imports::html
