// Leptonica is loaded like Tesseract, so that Ladder does not depend on it. Its functions run only in the forked process.
#include "import/picture/picture.h"

#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/ocr/ocr.h"
#include "import/sandbox/forked_task.h"
#include "import/text/mime_type.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ladder::imports {
namespace {

constexpr std::array<std::string_view, 4> kTypes = {"image/jpeg", "image/png", "image/tiff", "image/webp"};
constexpr int kMaxPages = 200;         // of a TIFF file
constexpr int kMinSide = 24;           // smaller pictures are icons and lines
constexpr int kAssumedDots = 200;      // per inch
constexpr int kSilent = 6;             // Leptonica's severity above all messages
constexpr double kMaxPixels = 6e6;     // larger pictures are scaled down: recognizing takes a second per megapixel
constexpr double kMaxDecoded = 120e6;  // pixels: 480 MB of memory

struct Pix;

// The functions of Leptonica that are used.
struct Leptonica {
  int (*read_header)(const std::uint8_t*, std::size_t, int*, int*, int*, int*, int*, int*) = nullptr;
  Pix* (*read)(const std::uint8_t*, std::size_t) = nullptr;
  Pix* (*read_tiff_page)(const std::uint8_t*, std::size_t, int) = nullptr;
  void (*destroy)(Pix**) = nullptr;
  Pix* (*without_alpha)(Pix*) = nullptr;
  Pix* (*scaled)(Pix*, float, float) = nullptr;
  Pix* (*rotated)(Pix*, int) = nullptr;
  Pix* (*gray)(Pix*, int) = nullptr;
  int (*swap_bytes)(Pix*) = nullptr;
  int (*width)(const Pix*) = nullptr;
  int (*height)(const Pix*) = nullptr;
  int (*words_per_line)(const Pix*) = nullptr;
  std::uint32_t* (*data)(Pix*) = nullptr;
  int (*set_severity)(int) = nullptr;

  bool is_complete() const {
    return read_header && read && read_tiff_page && destroy && without_alpha && scaled && rotated && gray && swap_bytes &&
           width && height && words_per_line && data && set_severity;
  }
};

Leptonica& leptonica() {
  static Leptonica loaded;
  return loaded;
}

struct Destroy {
  void operator()(Pix* picture) const { leptonica().destroy(&picture); }
};
using Picture = std::unique_ptr<Pix, Destroy>;

bool is_tiff(std::string_view bytes) { return bytes.starts_with("II*") || bytes.starts_with(std::string_view("MM\0*", 4)); }

// Returns the number of quarter turns that the camera's orientation (Exif) asks for.
int quarter_turns(std::string_view bytes) {
  const std::size_t at = bytes.substr(0, 64 * limits::kKiB).find(std::string_view("Exif\0\0", 6));
  if (at == std::string_view::npos) return 0;
  const std::string_view tiff = bytes.substr(at + 6);
  if (!is_tiff(tiff)) return 0;
  const bool little = tiff.starts_with('I');
  const auto number = [&](std::size_t place, std::size_t size) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t byte = place + (little ? size - 1 - i : i);
      value = value * 256 + (byte < tiff.size() ? static_cast<unsigned char>(tiff[byte]) : 0U);
    }
    return value;
  };
  const std::size_t directory = number(4, 4);
  const std::size_t count = std::min<std::size_t>(number(directory, 2), 100);
  constexpr std::size_t kOrientation = 0x112, kEntryBytes = 12;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (number(entry, 2) != kOrientation) continue;
    const std::size_t orientation = number(entry + 8, 2);
    return orientation == 6 ? 1 : orientation == 3 ? 2 : orientation == 8 ? 3 : 0;
  }
  return 0;
}

std::string text_of(Picture picture, int turns) {
  const Leptonica& lib = leptonica();
  const auto change = [&](Pix* changed) {
    if (changed != nullptr) picture.reset(changed);
  };
  change(lib.without_alpha(picture.get()));
  const double pixels = double(lib.width(picture.get())) * lib.height(picture.get());
  if (pixels > kMaxPixels) {
    const auto factor = static_cast<float>(std::sqrt(kMaxPixels / pixels));
    change(lib.scaled(picture.get(), factor, factor));
  }
  if (turns != 0) change(lib.rotated(picture.get(), turns));
  const Picture gray(lib.gray(picture.get(), 0));
  if (!gray) return {};
  lib.swap_bytes(gray.get());  // Leptonica stores four pixels in a word, the first one in its highest byte
  return recognized_text(reinterpret_cast<const unsigned char*>(lib.data(gray.get())), lib.width(gray.get()),
                         lib.height(gray.get()), 1, lib.words_per_line(gray.get()) * 4, kAssumedDots);
}

