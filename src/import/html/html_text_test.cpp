#include "import/html/html_text.h"
#include "base/text/format.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

TEST(HtmlTextTest, ReadsLikeABrowser) {
  const HtmlText page = html_to_text(
      "<html><head><title>A &amp; B</title><style>p{}</style></head><body><h1>Head</h1><p>One\n two<br>three</p>"
      "<ul><li>x<li>y</ul><table><tr><td>1</td><td>2</td></tr></table><script>var a='<p>';</script>"
      "<a href='https://x.example/?a=1&amp;b=2'>link</a> &#x1F600;&eacute; 1 < 2 <!-- no --> <pre>a\n  b</pre></body>");
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.text, "Head\n\nOne two\nthree\n\n- x\n- y\n\n1\t2\n\nlink \xF0\x9F\x98\x80\xC3\xA9 1 < 2\na\n  b");
  EXPECT_EQ(page.links, std::vector<std::string>{"https://x.example/?a=1&b=2"});
  EXPECT_EQ(html_to_text("<meta charset=windows-1252>caf\xE9").text, "caf\xC3\xA9");
  EXPECT_EQ(html_to_text("<p title='a>b'>x<unclosed").text, "x");
}

TEST(HtmlTextTest, ReadsUnclosedElements) {
  EXPECT_EQ(html_to_text("<table><tr><td>a<td>b<tr><td>c<td>d</table>after").text, "a\tb\nc\td\n\nafter");
  EXPECT_EQ(html_to_text("<p>one<p>two<div>three").text, "one\n\ntwo\n\nthree");
  EXPECT_EQ(html_to_text("<ul><li>x<ul><li>y</ul><li>z</ul><ol start=3><li>c<li>d</ol>").text, "- x\n  - y\n- z\n3. c\n4. d");
  EXPECT_EQ(html_to_text("<b>bold <i>both</b> slanted</i> 1 < 2 & 3").text, "bold both slanted 1 < 2 & 3");
  EXPECT_EQ(html_to_text("<table>loose<tr><td>cell</table>").text, "loose\n\ncell");
}

TEST(HtmlTextTest, ResolvesAllEntities) {
  EXPECT_EQ(html_to_text("&hellip;&NotEqualTilde;&CounterClockwiseContourIntegral;&copy&#8364;&#x80;&zwj;&lang;&unknown;").text,
            "…≂̸∳©€€\u200D⟨&unknown;");
}

TEST(HtmlTextTest, LeavesOutHiddenText) {
  EXPECT_EQ(
      html_to_text("<body>\n&nbsp;<br>\n<div style='display:none;font-size:1px'>Only a preview&zwnj;&nbsp;</div>"
                   "<span style=\"MAX-HEIGHT: 0px; overflow:hidden\">too</span><p hidden>and</p><i style='opacity:0'>this</i>"
                   "<br>&zwnj; &nbsp;<br><table><tr><td></td><td><img src=x></td></tr><tr><td><p>Dear Ann,</p></td></tr></table>"
                   "<div style='height:0.5em;overflow:hidden'>shown</div>")
          .text,
      "Dear Ann,\n\nshown");
  EXPECT_EQ(
      html_to_text("<!--[if mso]>no<![endif]--><![if !mso]>yes<![endif]><svg><title>no</title></svg><noscript>no</noscript>")
          .text,
      "yes");
}

TEST(HtmlTextTest, LeavesOutTextOfSizeZero) {
  EXPECT_EQ(html_to_text("<span style='font-size:0px;color:#fff'>Only a preview</span>"
                         "<table><tr><td style='font-size: 0'>\n<p style='font-size:13px'>Dear Ann,</p><i class=c>hello</i>"
                         "<img alt='Shop' src=x></td></tr></table>")
                .text,
            "Dear Ann,\n\nhello Shop");
}

TEST(HtmlTextTest, SeparatesImagesFromWords) {
  EXPECT_EQ(html_to_text("<a href=x>Order now</a><img alt='A clock' src=x>today").text, "Order now A clock today");
}

TEST(HtmlTextTest, IsBoundedForHostilePages) {
  constexpr std::size_t kMany = 200'000;
  std::string deep, bold, tables;
  for (std::size_t i = 0; i < kMany; ++i) deep += "<div>";
  for (std::size_t i = 0; i < 3000; ++i) bold += format("<b id={}><p>w{}", i, i);
  for (std::size_t i = 0; i < 3000; ++i) tables += format("<a><table></a><font color={}>", i);
  EXPECT_EQ(html_to_text(deep + "bottom").text, "bottom");
  EXPECT_TRUE(html_to_text(bold).text.ends_with("w2998\n\nw2999"));
  EXPECT_EQ(html_to_text(tables + "end").text, "end");
  EXPECT_TRUE(html_to_text(bold + std::string(100'000, 'z')).text.ends_with("w2999" + std::string(100'000, 'z')));
  EXPECT_EQ(html_to_text("<p " + std::string(3'000'000, 'x') + ">").text, "");
}

}  // namespace
}  // namespace ladder::imports
