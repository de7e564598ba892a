#include "console/reading/markdown.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ladder::console {
namespace {

std::string rendered(std::string_view text, std::string_view q = "") {
  Matches matches(q, {});
  Matches::In in = matches.in("text", text);
  std::string html = markdown(text, in).take();
  constexpr std::string_view kBegin = "<div class=\"prose\">";
  return html.substr(kBegin.size(), html.size() - kBegin.size() - 6);
}

std::string inline_of(std::string_view text) {
  Matches matches("", {});
  Matches::In in = matches.in("text", text);
  return markdown_inline(text, in).take();
}

TEST(Markdown, Blocks) {
  EXPECT_EQ(rendered("# Title\n\nOne\ntwo\n\nthree"),
            "<h2 dir=\"auto\">Title</h2><p dir=\"auto\">One\ntwo</p><p dir=\"auto\">three</p>");
  EXPECT_EQ(rendered("---\n***"), "<hr class=\"rule\"><hr class=\"rule\">");
  EXPECT_EQ(rendered("```cpp\na < b\n  c\n```\nafter"),
            "<pre tabindex=\"0\"><code>a &lt; b\n  c</code></pre><p dir=\"auto\">after</p>");
  EXPECT_EQ(rendered("    four spaces\n      six"), "<pre tabindex=\"0\"><code>    four spaces\n      six</code></pre>");
  EXPECT_EQ(rendered("> quoted\n> > deeper"),
            "<blockquote><p dir=\"auto\">quoted</p><blockquote><p dir=\"auto\">deeper</p></blockquote></blockquote>");
}

TEST(Markdown, HeadingsNeverSkipALevel) {
  EXPECT_EQ(rendered("#### Deep\n## Next"), "<h2 dir=\"auto\">Deep</h2><h3 dir=\"auto\">Next</h3>");
  EXPECT_EQ(rendered("#hashtag"), "<p dir=\"auto\">#hashtag</p>");
}

TEST(Markdown, Lists) {
  const auto item = [](std::string_view text) { return "<li><div><p dir=\"auto\">" + std::string(text) + "</p></div></li>"; };
  EXPECT_EQ(rendered("- a\n- b"), "<ul>" + item("a") + item("b") + "</ul>");
  EXPECT_EQ(rendered("1. a\n\n2. b\n\nend"), "<ol>" + item("a") + item("b") + "</ol><p dir=\"auto\">end</p>");
  EXPECT_EQ(rendered("- a\n  - b"), "<ul><li><div><p dir=\"auto\">a</p><ul>" + item("b") + "</ul></div></li></ul>");
  EXPECT_EQ(rendered("- [x] done\n- [ ] open"),
            "<ul><li class=\"todo\"><span role=\"img\" class=\"box done\" aria-label=\"Done\">✓</span><div><p "
            "dir=\"auto\">done</p></div></li>"
            "<li class=\"todo\"><span role=\"img\" class=\"box\" aria-label=\"To do\"></span><div><p "
            "dir=\"auto\">open</p></div></li></ul>");
  EXPECT_EQ(rendered("-5 degrees"), "<p dir=\"auto\">-5 degrees</p>");
}

TEST(Markdown, ListsAndTablesFollowTheirScript) {
  EXPECT_TRUE(rendered("- חלב\n- bread").starts_with("<ul dir=\"rtl\"><li>"));
  EXPECT_TRUE(rendered("1. bread\n2. חלב").starts_with("<ol><li>"));
  EXPECT_NE(rendered("| פריט | price |\n|---|---|\n| a | b |").find(" dir=\"rtl\"><table>"), std::string::npos);
}

TEST(Markdown, PreviewsShowWordsOnly) {
  EXPECT_EQ(markdown_preview("# Plan\n\n## First *things*\n\n- [ ] buy `seeds`\n> said", "Plan"),
            "First *things*\nbuy seeds\nsaid");
  EXPECT_EQ(markdown_preview("| a | b |\n|---|:-:|\n| **1** | ~~2~~ |\n---\n", ""), "  a   b  \n  1   2  ");
  EXPECT_EQ(markdown_preview("see [the page](https://example.org/a) and ![a cat](cat.png)", ""), "see the page and a cat");
  EXPECT_EQ(markdown_preview("[no link] and (text)\n[open](", ""), "[no link] and (text)\n[open](");
  EXPECT_EQ(markdown_preview("Plan\nPlan", "Plan"), "Plan");
  EXPECT_EQ(markdown_preview("", "x"), "");
}

TEST(Markdown, Tables) {
  const std::string html = rendered("| a | b |\n|---|:-:|\n| 1 | x\\|y |\n| 2 |\n\nend");
  EXPECT_NE(html.find("<thead><tr><th dir=\"auto\">a</th><th dir=\"auto\">b</th></tr></thead>"), std::string::npos) << html;
  EXPECT_NE(
      html.find(
          "<tr><td dir=\"auto\">1</td><td dir=\"auto\">x|y</td></tr><tr><td dir=\"auto\">2</td><td dir=\"auto\"></td></tr>"),
      std::string::npos)
      << html;
}

TEST(Markdown, Emphasis) {
  EXPECT_EQ(inline_of("**a** *b* __c__ _d_ ~~e~~"), "<strong>a</strong> <em>b</em> <strong>c</strong> <em>d</em> <del>e</del>");
  EXPECT_EQ(inline_of("snake_case_name and 2 * 3 * 4"), "snake_case_name and 2 * 3 * 4");
  EXPECT_EQ(inline_of("`**a**` \\*b\\*"), "<code>**a**</code> *b*");
  EXPECT_EQ(inline_of("**unclosed"), "**unclosed");
}

TEST(Markdown, LinksShowTheirTarget) {
  EXPECT_EQ(
      inline_of("[bank](https://evil.example/x)"),
      "<a target=\"_blank\" rel=\"noopener noreferrer nofollow\" href=\"https://evil.example/x\">bank</a> <span class=\"quiet "
      "small\">(https://evil.example/x)</span>");
  EXPECT_EQ(
      inline_of("see https://a.example/b."),
      "see <a target=\"_blank\" rel=\"noopener noreferrer nofollow\" href=\"https://a.example/b\">https://a.example/b</a>.");
  EXPECT_EQ(inline_of("[x](javascript:alert(1))"), "x <span class=\"quiet small\">(javascript:alert(1))</span>");
  EXPECT_EQ(inline_of("[x](notes/other.md)"), "x <span class=\"quiet small\">(notes/other.md)</span>");
  EXPECT_EQ(inline_of("[[Other note|shown]]"), "<span class=\"note-link\">shown</span>");
}

TEST(Markdown, ImagesAreNamedAndNotLoaded) {
  EXPECT_EQ(inline_of("![lake](https://t.example/p.png)"),
            "<span class=\"embed\">Image: lake <span class=\"quiet small\">(https://t.example/p.png)</span></span>");
  EXPECT_EQ(inline_of("![[lake.png]]"), "<span class=\"embed\">Image: <span class=\"note-link\">lake.png</span></span>");
}

TEST(Markdown, HtmlIsText) {
  EXPECT_EQ(rendered("<script>alert(1)</script>"), "<p dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  EXPECT_EQ(inline_of("<img src=x onerror=alert(1)>"), "&lt;img src=x onerror=alert(1)&gt;");
}

TEST(Markdown, MarksMatchesInsideMarkup) {
  EXPECT_EQ(rendered("A **kitchen quote**", "kitchen quote"),
            "<p dir=\"auto\">A <strong><mark id=\"m1\">kitchen</mark> <mark id=\"m2\">quote</mark></strong></p>");
}

// Returns the elements of the HTML, or fails if they are not nested correctly or not on the list.
void check_elements(const std::string& html) {
  static const std::set<std::string> kAllowed = {"div",   "p",          "h2",    "h3", "h4", "h5", "h6",   "hr",     "pre",
                                                 "code",  "blockquote", "ul",    "ol", "li", "a",  "em",   "strong", "del",
                                                 "table", "thead",      "tbody", "tr", "th", "td", "span", "mark"};
  static const std::regex kTag("<(/?)([a-z0-9]+)((?: [a-z-]+=\"[^\"<>]*\")*)>");
  std::vector<std::string> open;
  std::size_t at = 0;
  for (std::sregex_iterator tag(html.begin(), html.end(), kTag), end; tag != end; ++tag) {
    const auto start = static_cast<std::size_t>(tag->position());
    ASSERT_EQ(html.substr(at, start - at).find_first_of("<>"), std::string::npos) << html;
    at = start + static_cast<std::size_t>(tag->length());
    const std::string name = (*tag)[2];
    ASSERT_TRUE(kAllowed.contains(name)) << name;
    ASSERT_EQ((*tag)[3].str().find("href=\"javascript"), std::string::npos) << html;
    if (name == "hr") continue;
    if ((*tag)[1].length() == 0) {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty()) << html;
      ASSERT_EQ(open.back(), name) << html;
      open.pop_back();
    }
  }
  ASSERT_EQ(html.substr(at).find_first_of("<>"), std::string::npos) << html;
  ASSERT_TRUE(open.empty()) << html;
}

TEST(Markdown, RandomTextsGiveCorrectlyNestedSafeElements) {
  const std::vector<std::string> pieces = {"*",
                                           "**",
                                           "_",
                                           "~~",
                                           "`",
                                           "```\n",
                                           "[",
                                           "](",
                                           ")",
                                           "![",
                                           "[[",
                                           "]]",
                                           "<",
                                           ">",
                                           "\n",
                                           "\n\n",
                                           "- ",
                                           "1. ",
                                           "> ",
                                           "# ",
                                           "    ",
                                           "\t",
                                           "| a |",
                                           "|--|--|",
                                           "\\",
                                           "word",
                                           "é",
                                           "https://a.example",
                                           "javascript:x",
                                           "\"",
                                           "<script>",
                                           " ",
                                           "- [x] ",
                                           "---",
                                           "&",
                                           "]("};
  std::mt19937 random(4);
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto count = random() % 60; count > 0; --count) text += pieces[random() % pieces.size()];
    ASSERT_NO_FATAL_FAILURE(check_elements(rendered(text, "word"))) << text;
  }
}

// A window of the largest size that a page shows, made of what costs most.
TEST(Markdown, RepeatedMarksAreFast) {
  for (const std::string_view piece :
       {"[", "*a ", "`", "![", "<a", "> ", "- ", "[[", "* * ", "|", "\n", "- a\n\n", "(((", "[](", "\\"}) {
    std::string text;
    while (text.size() < 16'384) text += piece;
    const auto begun = std::chrono::steady_clock::now();
    check_elements(rendered(text));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3)) << piece;
  }
}

}  // namespace
}  // namespace ladder::console
