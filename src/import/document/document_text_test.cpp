#include "import/document/document_text.h"

#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

TEST(DocumentAnswer, PageTextIsCleanedUp) {
  EXPECT_EQ(page_text("  \uFB01ne  \n\n\n\nx\u00ADy\t\n\f"), "fine\n\nxy");
  EXPECT_EQ(page_text("a\n\n \n\t\n\nb"), "a\n\nb");
  EXPECT_EQ(page_text("\u202Babc\u202C"), "abc");
  EXPECT_EQ(page_text(std::string_view("a\0b\xFF", 4)), "ab\uFFFD");
}

TEST(DocumentAnswer, PartialDatesAreRead) {
  EXPECT_EQ(pdf_date("D:20230102120621Z"), parse_time("2023-01-02T12:06:21Z"));
  EXPECT_EQ(pdf_date("D:20230102120621-05'30'"), parse_time("2023-01-02T17:36:21Z"));
  EXPECT_EQ(pdf_date("20230102"), parse_time("2023-01-02T00:00:00Z"));
  EXPECT_EQ(pdf_date("D:2023"), parse_time("2023-01-01T00:00:00Z"));
  for (const char* text : {"", "D:", "D:00010101", "D:20231302", "yesterday", "D:29990101"})
    EXPECT_EQ(pdf_date(text), std::nullopt) << text;
}

TEST(DocumentAnswer, RangesCountCharactersAndSkipPagesWithoutText) {
  const std::string output = document_piece(DocumentPiece::kPageCount, "4") +
                             document_piece(DocumentPiece::kPage, "\u65E5\u672C") +
                             document_piece(DocumentPiece::kPage, " \n\f") + document_piece(DocumentPiece::kPage, "abc") +
                             document_piece(DocumentPiece::kBrokenPage, "") + document_piece(DocumentPiece::kEnd, "");
  const DocumentText pdf = document_from_answer(output, "", 1000);
  EXPECT_EQ(pdf.text, "\u65E5\u672C\n\nabc");
  ASSERT_EQ(pdf.pages.size(), 4U);
  EXPECT_EQ(pdf.pages[0].end_chars, 2);
  EXPECT_EQ(pdf.pages[1].start_chars, 2);
  EXPECT_EQ(pdf.pages[2].start_chars, 4);
  EXPECT_EQ(pdf.pages[2].end_chars, 7);
  EXPECT_EQ(pdf.without_text, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(pdf.problems, (std::vector<std::string>{"page 4 cannot be read"}));
}

TEST(DocumentAnswer, OutputBeforeACrashIsKept) {
  std::string output = document_piece(DocumentPiece::kPageCount, "3") + document_piece(DocumentPiece::kPage, "one") +
                       document_piece(DocumentPiece::kPage, "two");
  output.resize(output.size() - 1);
  const DocumentText pdf = document_from_answer(output, "the reader crashed (SIGSEGV)", 1000);
  EXPECT_TRUE(pdf.is_read);
  EXPECT_EQ(pdf.text, "one");
  EXPECT_EQ(pdf.problems, (std::vector<std::string>{"only the first 1 of 3 pages can be read: the reader crashed (SIGSEGV)"}));
  EXPECT_FALSE(document_from_answer("", "the reader crashed (SIGSEGV)", 1000).is_read);
  EXPECT_EQ(document_from_answer("", "the reader crashed (SIGSEGV)", 1000).problems.front(), "the reader crashed (SIGSEGV)");
}

}  // namespace
}  // namespace ladder::imports