void refuse(const AnswerWriter& write, std::string_view why) { write(document_piece(DocumentPiece::kRefused, why)); }

void write_picture(std::string_view bytes, const AnswerWriter& write) {
  const Leptonica& lib = leptonica();
  lib.set_severity(kSilent);
  close(STDERR_FILENO);  // the decoders of JPEG and TIFF write messages there
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  int kind = 0, width = 0, height = 0, bits = 0, samples = 0, map = 0;
  if (lib.read_header(data, bytes.size(), &kind, &width, &height, &bits, &samples, &map) != 0) {
    return refuse(write, "it is not a picture, or too damaged to read");
  }
  if (double(width) * height > kMaxDecoded) return refuse(write, "the picture is too large to be read");
  std::vector<Picture> pages;
  if (width >= kMinSide && height >= kMinSide) {
    pages.emplace_back(lib.read(data, bytes.size()));
    if (!pages.front()) return refuse(write, "it is not a picture, or too damaged to read");
  }
  const bool several = is_tiff(bytes) && Picture(lib.read_tiff_page(data, bytes.size(), 1)) != nullptr;
  write(document_piece(DocumentPiece::kPageKind, several ? "page" : ""));
  int count = 1;
  while (several && count < kMaxPages && Picture(lib.read_tiff_page(data, bytes.size(), count))) ++count;
  write(document_piece(DocumentPiece::kPageCount, std::to_string(count)));
  for (int page = 0; page < count; ++page) {
    Picture picture = page == 0 && !pages.empty() ? std::move(pages.front())
                      : several                   ? Picture(lib.read_tiff_page(data, bytes.size(), page))
                                                  : Picture();
    const bool in_time = std::clock() <= static_cast<std::clock_t>(limits::kOcrCpuSeconds) * CLOCKS_PER_SEC;
    const std::string text = picture && in_time ? text_of(std::move(picture), quarter_turns(bytes)) : std::string();
    if (!write(document_piece(page_text(text).empty() ? DocumentPiece::kPage : DocumentPiece::kRecognizedPage, text))) return;
  }
  write(document_piece(DocumentPiece::kEnd, ""));
}

}  // namespace

void load_picture_reader() {
  if (!has_ocr()) return;
  void* library = nullptr;
  for (const char* name : {"liblept.so.5", "libleptonica.so.6"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return;
  Leptonica& lib = leptonica();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(lib.read_header, "pixReadHeaderMem");
  find(lib.read, "pixReadMem");
  find(lib.read_tiff_page, "pixReadMemTiff");
  find(lib.destroy, "pixDestroy");
  find(lib.without_alpha, "pixRemoveAlpha");
  find(lib.scaled, "pixScale");
  find(lib.rotated, "pixRotateOrth");
  find(lib.gray, "pixConvertTo8");
  find(lib.swap_bytes, "pixEndianByteSwap");
  find(lib.width, "pixGetWidth");
  find(lib.height, "pixGetHeight");
  find(lib.words_per_line, "pixGetWpl");
  find(lib.data, "pixGetData");
  find(lib.set_severity, "setMsgSeverity");
  if (!lib.is_complete()) lib = {};
}

bool is_readable_picture(std::string_view file_name, std::string_view mime_type) {
  if (!leptonica().is_complete()) return false;
  if (mime_type.empty() || mime_type == "application/octet-stream") mime_type = mime_type_of(file_name);
  return std::ranges::find(kTypes, mime_type == "image/jpg" ? "image/jpeg" : mime_type) != kTypes.end();
}

bool begins_as_picture(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n") || bytes.starts_with("\xFF\xD8\xFF") || is_tiff(bytes) ||
         (bytes.starts_with("RIFF") && bytes.size() > 12 && bytes.substr(8, 4) == "WEBP");
}

DocumentText read_picture(std::string_view bytes, std::size_t max_text_bytes) {
  DocumentText none;
  none.page_kind.clear();
  if (!leptonica().is_complete()) {
    none.problems.emplace_back("the text of pictures is read only if Tesseract is installed");
    return none;
  }
  const ForkedTaskLimits apart{limits::kPdfCpuSeconds, limits::kPdfWallSeconds, max_text_bytes * 2 + limits::kMiB};
  const auto answer = run_forked_task(apart, [bytes](const AnswerWriter& write) { write_picture(bytes, write); });
  if (!answer) {
    none.problems.push_back(answer.error().message);
    return none;
  }
  DocumentText read = document_from_answer(answer->output, answer->abort_reason, max_text_bytes);
  if (!read.is_read) read.page_kind.clear();
  if (!read.recognized.empty()) read.text_by = ocr_reader();
  return read;
}

}  // namespace ladder::imports
