#include "import/office/read_document.h"

#include "base/text/utf8.h"
#include "import/io/limits.h"
#include "import/testing/office_maker.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace ladder::imports {
namespace {

using namespace testing;

constexpr std::size_t kPlenty = 1'000'000;

std::string page(const DocumentText& document, std::size_t number) {
  const PageRange& range = document.pages.at(number - 1);
  return std::string(utf8::slice(document.text, range.start_chars, range.end_chars));
}

TEST(OfficeDocument, WordTextHasNotesTablesAndProperties) {
  const DocumentText read =
      read_document(docx(docx_paragraph("Hello &amp; welcome") +
                         "<w:p><w:r><w:delText>gone</w:delText></w:r><w:del><w:r><w:t>gone</w:t></w:r></"
                         "w:del><w:ins><w:r><w:t>kept</w:t></w:r></w:ins>"
                         "</w:p><mc:AlternateContent><mc:Choice><w:p><w:r><w:t>a "
                         "box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>a box"
                         "</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:tbl><w:tr><w:tc>" +
                         docx_paragraph("one") + "</w:tc><w:tc>" + docx_paragraph("two") + "</w:tc></w:tr></w:tbl>"),
                    kPlenty);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  EXPECT_EQ(read.text, "Hello & welcome\nkept\na box\none \ttwo\n\na footnote");
  EXPECT_EQ(read.title, "The title");
  EXPECT_EQ(read.author, "Ada");
  EXPECT_EQ(read.created, parse_time("2024-01-02T03:04:05Z"));
  EXPECT_EQ(read.page_kind, "") << "nothing says where pages end";
}

TEST(OfficeDocument, WordPagesAreThoseOfTheLastLayout) {
  const std::string next =
      "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>";
  const DocumentText laid_out = read_document(docx(docx_paragraph("one") + next), kPlenty);
  EXPECT_EQ(laid_out.page_kind, "page");
  EXPECT_EQ(laid_out.page_count, 2);
  EXPECT_EQ(page(laid_out, 1), "one");
  EXPECT_EQ(page(laid_out, 2), "two\n\na footnote");
}

TEST(OfficeDocument, SheetsHaveNamesRowsAndDates) {
  const DocumentText read = read_document(xlsx(), kPlenty);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  EXPECT_EQ(read.page_kind, "sheet");
  ASSERT_EQ(read.pages.size(), 2U);
  EXPECT_EQ(read.pages[0].name, "Costs");
  EXPECT_EQ(read.pages[1].name, "Rates (hidden)");
  EXPECT_EQ(page(read, 1), "Day\tAmount\n2025-01-01\t12.5\n2025-01-01T12:00:00\tab\tTRUE");
  EXPECT_EQ(page(read, 2), "3");
}

TEST(OfficeDocument, SlidesAreInTheOrderOfThePresentation) {
  const DocumentText read = read_document(pptx(), kPlenty);
  EXPECT_EQ(read.page_kind, "slide");
  ASSERT_EQ(read.pages.size(), 2U);
  EXPECT_EQ(read.pages[0].name, "First");
  EXPECT_EQ(page(read, 1), "First\nthe beginning\n\nsay hello");
  EXPECT_EQ(page(read, 2), "Second\nthe end");
}

TEST(OfficeDocument, OpenDocumentTextSheetsAndSlides) {
  const DocumentText text = read_document(
      open_document("text",
                    "<text:h>Head</text:h><text:p>a<text:s text:c=\"3\"/>b<text:note><text:note-citation>1</text:note-citation>"
                    "<text:note-body><text:p>note</text:p></text:note-body></text:note></text:p><text:soft-page-break/>"
                    "<text:p>second\n  page</text:p>"),
      kPlenty);
  EXPECT_EQ(text.title, "The title");
  EXPECT_EQ(text.created, parse_time("2024-01-02T03:04:05Z"));
  ASSERT_EQ(text.page_count, 2);
  EXPECT_EQ(page(text, 1), "Head\na   bnote");
  EXPECT_EQ(page(text, 2), "second page");
  const DocumentText sheets = read_document(
      open_document("spreadsheet",
                    "<table:table table:name=\"One\"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
                    "<table:table-cell><text:p>b</text:p></table:table-cell><table:table-cell "
                    "table:number-columns-repeated=\"16000\"/></table:table-row></table:table>"),
      kPlenty);
  EXPECT_EQ(sheets.page_kind, "sheet");
  EXPECT_EQ(sheets.pages.at(0).name, "One");
  EXPECT_EQ(sheets.text, "a\tb");
  const DocumentText slides =
      read_document(open_document("presentation",
                                  "<draw:page draw:name=\"p1\"><text:p>Hello</text:p><presentation:notes><text:p>say it</text:p>"
                                  "</presentation:notes></draw:page>"),
                    kPlenty);
  EXPECT_EQ(slides.page_kind, "slide");
  EXPECT_EQ(slides.text, "Hello\nsay it");
}

TEST(OfficeDocument, ABookHasChaptersInTheOrderOfReading) {
  const DocumentText read = read_document(epub(), kPlenty);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  EXPECT_EQ(read.page_kind, "chapter");
  ASSERT_EQ(read.pages.size(), 2U);
  EXPECT_EQ(read.pages[0].name, "Beginning");
  EXPECT_EQ(page(read, 1), "It was a dark night.\n\nNot closed");
  EXPECT_EQ(page(read, 2), "Tables");
  EXPECT_EQ(read.author, "Ada");
}

TEST(OfficeDocument, RichTextHasTheCharsetOfItsFonts) {
  const DocumentText read = read_document(
      "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}}{\\info{\\title "
      "Plans}{\\author Ada}}"
      "{\\*\\generator X;}{\\pict 0102}\\f0 Caf\\'e9 {\\f1\\'cf\\'f0} \\u8364?\\uc0\\u-10179 \\u-8704 \\par\nnext\\tab end\\page "
      "two}",
      kPlenty);
  EXPECT_EQ(read.title, "Plans");
  EXPECT_EQ(read.author, "Ada");
  EXPECT_EQ(read.page_kind, "page");
  EXPECT_EQ(page(read, 1), "Caf\u00E9 \u041F\u0440 \u20AC\U0001F600\nnext\tend");
  EXPECT_EQ(page(read, 2), "two");
}

TEST(OfficeDocument, UnreadableFilesHaveAReason) {
  const auto problem = [](std::string_view bytes) {
    const DocumentText read = read_document(bytes, kPlenty);
    EXPECT_FALSE(read.is_read);
    EXPECT_EQ(read.text, "");
    return read.problems.empty() ? std::string() : read.problems.front();
  };
  EXPECT_EQ(problem("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 old"), "it is encrypted, or a file of an old program (before 2007)");
  EXPECT_EQ(problem(ZipMaker().add("a.txt", "x").bytes()), "it is a zip, but not a document that can be read");
  EXPECT_TRUE(problem("PK\x03\x04 and nothing more").starts_with("it is damaged"));
  EXPECT_TRUE(problem("hello").starts_with("it is not a document"));
  EXPECT_EQ(problem(ZipMaker().add("mimetype", "application/epub+zip").bytes()),
            "it is a damaged book: its list of chapters is missing");
}

TEST(OfficeDocument, BombsAreRefused) {
  const std::string zeros(100'000'000, ' ');
  ZipMaker zip = office_zip("word/document.xml");
  const DocumentText bomb =
      read_document(zip.add("word/document.xml", "<w:document>" + zeros + "</w:document>").bytes(), kPlenty);
  EXPECT_FALSE(bomb.is_read);
  EXPECT_NE(bomb.problems.front().find("unpacks to more than"), std::string::npos) << bomb.problems.front();
  // A part that says it is small.
  ZipMaker liar = office_zip("word/document.xml");
  ZipMaker::FalseHeader small;
  small.size = 100;
  EXPECT_LT(
      read_document(liar.add("word/document.xml", "<w:document>" + zeros + "</w:document>", small).bytes(), kPlenty).text.size(),
      200U);
  // Entities that grow.
  ZipMaker laughs = office_zip("word/document.xml");
  const DocumentText laughed =
      read_document(laughs
                        .add("word/document.xml",
                             "<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><w:document xmlns:w='w'><w:p>"
                             "<w:r><w:t>&b;</w:t></w:r></w:p></w:document>")
                        .bytes(),
                    kPlenty);
  EXPECT_EQ(laughed.text, "&b;");
}

TEST(OfficeDocument, ARowOfCellsThatShareALongStringIsBounded) {
  std::string row;
  for (int i = 0; i < 6000; ++i) row += "<c t=\"s\"><v>0</v></c>";
  ZipMaker zip = office_zip("xl/workbook.xml");
  zip.add("xl/workbook.xml", "<workbook xmlns:r=\"r\"><sheets><sheet name=\"One\" r:id=\"s\"/></sheets></workbook>");
  zip.add("xl/_rels/workbook.xml.rels",
          relations(relation("s", "worksheet", "sheet.xml") + relation("t", "sharedStrings", "sharedStrings.xml")));
  zip.add("xl/sharedStrings.xml", "<sst><si><t>" + std::string(256 * limits::kKiB, 'x') + "</t></si></sst>");
  zip.add("xl/sheet.xml", "<worksheet><sheetData><row>" + row + "</row></sheetData></worksheet>");
  const DocumentText read = read_document(zip.bytes(), limits::kMaxPdfTextBytes);
  EXPECT_TRUE(read.text_is_cut);
  EXPECT_FALSE(read.text.empty());
  rusage used{};  // by the processes that read documents
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  EXPECT_LT(used.ru_maxrss, 1024 * 1024) << "KiB";
}

TEST(OfficeDocument, KindsAreKnownByTypeAndName) {
  EXPECT_EQ(document_kind("Report.DOCX", ""), "docx");
  EXPECT_EQ(document_kind("x", "application/vnd.oasis.opendocument.spreadsheet"), "ods");
  EXPECT_EQ(document_kind("plan.docx", "application/octet-stream"), "docx");
  EXPECT_EQ(document_kind("plan.docx", "image/png"), "");
  EXPECT_EQ(document_kind("plan.doc", ""), "");
}

}  // namespace
}  // namespace ladder::imports
