// A folder of PDF documents: texts in several scripts, scanned pages, long documents, copies, and unreadable files.
#include "base/text/format.h"
#include "base/time/time.h"
#include "dice.h"
#include "exports.h"
#include "pdf_file.h"
#include "words.h"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace demo {
namespace {

using ladder::format;

constexpr ladder::Instant kBegin = 1'735'689'600 * ladder::kSecond;  // 2025-01-01
constexpr std::int64_t kKinds = 10;
constexpr int kLongPages = 150;

void save(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// D:20250101120000Z
std::string pdf_time(std::int64_t number) {
  const std::string time = ladder::format_time(kBegin + number * 3700 * ladder::kSecond);
  std::string digits;
  for (const char c : time.substr(0, 19)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return format("D:{}Z", digits);
}

class PdfExport {
 public:
  explicit PdfExport(const ExportRequest& request) : request_(request), dice_(request.seed) {}

  Expected write() {
    for (std::int64_t number = 0; number < request_.count; ++number) {
      const std::string name = format("{:02}/paper {:04} {}.pdf", number % 5, number, dice_.pick(kEmoji));
      save(request_.folder / name, document(number, name));
    }
    if (request_.damaged) {
      // An HTML error page, an empty file, and a truncated download.
      save(request_.folder / "page.pdf", "<html><body>404</body></html>");
      save(request_.folder / "empty.pdf", "");
      save(request_.folder / "half.PDF", text_pages(0, 3).bytes(PdfFile::Fault::kCutOff));
      save(request_.folder / "locked.pdf", text_pages(0, 3).bytes(PdfFile::Fault::kEncrypted));
      documents_ += 4;
      unread_ += 4;
    }
    return {{"documents", documents_},
            {"unread", unread_},
            {"copies", copies_},
            {"without_text", without_text_},
            {"scanned", scanned_}};
  }

 private:
  std::vector<std::string> lines(std::int64_t number, int page) {
    const Language& language = dice_.pick(kLanguages);
    std::vector<std::string> out = {format("Paper {} page {}", number, page)};
    for (std::size_t n = 1 + dice_.below(8); n > 0; --n) {
      out.push_back(format("{}{}{}{}{}", dice_.pick(language.who), language.space, dice_.pick(language.does), language.space,
                           dice_.pick(language.what)));
    }
    return out;
  }

  PdfFile text_pages(std::int64_t number, int pages) {
    PdfFile file;
    file.info("Title", format("Paper number {}", number)).info("Author", "Ada").info("CreationDate", pdf_time(number));
    for (int page = 1; page <= pages; ++page) file.page(lines(number, page));
    return file;
  }

  std::string document(std::int64_t number, std::string_view name) {
    ++documents_;
    switch (number % kKinds) {
      case 1:  // scanned
        ++scanned_;
        without_text_ += 2;
        return PdfFile().info("Subject", format("scan {}", number)).picture().picture().bytes();
      case 2:  // an image between two pages of text
        ++without_text_;
        return text_pages(number, 1).picture().page(lines(number, 3)).bytes();
      case 3:  // a wrong object table, which readers repair
        return text_pages(number, 2).bytes(PdfFile::Fault::kWrongTable);
      case 4: {  // the same bytes twice
        const std::string bytes = text_pages(number, 1).bytes();
        save(request_.folder / "copies" / format("copy {}.pdf", number), bytes);
        ++copies_;
        return bytes;
      }
      case 5:
        return text_pages(number, number < kKinds ? kLongPages : 20).bytes();
      case 6:  // ligatures, a hyphenated word, characters beyond the BMP
        return PdfFile()
            .page({format("The \uFB01rst o\uFB03ce of paper {} has hyphen-", number), "ated words \U0001F600 and so on."})
            .bytes();
      case 7:  // an impossible date
        return PdfFile().info("ModDate", "D:00010101").info("Title", name.substr(0, 2)).page(lines(number, 1)).bytes();
      default:
        return text_pages(number, 1 + static_cast<int>(dice_.below(4))).bytes();
    }
  }

  const ExportRequest& request_;
  Dice dice_;
  std::int64_t documents_ = 0, unread_ = 0, copies_ = 0, without_text_ = 0, scanned_ = 0;
};

}  // namespace

Expected write_pdf_export(const ExportRequest& request) { return PdfExport(request).write(); }

}  // namespace demo
