#include "import/pdf/pdf_paint.h"

#include "base/text/bytes.h"
#include "base/text/format.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace ladder::imports {
namespace {

std::size_t be32_at(std::string_view bytes, std::size_t at) {
  return get_u64_be(std::string(4, '\0') + std::string(bytes.substr(at, 4)));
}

// A one-page document of that size, with a black square of 100 points at the bottom.
std::string square_pdf(std::string_view media_box) {
  std::string pdf = "%PDF-1.4\n";
  std::string table = "xref\n0 5\n0000000000 65535 f \n";
  const std::string drawing = "0 0 0 rg 0 0 100 100 re f";
  const std::string objects[] = {"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
                                 format("<</Type/Page/Parent 2 0 R/MediaBox[{}]/Contents 4 0 R>>", media_box),
                                 format("<</Length {}>>\nstream\n{}\nendstream", drawing.size(), drawing)};
  for (int i = 0; i < 4; ++i) {
    table += format("{:010} 00000 n \n", pdf.size());
    pdf += format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  return pdf + format("{}trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n{}\n%%EOF\n", table, pdf.size());
}

struct Picture {
  std::size_t width = 0, height = 0;
  std::string rgb;  // unfiltered
};

Picture read_png(std::string_view png) {
  Picture picture{be32_at(png, 16), be32_at(png, 20), {}};
  const std::size_t packed = be32_at(png, 33);
  EXPECT_EQ(png.substr(37, 4), "IDAT");
  const auto* const begin = reinterpret_cast<const Bytef*>(png.data());
  EXPECT_EQ(be32_at(png, 41 + packed), crc32(0, begin + 37, static_cast<uInt>(packed + 4)));
  uLongf size = (3 * picture.width + 1) * picture.height;
  std::string rows(size, '\0');
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, begin + 41, packed), Z_OK);
  EXPECT_EQ(size, rows.size());
  const std::size_t row = 3 * picture.width;
  for (std::size_t y = 0; y < picture.height; ++y) {
    EXPECT_EQ(rows[y * (row + 1)], y == 0 ? 0 : 2);
    for (std::size_t x = 0; x < row; ++x) {
      const char above = y == 0 ? '\0' : picture.rgb[(y - 1) * row + x];
      picture.rgb += static_cast<char>(rows[y * (row + 1) + 1 + x] + above);
    }
  }
  return picture;
}

TEST(PdfPaint, APngHoldsThePixels) {
  const std::string rgb = "abcdef??ghijkl??mnopqr??";  // rows of two pixels and two bytes of padding
  const std::string png = png_of(rgb, 2, 3, 8);
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1A\n"));
  const Picture read = read_png(png);
  EXPECT_EQ(read.width, 2U);
  EXPECT_EQ(read.height, 3U);
  EXPECT_EQ(read.rgb, "abcdefghijklmnopqr");
}

TEST(PdfPaint, APageIsRendered) {
  const auto png = paint_pdf_page(square_pdf("0 0 300 600"), 1);
  ASSERT_TRUE(png) << png.error().message;
  const Picture page = read_png(*png);
  EXPECT_EQ(page.width, 500U);
  EXPECT_EQ(page.height, 1000U);
  const auto red = [&](std::size_t x, std::size_t y) { return static_cast<unsigned char>(page.rgb[3 * (y * page.width + x)]); };
  EXPECT_EQ(red(50, 950), 0) << "the square at the foot";
  EXPECT_EQ(red(400, 100), 255) << "paper";
}

TEST(PdfPaint, LargePagesAreScaledDown) {
  const auto wide = paint_pdf_page(square_pdf("0 0 14400 14400"), 1);
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_LE(read_png(*wide).width, 2'400U);
}

TEST(PdfPaint, AFileThatCannotBeRenderedHasAReason) {
  EXPECT_EQ(paint_pdf_page("no pdf", 1).error().message, "the file is not a PDF, or too damaged to read");
  EXPECT_EQ(paint_pdf_page(square_pdf("0 0 300 600"), 2).error().message, "the file has one page");
  EXPECT_FALSE(paint_pdf_page(square_pdf("0 0 300 600"), 0));
}

}  // namespace
}  // namespace ladder::imports
