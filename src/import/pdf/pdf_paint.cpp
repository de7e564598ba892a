#include "import/pdf/pdf_paint.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/sandbox/forked_task.h"

#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-image.h>
#include <poppler/cpp/poppler-page-renderer.h>
#include <poppler/cpp/poppler-page.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <system_error>

namespace ladder::imports {
namespace {

constexpr std::string_view kPngBegins = "\x89PNG\r\n\x1A\n";
constexpr double kDotsPerInch = 120, kPointsPerInch = 72;
constexpr double kMaxSide = 2'400;  // pixels
constexpr int kCompression = 3;     // level 3 makes a page of text as small as higher levels, in half the time

// The answer of the forked process: a letter, then the image or the reason.
constexpr char kPainted = 'p', kRefused = 'f';

std::string be32(std::size_t number) {
  std::string eight;
  put_u64_be(eight, number);
  return eight.substr(4);
}

void put_chunk(std::string& png, std::string_view kind, std::string_view bytes) {
  png += be32(bytes.size());
  const std::size_t begin = png.size();
  png.append(kind).append(bytes);
  const auto* const data = reinterpret_cast<const Bytef*>(png.data() + begin);
  png += be32(crc32(0, data, static_cast<uInt>(png.size() - begin)));
}

void write_page(std::string_view bytes, std::int64_t number, const AnswerWriter& write) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  const auto refuse = [&](std::string_view why) { write(std::string(1, kRefused) + std::string(why)); };
  const std::unique_ptr<poppler::document> document(
      poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
  if (!document) return refuse("the file is not a PDF, or too damaged to read");
  if (document->is_locked()) return refuse("the file is encrypted and needs a password");
  if (number < 1 || number > document->pages())
    return refuse(document->pages() == 1 ? "the file has one page" : format("the file has {} pages", document->pages()));
  const std::unique_ptr<poppler::page> page(document->create_page(static_cast<int>(number - 1)));
  if (!page) return refuse("it is too damaged to read");
  const poppler::rectf box = page->page_rect(poppler::crop_box);
  const double side = std::max(std::abs(box.width()), std::abs(box.height()));
  if (!(side >= 1)) return refuse("it has no size");
  // Reduce the resolution so that the image stays within its limits, whatever size the page claims.
  const double dots = std::min(kDotsPerInch, kMaxSide * kPointsPerInch / side);
  poppler::page_renderer renderer;
  renderer.set_render_hints(poppler::page_renderer::antialiasing | poppler::page_renderer::text_antialiasing);
  renderer.set_image_format(poppler::image::format_rgb24);
  poppler::image picture = renderer.render_page(page.get(), dots, dots);
  if (!picture.is_valid() || picture.width() <= 0 || picture.height() <= 0) return refuse("it cannot be rendered");
  const auto width = static_cast<std::size_t>(picture.width()), height = static_cast<std::size_t>(picture.height());
  const auto stride = static_cast<std::size_t>(picture.bytes_per_row());
  if (width * height > limits::kMaxPaintedPixels) return refuse("the image would be too large");
  write(std::string(1, kPainted) + png_of({picture.const_data(), stride * height}, width, height, stride));
}

}  // namespace

std::string png_of(std::string_view rgb, std::size_t width, std::size_t height, std::size_t stride) {
  // Every row uses the filter "up", which turns equal rows into zeros.
  std::string rows;
  rows.reserve((3 * width + 1) * height);
  for (std::size_t y = 0; y < height; ++y) {
    const std::string_view row = rgb.substr(y * stride, 3 * width);
    rows += y == 0 ? '\0' : '\2';
    if (y == 0) {
      rows += row;
      continue;
    }
    const std::string_view above = rgb.substr((y - 1) * stride, 3 * width);
    for (std::size_t x = 0; x < row.size(); ++x) rows += static_cast<char>(row[x] - above[x]);
  }
  uLongf packed_size = compressBound(rows.size());
  std::string packed(packed_size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &packed_size, reinterpret_cast<const Bytef*>(rows.data()), rows.size(),
                kCompression) != Z_OK) {
    return {};
  }
  packed.resize(packed_size);
  std::string png(kPngBegins);
  // Eight bits per channel, RGB, not interlaced.
  put_chunk(png, "IHDR", be32(width) + be32(height) + std::string("\x08\x02\0\0\0", 5));
  put_chunk(png, "IDAT", packed);
  put_chunk(png, "IEND", "");
  return png;
}

std::vector<std::filesystem::path> font_folders() {
  std::vector<std::filesystem::path> folders = {"/etc/fonts", "/usr/share/fonts", "/usr/share/fontconfig",
                                                "/usr/local/share/fonts", "/var/cache/fontconfig"};
  std::erase_if(folders, [](const std::filesystem::path& folder) {
    std::error_code error;
    return !std::filesystem::is_directory(folder, error);
  });
  return folders;
}

Result<std::string> paint_pdf_page(std::string_view bytes, std::int64_t page) {
  const ForkedTaskLimits apart{limits::kPaintCpuSeconds, limits::kPaintWallSeconds, limits::kMaxPictureBytes};
  LADDER_TRY(auto answer, run_forked_task(apart, [&](const AnswerWriter& write) { write_page(bytes, page, write); }));
  if (answer.output.starts_with(kRefused)) return fail(Code::kInvalidRequest, answer.output.substr(1));
  if (answer.output.size() >= static_cast<std::size_t>(limits::kMaxPictureBytes))
    return fail(Code::kInvalidRequest, "the image would be too large");
  if (!answer.abort_reason.empty()) return fail(Code::kInvalidRequest, answer.abort_reason);
  if (answer.output.size() < 2 || !answer.output.starts_with(kPainted))
    return fail(Code::kInvalidRequest, "it cannot be rendered");
  return answer.output.substr(1);
}

}  // namespace ladder::imports
