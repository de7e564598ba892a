// Imports generated and real PDF documents with poppler in its forked process: text, pages, scans, unreadable files.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "exports.h"
#include "import/formats/format.h"
#include "import/pdf/pdf.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"
#include "import/tree/tree.h"
#include "pdf_file.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <array>
#include <fstream>
#include <set>
#include <string>

namespace ladder::imports {
namespace {

using demo::PdfFile;
using testing::CollectingSink;
using testing::MemoryTree;

constexpr std::size_t kPlenty = 1 << 20;

boost::json::object json_of(const testing::Collected& record) { return boost::json::parse(record.data).as_object(); }
std::string text_in(const boost::json::object& object, const char* name) { return std::string(object.at(name).as_string()); }

// Returns the characters of a page, by its range.
std::string page_of(std::string_view text, const PageRange& range) {
  if (range.start_chars == range.end_chars) return {};
  std::size_t at = 0, start = 0;
  for (std::int64_t chars = 0; chars < range.end_chars; ++chars) {
    if (chars == range.start_chars) start = at;
    utf8::next(text, at);
  }
  return std::string(text.substr(start, at - start));
}

TEST(Pdf, TextIsReadPageByPage) {
  const DocumentText pdf =
      read_pdf(PdfFile()
                   .info("Title", "A title")
                   .info("Author", "Ada")
                   .info("CreationDate", "D:20250102030405+01'00'")
                   .page({"The \uFB01rst page has a hyphen-", "ated word and \u65E5\u672C\u8A9E \U0001F600 text."})
                   .picture()
                   .page({"\u05DD\u05D5\u05DC\u05E9", "Third page."})
                   .page({})
                   .bytes(),
               kPlenty);
  EXPECT_TRUE(pdf.is_read);
  EXPECT_EQ(pdf.problems, std::vector<std::string>());
  EXPECT_EQ(pdf.title, "A title");
  EXPECT_EQ(pdf.author, "Ada");
  EXPECT_EQ(pdf.created, parse_time("2025-01-02T02:04:05Z"));
  EXPECT_EQ(pdf.modified, std::nullopt);
  EXPECT_EQ(pdf.page_count, 4);
  ASSERT_EQ(pdf.pages.size(), 4U);
  EXPECT_EQ(page_of(pdf.text, pdf.pages[0]), "The first page has a hyphenated word and \u65E5\u672C\u8A9E \U0001F600 text.");
  EXPECT_EQ(pdf.pages[1].start_chars, pdf.pages[1].end_chars);
  EXPECT_EQ(page_of(pdf.text, pdf.pages[2]), "\u05E9\u05DC\u05D5\u05DD\nThird page.");  // right to left, in reading order
  EXPECT_EQ(pdf.without_text, (std::vector<std::int64_t>{2, 4}));
  EXPECT_FALSE(pdf.is_scanned());
}

TEST(Pdf, UnreadableFilesHaveAReason) {
  PdfFile file;
  file.page({"secret"});
  const auto why = [](std::string_view bytes) {
    const DocumentText pdf = read_pdf(bytes, kPlenty);
    EXPECT_FALSE(pdf.is_read);
    return pdf.problems.size() == 1 ? pdf.problems.front() : "?";
  };
  EXPECT_EQ(why(file.bytes(PdfFile::Fault::kEncrypted)), "it is encrypted and needs a password");
  for (const std::string& bytes : {std::string(), std::string("<html>"), file.bytes(PdfFile::Fault::kCutOff)}) {
    EXPECT_EQ(why(bytes), "it is not a PDF, or too damaged to read");
  }
  EXPECT_EQ(read_pdf(file.bytes(PdfFile::Fault::kWrongTable), kPlenty).text, "secret");
}

TEST(Pdf, TextEndsAtTheLimit) {
  PdfFile file;
  for (int i = 1; i <= 30; ++i) file.page({format("page {} {}", i, std::string(60, 'a'))});
  const DocumentText pdf = read_pdf(file.bytes(), 1000);
  EXPECT_TRUE(pdf.text_is_cut);
  EXPECT_LE(pdf.text.size(), 1000U);
  EXPECT_EQ(pdf.page_count, 30);
  EXPECT_LT(pdf.pages.size(), 30U);
  EXPECT_EQ(pdf.problems.size(), 1U);
  EXPECT_EQ(page_of(pdf.text, pdf.pages[3]).substr(0, 7), "page 4 ");
}

TEST(Pdf, AMovedFileIsTheSameAndACopyIsListed) {
  const std::string bytes = PdfFile().page({"Some text"}).bytes(), other = PdfFile().page({"Othe text"}).bytes();
  MemoryTree here({{"a/one.pdf", bytes}, {"b/one copy.pdf", bytes}, {"c.pdf", other}});
  const CollectingSink sink = read_all(notes_format(), here);
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  const auto documents = sink.of("documents");
  ASSERT_EQ(documents.size(), 2U);
  const auto one = json_of(documents[0]);
  EXPECT_EQ(text_in(one, "path"), "a/one.pdf");
  EXPECT_EQ(text_in(one, "title"), "one");
  EXPECT_EQ(one.at("copies"), boost::json::array({"b/one copy.pdf"}));
  EXPECT_EQ(one.at("scanned"), boost::json::value(false));
  EXPECT_EQ(sink.skips.at("documents: a copy of the same file (its document names it)"), 1);
  EXPECT_EQ(sink.blobs.size(), 2U);
  EXPECT_EQ(sink.blobs[0], (std::pair<std::string, std::string>("application/pdf", bytes)));
  MemoryTree there({{"moved/other name.pdf", bytes}});
  EXPECT_EQ(text_in(json_of(read_all(notes_format(), there).of("documents").at(0)), "id"), text_in(one, "id"));
}

class Documents : public ::testing::TestWithParam<bool> {
 protected:
  CollectingSink read_folder() const {
    const std::array<std::string, 1> paths = {scratch_.path().string()};
    const OpenedTrees opened = open_trees(paths);
    return testing::read_all(notes_format(), *opened.trees.at(0));
  }
  test_support::ScratchFolder scratch_;
};
INSTANTIATE_TEST_SUITE_P(WholeAndDamaged, Documents, ::testing::Bool());

TEST_P(Documents, OfAFolderAreCompleteAndLossesAreReported) {
  demo::Expected expected = demo::write_pdf_export({.folder = scratch_.path(), .seed = 3, .count = 40, .damaged = GetParam()});
  const CollectingSink sink = read_folder();
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  const auto documents = sink.of("documents");
  EXPECT_EQ(static_cast<std::int64_t>(documents.size()), expected["documents"]);
  EXPECT_TRUE(sink.losses.empty()) << "every file is kept";
  std::int64_t unread = 0;
  for (const auto& [reason, count] : sink.skips) unread += reason.find("the text of a document") != std::string::npos ? count : 0;
  EXPECT_EQ(unread, expected["unread"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.blobs.size()), expected["documents"]);
  std::int64_t scanned = 0, without_text = 0;
  std::set<std::string> ids;
  for (const auto& each : documents) {
    const auto document = json_of(each);
    ids.insert(text_in(document, "id"));
    scanned += document.at("scanned").as_bool() ? 1 : 0;
    if (const auto* pages = document.if_contains("pages_without_text"))
      without_text += static_cast<int>(pages->as_array().size());
    if (!document.contains("pages")) continue;
    for (const auto& page : document.at("pages").as_array()) {
      const std::string text =
          page_of(text_in(document, "text"), {page.at("start_chars").as_int64(), page.at("end_chars").as_int64()});
      if (!text.starts_with("Paper ")) continue;
      EXPECT_NE(text.find(format(" page {}", page.at("page").as_int64())), std::string::npos) << text;
    }
  }
  EXPECT_EQ(ids.size(), documents.size());
  EXPECT_EQ(scanned, expected["scanned"]);
  EXPECT_EQ(without_text, expected["without_text"]);
  const CollectingSink again = read_folder();
  ASSERT_EQ(again.records.size(), sink.records.size());
  for (std::size_t i = 0; i < sink.records.size(); ++i) EXPECT_EQ(sink.records[i].data, again.records[i].data);
}

}  // namespace
}  // namespace ladder::imports
