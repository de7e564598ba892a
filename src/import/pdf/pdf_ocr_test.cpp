#include "import/ocr/ocr.h"
#include "import/pdf/pdf.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::imports {
namespace {

// A page on which HOTEL is drawn with rectangles: a picture, not text.
std::string drawn_page() {
  std::string content;
  int x = 100;
  const auto box = [&](int left, int bottom, int width, int height) {
    content += format("{} {} {} {} re f\n", x + left, 600 + bottom, width, height);
  };
  const auto stem = [&] { box(0, 0, 8, 50); };
  stem(), box(26, 0, 8, 50), box(0, 21, 34, 8);  // H
  x += 48;
  stem(), box(26, 0, 8, 50), box(0, 0, 34, 8), box(0, 42, 34, 8);  // O
  x += 48;
  box(0, 42, 34, 8), box(13, 0, 8, 50);  // T
  x += 48;
  stem(), box(0, 0, 30, 8), box(0, 21, 26, 8), box(0, 42, 30, 8);  // E
  x += 44;
  stem(), box(0, 0, 30, 8);  // L
  return format(
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>endobj\n4 0 obj<</Length {}>>stream\n{}endstream "
      "endobj\n"
      "trailer<</Root 1 0 R>>\n",
      content.size(), content);
}

TEST(Ocr, PicturesOfTextAreRecognizedIfTesseractIsInstalled) {
  const DocumentText without = read_pdf(drawn_page(), 1000);
  EXPECT_TRUE(has_ocr() || without.text.empty());
  load_ocr();
  if (!has_ocr()) GTEST_SKIP() << "Tesseract is not installed";
  const DocumentText read = read_pdf(drawn_page(), 1000);
  EXPECT_EQ(read.problems, std::vector<std::string>());
  EXPECT_EQ(read.text, "HOTEL");
  EXPECT_EQ(read.recognized, std::vector<std::int64_t>{1});
  EXPECT_TRUE(read.without_text.empty());
  EXPECT_NE(read.text_by.find("tesseract"), std::string::npos) << read.text_by;
}

}  // namespace
}  // namespace ladder::imports
