// Reads PDFs with poppler. Everything in the first unnamed namespace runs in the forked process.
#include "import/pdf/pdf.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "import/io/limits.h"
#include "import/sandbox/forked_task.h"
#include "import/text/text.h"

#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-page.h>
#include <poppler/cpp/poppler-version.h>
#include <algorithm>
#include <array>
#include <limits>
#include <memory>

namespace ladder::imports {
namespace {

std::string utf8_of(const poppler::ustring& text) {
  const poppler::byte_array bytes = text.to_utf8();
  return {bytes.begin(), bytes.end()};
}

std::string text_on_page(const poppler::page& page) {
  std::string text = utf8_of(page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout));
  if (!text.empty()) return text;
  // poppler drops the whole page if one character has no UTF-8 form. Reading word by word loses only the word.
  for (const poppler::text_box& word : page.text_list()) {
    text += utf8_of(word.text());
    if (word.has_space_after()) text += ' ';
    else text += '\n';
  }
  return text;
}

void write_info(const poppler::document& document, const AnswerWriter& write) {
  write(pdf_piece(PdfPiece::kTitle, utf8_of(document.get_title())));
  write(pdf_piece(PdfPiece::kAuthor, utf8_of(document.get_author())));
  write(pdf_piece(PdfPiece::kSubject, utf8_of(document.get_subject())));
  write(pdf_piece(PdfPiece::kKeywords, utf8_of(document.get_keywords())));
  write(pdf_piece(PdfPiece::kCreated, utf8_of(document.info_key("CreationDate"))));
  write(pdf_piece(PdfPiece::kModified, utf8_of(document.info_key("ModDate"))));
}

void write_pages(const poppler::document& document, const AnswerWriter& write) {
  write(pdf_piece(PdfPiece::kPageCount, std::to_string(document.pages())));
  for (int i = 0; i < document.pages(); ++i) {
    const std::unique_ptr<poppler::page> page(document.create_page(i));
    const bool heard = write(page ? pdf_piece(PdfPiece::kPage, text_on_page(*page)) : pdf_piece(PdfPiece::kBrokenPage, ""));
    if (!heard) return;
  }
  write(pdf_piece(PdfPiece::kEnd, ""));
}

void write_pdf(std::string_view bytes, const AnswerWriter& write) {
  poppler::set_debug_error_function([](const std::string&, void*) {}, nullptr);
  const std::unique_ptr<poppler::document> document(
      poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
  if (!document) {
    write(pdf_piece(PdfPiece::kRefused, "it is not a PDF, or too damaged to read"));
  } else if (document->is_locked()) {
    write(pdf_piece(PdfPiece::kRefused, "it is encrypted and needs a password"));
  } else if (document->pages() <= 0) {
    write(pdf_piece(PdfPiece::kRefused, "it has no pages"));
  } else {
    write_info(*document, write);
    write_pages(*document, write);
  }
}

}  // namespace

Pdf read_pdf(std::string_view bytes, std::size_t max_text_bytes) {
  Pdf none;
  if (bytes.size() > limits::kMaxPdfBytes) {
    none.problems.push_back(format("it is larger than the {} bytes up to which text is extracted", limits::kMaxPdfBytes));
    return none;
  }
  // Removed characters only shorten a page; only ligatures lengthen it.
  const ForkedTaskLimits apart{limits::kPdfCpuSeconds, limits::kPdfWallSeconds, max_text_bytes * 2 + limits::kMiB};
  const auto answer = run_forked_task(apart, [bytes](const AnswerWriter& write) { write_pdf(bytes, write); });
  if (!answer) {
    none.problems.push_back(answer.error().message);
    return none;
  }
  return pdf_from_answer(answer->output, answer->abort_reason, max_text_bytes);
}

std::string pdf_reader() { return "poppler " + poppler::version_string(); }

namespace {

constexpr std::size_t kMaxInfoBytes = 1024;         // a title, an author…
constexpr std::int64_t kMaxPages = 1'000'000;       // more than any real file
constexpr std::size_t kMaxProblems = 20;            // pages reported one by one
constexpr std::string_view kBetweenPages = "\n\n";  // belongs to no page

struct Ligature {
  char32_t code_point;
  std::string_view letters;
};
constexpr std::array kLigatures = {Ligature{0xFB00, "ff"},  Ligature{0xFB01, "fi"},  Ligature{0xFB02, "fl"},
                                   Ligature{0xFB03, "ffi"}, Ligature{0xFB04, "ffl"}, Ligature{0xFB05, "st"},
                                   Ligature{0xFB06, "st"}};

std::string_view letters_of(char32_t code_point) {
  const auto found = std::ranges::find(kLigatures, code_point, &Ligature::code_point);
  return found == kLigatures.end() ? std::string_view() : found->letters;
}

// Control characters, soft hyphens, poppler's direction marks, byte order marks.
bool is_dropped(char32_t c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\f') || (c >= 0x7F && c < 0xA0) || c == 0xAD ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string info_text(std::string_view bytes) {
  std::string text = page_text(beginning(bytes, kMaxInfoBytes));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// "+01'00'", "-0530", "Z" → "+01:00"; UTC if unreadable.
std::string offset_text(std::string_view rest) {
  if (rest.empty() || (rest.front() != '+' && rest.front() != '-')) return "Z";
  std::string digits;
  for (const char c : rest.substr(1)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (digits.size() < 2) return "Z";
  digits.resize(4, '0');
  return format("{}{}:{}", rest.front(), digits.substr(0, 2), digits.substr(2, 2));
}

class Assembler {
 public:
  explicit Assembler(std::size_t max_text_bytes) : max_(max_text_bytes) {}

  void take(char kind, std::string_view bytes) {
    switch (static_cast<PdfPiece>(kind)) {
      case PdfPiece::kTitle:
        pdf_.title = info_text(bytes);
        break;
      case PdfPiece::kAuthor:
        pdf_.author = info_text(bytes);
        break;
      case PdfPiece::kSubject:
        pdf_.subject = info_text(bytes);
        break;
      case PdfPiece::kKeywords:
        pdf_.keywords = info_text(bytes);
        break;
      case PdfPiece::kCreated:
        pdf_.created = pdf_date(bytes);
        break;
      case PdfPiece::kModified:
        pdf_.modified = pdf_date(bytes);
        break;
      case PdfPiece::kPageCount:
        take_page_count(bytes);
        break;
      case PdfPiece::kPage:
        take_page(page_text(bytes));
        break;
      case PdfPiece::kBrokenPage:
        if (pdf_.problems.size() < kMaxProblems) pdf_.problems.push_back(format("page {} cannot be read", pdf_.pages.size() + 1));
        take_page({});
        break;
      case PdfPiece::kRefused:
        refusal_ = info_text(bytes);
        break;
      case PdfPiece::kEnd:
        ended_ = true;
        break;
    }
  }

  Pdf finish(std::string_view abort_reason) {
    if (!refusal_.empty() || !pdf_.is_read) {
      std::string why = !refusal_.empty() ? refusal_ : std::string(abort_reason.empty() ? "it cannot be read" : abort_reason);
      Pdf none;
      none.problems.push_back(std::move(why));
      return none;
    }
    const auto read = static_cast<std::int64_t>(pdf_.pages.size());
    if (!ended_ && !pdf_.text_is_cut && read < pdf_.page_count) {
      pdf_.problems.push_back(format("only the first {} of {} pages can be read: {}", read, pdf_.page_count,
                                     abort_reason.empty() ? "there is too much text" : abort_reason));
    } else if (pdf_.text_is_cut) {
      pdf_.problems.push_back(format("only the text of the first {} pages was imported", read));
    }
    return std::move(pdf_);
  }

 private:
  void take_page_count(std::string_view bytes) {
    if (pdf_.is_read) return;  // a second page count would not match the pages received so far
    const auto count = parse_number(bytes);
    if (!count || *count < 0 || *count > kMaxPages) return;
    pdf_.page_count = *count;
    pdf_.is_read = true;
  }

  void take_page(std::string_view text) {
    if (pdf_.text_is_cut || static_cast<std::int64_t>(pdf_.pages.size()) >= pdf_.page_count) return;
    std::string_view between = pdf_.text.empty() || text.empty() ? std::string_view() : kBetweenPages;
    const std::size_t room = max_ - std::min(max_, pdf_.text.size() + between.size());
    if (text.size() > room) {
      pdf_.text_is_cut = true;
      text = trim(beginning(text, room));
      if (text.empty()) between = {};
    }
    const auto number = static_cast<std::int64_t>(pdf_.pages.size()) + 1;
    const std::int64_t start = chars_ + utf8::count(between);
    const std::int64_t end = start + utf8::count(text);
    pdf_.pages.push_back({start, end});
    if (text.empty() && !pdf_.text_is_cut) pdf_.without_text.push_back(number);
    pdf_.text.append(between).append(text);
    chars_ = end;
  }

  std::size_t max_;
  Pdf pdf_;
  std::int64_t chars_ = 0;
  std::string refusal_;
  bool ended_ = false;
};

}  // namespace

std::string pdf_piece(PdfPiece kind, std::string_view bytes) {
  std::string piece(1, static_cast<char>(kind));
  put_sized(piece, bytes);
  return piece;
}

Pdf pdf_from_answer(std::string_view output, std::string_view abort_reason, std::size_t max_text_bytes) {
  Assembler assembler(max_text_bytes);
  for (std::size_t at = 0; at < output.size();) {
    const char kind = output[at++];
    const auto bytes = get_sized(output, at);
    if (!bytes) break;
    assembler.take(kind, *bytes);
  }
  return assembler.finish(abort_reason);
}

std::string page_text(std::string_view bytes) {
  const std::string valid = replace_invalid(bytes);
  std::string text;
  text.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const char32_t c = utf8::next(valid, at);
    if (c == '\n' || c == '\f') {
      while (text.ends_with(' ') || text.ends_with('\t')) text.pop_back();
      if (!text.ends_with("\n\n")) text += '\n';
      continue;
    }
    if (is_dropped(c)) continue;
    const std::string_view letters = letters_of(c);
    if (letters.empty()) utf8::append(text, c);
    else text += letters;
  }
  return std::string(trim(text));
}

std::optional<Instant> pdf_date(std::string_view text) {
  text = trim(text);
  if (text.starts_with("D:")) text.remove_prefix(2);
  constexpr std::string_view kDefault = "00000101000000";  // defaults for missing parts: January 1, midnight
  std::size_t count = 0;
  while (count < text.size() && count < kDefault.size() && text[count] >= '0' && text[count] <= '9') ++count;
  if (count < 4) return std::nullopt;
  count = count / 2 * 2;
  const std::string digits = std::string(text.substr(0, count)) + std::string(kDefault.substr(count));
  if (!is_digits(digits)) return std::nullopt;
  const std::string_view all = digits;
  const auto time = parse_time(format("{}-{}-{}T{}:{}:{}{}", all.substr(0, 4), all.substr(4, 2), all.substr(6, 2),
                                      all.substr(8, 2), all.substr(10, 2), all.substr(12, 2), offset_text(text.substr(count))));
  if (!time || all.substr(0, 4) < "1971" || all.substr(0, 4) > "2099") return std::nullopt;
  return time;
}

}  // namespace ladder::imports
