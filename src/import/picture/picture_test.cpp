#include "import/picture/picture.h"

#include "base/text/base64.h"
#include "import/formats/format.h"
#include "import/io/limits.h"
#include "import/ocr/ocr.h"
#include "import/testing/mailbox.h"
#include "import/testing/picture_maker.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class Pictures : public ::testing::Test {
 protected:
  void SetUp() override {
    load_ocr();
    load_picture_reader();
    if (!is_readable_picture("a.png", {})) GTEST_SKIP() << "Tesseract is not installed";
  }
};

TEST_F(Pictures, TextIsRecognized) {
  const DocumentText read = read_picture(tiff_of(DrawnWord::hotel()), 1000);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  EXPECT_EQ(read.text, "HOTEL");
  EXPECT_EQ(read.page_kind, "");
  EXPECT_EQ(read.recognized, std::vector<std::int64_t>{1});
  EXPECT_NE(read.text_by.find("tesseract"), std::string::npos);
}

TEST_F(Pictures, AScanOfSeveralPagesIsADocument) {
  const DocumentText read = read_picture(tiff_of(DrawnWord::hotel(), 2), 1000);
  EXPECT_EQ(read.page_kind, "page");
  EXPECT_EQ(read.page_count, 2);
  EXPECT_EQ(read.text, "HOTEL\n\nHOTEL");
}

TEST_F(Pictures, PicturesWithoutTextAndDamagedFilesAreNoProblem) {
  const DocumentText empty = read_picture(tiff_of(DrawnWord()), 1000);
  EXPECT_TRUE(empty.is_read);
  EXPECT_EQ(empty.text + empty.text_by, "");
  const std::string whole = tiff_of(DrawnWord::hotel());
  for (const std::string& damaged :
       {whole.substr(0, 100), std::string("\xFF\xD8\xFF\xE0nonsense"), std::string("\x89PNG\r\n\x1a\n")}) {
    const DocumentText read = read_picture(damaged, 1000);
    EXPECT_EQ(read.text, "");
  }
}

TEST_F(Pictures, FilesAndAttachmentsHaveTheirText) {
  const std::string picture = tiff_of(DrawnWord::hotel());
  const Collected document = only(read_files(notes_format(), {{"scan.tiff", picture}}), "documents");
  EXPECT_EQ(member(document, "text"), "HOTEL");
  EXPECT_EQ(member(document, "ocr"), "true");
  EXPECT_EQ(member(document, "kind"), "picture");
  const CollectingSink note =
      read_files(notes_format(), {{"vault/a.md", "![](pic.tif)"}, {"vault/pic.tif", picture}, {"vault/b.png", "PNG"}});
  EXPECT_EQ(note.records.size(), 2U);
  const Collected attachment =
      only(read_mbox(mbox_of({simple("a",
                                     "--b\nContent-Type: text/plain\n\nsee\n--b\nContent-Type: image/tiff; name=a.tif\n"
                                     "Content-Transfer-Encoding: base64\n\n" +
                                         base64::encode(picture) + "\n--b--\n",
                                     "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n")})),
           "attachments");
  EXPECT_EQ(member(attachment, "text"), "HOTEL");
  EXPECT_EQ(member(attachment, "ocr"), "true");
}

TEST(PictureFiles, AreRecognizedByTheirFirstBytes) {
  EXPECT_TRUE(begins_as_picture(tiff_of(DrawnWord())));
  EXPECT_FALSE(begins_as_picture("MM is not enough"));
  EXPECT_FALSE(is_readable_picture("a.svg", {}));
}

}  // namespace
}  // namespace ladder::imports
