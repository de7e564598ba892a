// Tests the readers that formats share: encodings, lines, elements of large arrays, HTML, table rows and cells.
#include "base/text/format.h"
#include "import/formats/table/table_file.h"
#include "import/formats/table/table_plan.h"
#include "import/html/html_text.h"
#include "import/json/json_elements.h"
#include "import/text/lines.h"
#include "import/text/markdown.h"
#include "import/text/text.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace std::string_literals;

TEST(Text, BecomesUtf8) {
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFh\xC3\xA9\r\nx\ry"), "h\xC3\xA9\nx\ny");
  EXPECT_EQ(to_utf8("\xFF\xFEh\0\xE9\0"s), "h\xC3\xA9");
  EXPECT_EQ(to_utf8("\xFE\xFF\0h\0\xE9"s), "h\xC3\xA9");
  EXPECT_EQ(to_utf8("\xFF\xFE\x3D\xD8\x00\xDEx\0\r\0\n\0\x3D\xD8y"s),
            "\xF0\x9F\x98\x80x\n");                             // the last piece ends inside a character
  EXPECT_EQ(to_utf8("\xFE\xFF\xDE\x00\0x"s), "\xEF\xBF\xBDx");  // an unpaired surrogate
  EXPECT_EQ(to_utf8("\0\0\xFE\xFF\0\1\xF6\0"s), "\xF0\x9F\x98\x80");
  EXPECT_EQ(to_utf8("h\xE9 \x93q\x94"), "h\xC3\xA9 \xE2\x80\x9Cq\xE2\x80\x9D");  // Windows-1252 without a label
  EXPECT_EQ(to_utf8("h\xC3\xA9", "iso-8859-1"), "h\xC3\xA9");                    // UTF-8 labeled as Latin-1
  EXPECT_EQ(to_utf8("\x82\xA0", "Shift_JIS"), "\xE3\x81\x82");
  EXPECT_EQ(to_utf8("\x1B$B$\"\x1B(B", "iso-2022-jp"), "\xE3\x81\x82");
  EXPECT_EQ(to_utf8("\xE9", "no-such-charset"), "\xC3\xA9");
  EXPECT_EQ(to_utf8("a\0\xFFz"s), "a\0\xEF\xBF\xBDz"s);  // not text in any encoding: invalid bytes are replaced
  EXPECT_EQ(replace_invalid("a\xE2\x82z\xFF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(trim(" \xC2\xA0 x\t\n"), "x");
}

TEST(LinesTest, HaveOffsets) {
  const std::string text = "one\r\ntwo\n\nlast";
  BytesInMemory bytes(text);
  Lines lines(bytes, 100);
  std::string seen;
  while (lines.next().value()) seen += format("{}@{};", lines.text(), lines.offset());
  EXPECT_EQ(seen, "one@100;two@105;@109;last@110;");
}

TEST(LinesTest, MayEndWithACarriageReturn) {
  const auto lines_of = [](const std::string& text) {
    BytesInMemory bytes(text);
    Lines lines(bytes);
    std::string seen;
    while (lines.next().value()) seen += format("{}@{};", lines.text(), lines.offset());
    return seen;
  };
  EXPECT_EQ(lines_of("one\rtwo\r\rlast"), "one@0;two@4;@8;last@9;");
  EXPECT_EQ(lines_of("one\r"), "one@0;");
  EXPECT_EQ(lines_of("a\rb\nc"), "a\rb@0;c@4;");
  // The first piece may end between CR and LF.
  EXPECT_EQ(lines_of(std::string(4095, 'a') + "\r\nb").substr(4095), "@0;b@4097;");
}

std::string elements_of(std::string_view json, std::string_view member = {}, std::size_t limit = 1000) {
  BytesInMemory bytes(json);
  JsonElements elements(bytes, member, limit);
  std::string seen;
  for (;;) {
    const auto step = elements.next();
    if (!step) return seen + "error";
    if (*step == JsonElements::Step::kEnd) return seen + "end";
    if (*step == JsonElements::Step::kCut) return seen + "cut: " + elements.why();
    if (*step == JsonElements::Step::kBad) seen += "bad;";
    else seen += format("{}@{};", elements.element(), elements.offset());
  }
}

TEST(JsonElementsTest, AreReadOneByOne) {
  EXPECT_EQ(elements_of("[]"), "end");
  EXPECT_EQ(elements_of(" [ 1 , {\"a\":[\"]\\\"\"]} ,\"x\"]"), "1 @3;{\"a\":[\"]\\\"\"]}@7;\"x\"@22;end");
  EXPECT_EQ(elements_of("window.YTD.part0 = [{\"a\":1}]"), "{\"a\":1}@20;end");
  EXPECT_EQ(elements_of("{\"skip\":{\"items\":[9]},\"items\":[1,2],\"z\":0}", "items"), "1@31;2@33;end");
  EXPECT_EQ(elements_of("{\"a\":1}", "items"), "cut: no member \"items\" with an array");
  EXPECT_EQ(elements_of("[{\"a\":tru},{\"b\":1}]"), "bad;{\"b\":1}@11;end");
  EXPECT_EQ(elements_of("[1,{\"a\":"), "1@1;cut: the file ends in the middle of an element");
  EXPECT_EQ(elements_of("[1 2]"), "bad;end");
  EXPECT_EQ(elements_of("[\"" + std::string(2'000'000, 'x') + "\",7]"), "bad;7@2000004;end");
  EXPECT_EQ(elements_of("nothing here"), "cut: the file contains no JSON array");
}

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

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  const std::string text = "a;b\r\n\r\n\"x;\"\"y\"\"\n z\";2\n3;4\"5\n\"open;1\n2";
  BytesInMemory bytes(text);
  CsvRows rows(bytes, guess_separator(text));
  std::string seen;
  while (rows.next().value()) {
    seen += format("{}{}:", rows.torn() ? "torn " : "", rows.offset());
    for (const std::string& cell : rows.cells()) seen += format("<{}>", cell);
  }
  EXPECT_EQ(seen, "0:<a><b>7:<x;\"y\"\n z><2>22:<3><4\"5>torn 28:<open;1\n2>");
  EXPECT_EQ(guess_separator("a\tb,c\n1\t2,3\n"), '\t');
}

TEST(Csv, SkipsEmptyRows) {
  const std::string text = ";;\na;b;c\n;;\n  ; ;\t\n\"\";\"\";\"\n\"\n1;;\n\n;;3\n;;\n;;";
  BytesInMemory bytes(text);
  CsvRows rows(bytes, ';');
  std::string seen;
  while (rows.next().value()) {
    seen += format("{}:", rows.offset());
    for (const std::string& cell : rows.cells()) seen += format("<{}>", cell);
  }
  EXPECT_EQ(seen, "3:<a><b><c>29:<1><><>34:<><><3>");
}

TEST(CellValue, IsWhatItsColumnDeclares) {
  const auto value = [](std::string_view cell, const CellRule& rule) {
    const auto made = cell_json(cell, rule);
    return !made ? "!" + made.error() : made->value_or("-");
  };
  EXPECT_EQ(value("1.234,50", {CellType::kNumber, ',', ""}), "1234.50");
  EXPECT_EQ(value("(1,234.5)", {CellType::kNumber, '.', ""}), "-1234.5");
  EXPECT_EQ(value("1,234,567", {CellType::kInteger, '.', ""}), "1234567");
  EXPECT_EQ(value("12,34,567.5", {CellType::kNumber, '.', ""}), "1234567.5");
  EXPECT_EQ(value("1'234", {CellType::kNumber, '.', ""}), "1234");
  EXPECT_EQ(value("19.99", {CellType::kNumber, ',', ""}), "!'19.99' is no number");
  EXPECT_EQ(value("19,99", {CellType::kNumber, '.', ""}), "!'19,99' is no number");
  EXPECT_EQ(value("1.2.24", {CellType::kNumber, ',', ""}), "!'1.2.24' is no number");
  EXPECT_EQ(value("12345678901234567890", {CellType::kInteger, '.', ""}), "12345678901234567890");
  EXPECT_EQ(value("007", {CellType::kInteger, '.', ""}), "7");
  EXPECT_EQ(value("1.5", {CellType::kInteger, '.', ""}), "!'1.5' is no whole number");
  EXPECT_EQ(value("31.12.2024", {CellType::kDate, '.', "DMY"}), "\"2024-12-31\"");
  EXPECT_EQ(value("12/31/24 1:05 PM", {CellType::kTime, '.', "MDY"}), "\"2024-12-31T13:05:00.000Z\"");
  EXPECT_EQ(value("31.2.2024", {CellType::kDate, '.', "DMY"}), "!'31.2.2024' is no date");
  EXPECT_EQ(value("", {CellType::kText, '.', ""}), "-");
  EXPECT_EQ(value("Yes", {CellType::kBoolean, '.', ""}), "true");
  EXPECT_EQ(value("1e5", {CellType::kNumber, '.', ""}), "1e5");
  EXPECT_EQ(value("x", {CellType::kNumber, '.', ""}), "!'x' is no number");
}

TEST(FrontMatterTest, ReadsCommonForms) {
  const FrontMatter found =
      read_front_matter("---\ntitle: \"A: b\"\ntags: [x, \"y, z\"]\naliases:\n  - one\n  - two\n# no\nempty:\n---\nText");
  EXPECT_EQ(found.first("title"), "A: b");
  EXPECT_EQ(found.find("tags")->values, (std::vector<std::string>{"x", "y, z"}));
  EXPECT_EQ(found.find("aliases")->values, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(found.first("empty"), "");
  EXPECT_EQ(read_front_matter("---\nnever closed\n").length, 0U);
  EXPECT_EQ(read_front_matter("# no\n---\n").length, 0U);
}

TEST(FrontMatterTest, LosesNothing) {
  EXPECT_EQ(read_front_matter("---\n\nA text between two lines.\n\n---\nmore").length, 0U);
  EXPECT_EQ(read_front_matter("---\n- a list\n---\nmore").length, 0U);
  const FrontMatter found =
      read_front_matter("---\ntitle: 'it''s'\nquote: \"a \\\"b\\\"\"\ntags: [\na,\nb\n]\nname: one\nname: two\n---\n");
  EXPECT_EQ(found.first("title"), "it's");
  EXPECT_EQ(found.first("quote"), "a \"b\"");
  EXPECT_EQ(found.first("tags"), "[\na,\nb\n]");
  EXPECT_EQ(found.find("name")->values, (std::vector<std::string>{"one", "two"}));
  EXPECT_GT(read_front_matter("---\n---\ntext").length, 0U) << "an empty one is one";
}

TEST(Markdown, KnowsTagsAndLinks) {
  const MarkdownInfo info = read_markdown(
      "# Title\n\nSee [[Other note|alias]], [[Part#Head]] and [web](https://x.example/a%20b \"t\") #tag #nested/tag #12 a#no\n"
      "![[pic.png]] [![x](inner.png)](outer) `[[code]]`\n```\n#code [[no]]\n```\n");
  EXPECT_EQ(info.heading, "Title");
  EXPECT_EQ(info.tags, (std::vector<std::string>{"tag", "nested/tag"}));
  EXPECT_EQ(info.links, (std::vector<std::string>{"Other note", "Part", "https://x.example/a b"}));
  EXPECT_EQ(info.embeds, (std::vector<std::string>{"pic.png", "inner.png"}));
}

TEST(Markdown, KnowsNamesWithBracketsAndLinksInTables) {
  const MarkdownInfo info = read_markdown(
      "| [[Other\\|alias]] | ![[pic.png\\|100]] |\n![](Screenshot%20(1).png) ![x](a(b) [y](https://x.example/z_(1)) (so)");
  EXPECT_EQ(info.links, (std::vector<std::string>{"Other", "https://x.example/z_(1)"}));
  EXPECT_EQ(info.embeds, (std::vector<std::string>{"pic.png", "Screenshot (1).png", "a(b"}));
}

}  // namespace
}  // namespace ladder::imports
