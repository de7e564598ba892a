// The parser of the answer of the process that read a document.
#include "import/document/document_text.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxInfoBytes = 1024;    // a title, an author…
constexpr std::int64_t kMaxPages = 1'000'000;  // more than any real file
constexpr std::size_t kMaxProblems = 20;       // pages reported one by one
constexpr std::array<std::string_view, 5> kPageKinds = {"", "page", "sheet", "slide", "chapter"};
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

// PDF files write D:20230102…, office files write RFC 3339.
std::optional<Instant> document_date(std::string_view text) {
  if (text.starts_with("D:")) return pdf_date(text);
  constexpr std::size_t kDateChars = 19;  // 2023-01-02T12:06:21; LibreOffice adds nine digits of a second and no zone
  if (text.size() > kDateChars && text[kDateChars] == '.') {
    const std::size_t zone = text.find_first_not_of("0123456789", kDateChars + 1);
    if (zone == std::string_view::npos) return parse_time(format("{}Z", text.substr(0, kDateChars)));
  }
  if (text.size() == kDateChars) return parse_time(format("{}Z", text));
  if (const auto time = parse_time(text)) return time;
  return pdf_date(text);
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
    switch (static_cast<DocumentPiece>(kind)) {
      case DocumentPiece::kTitle:
        document_.title = info_text(bytes);
        break;
      case DocumentPiece::kAuthor:
        document_.author = info_text(bytes);
        break;
      case DocumentPiece::kSubject:
        document_.subject = info_text(bytes);
        break;
      case DocumentPiece::kKeywords:
        document_.keywords = info_text(bytes);
        break;
      case DocumentPiece::kCreated:
        document_.created = document_date(bytes);
        break;
      case DocumentPiece::kModified:
        document_.modified = document_date(bytes);
        break;
      case DocumentPiece::kPageKind:
        if (std::ranges::find(kPageKinds, bytes) != kPageKinds.end()) document_.page_kind = bytes;
        break;
      case DocumentPiece::kPageName:
        page_name_ = info_text(bytes);
        break;
      case DocumentPiece::kProblem:
        add_problem(info_text(bytes));
        break;
      case DocumentPiece::kPageCount:
        take_page_count(bytes);
        break;
      case DocumentPiece::kPage:
        take_page(page_text(bytes));
        break;
      case DocumentPiece::kBrokenPage:
        add_problem(format("{} {} cannot be read", document_.page_kind.empty() ? "page" : document_.page_kind,
                           document_.pages.size() + 1));
        take_page({});
        break;
      case DocumentPiece::kRefused:
        refusal_ = info_text(bytes);
        break;
      case DocumentPiece::kEnd:
        ended_ = true;
        break;
    }
  }

  DocumentText finish(std::string_view abort_reason) {
    if (!refusal_.empty() || !document_.is_read) {
      std::string why = !refusal_.empty() ? refusal_ : std::string(abort_reason.empty() ? "it cannot be read" : abort_reason);
      DocumentText none;
      none.problems.push_back(std::move(why));
      return none;
    }
    const auto read = static_cast<std::int64_t>(document_.pages.size());
    if (!ended_ && !document_.text_is_cut && read < document_.page_count) {
      const std::string_view why = abort_reason.empty() ? "there is too much text" : abort_reason;
      document_.problems.push_back(document_.page_kind.empty() ? format("only a part of it can be read: {}", why)
                                                               : format("only the first {} of {} {}s can be read: {}", read,
                                                                        document_.page_count, document_.page_kind, why));
    } else if (document_.text_is_cut) {
      document_.problems.push_back(document_.page_kind.empty()
                                       ? "only the first part of the text was imported"
                                       : format("only the text of the first {} {}s was imported", read, document_.page_kind));
    }
    return std::move(document_);
  }

 private:
  void add_problem(std::string problem) {
    if (document_.problems.size() < kMaxProblems) document_.problems.push_back(std::move(problem));
  }

  void take_page_count(std::string_view bytes) {
    if (document_.is_read) return;  // a second page count would not match the pages received so far
    const auto count = parse_number(bytes);
    if (!count || *count < 0 || *count > kMaxPages) return;
    document_.page_count = *count;
    document_.is_read = true;
  }

  void take_page(std::string_view text) {
    if (document_.text_is_cut || static_cast<std::int64_t>(document_.pages.size()) >= document_.page_count) return;
    std::string_view between = document_.text.empty() || text.empty() ? std::string_view() : kBetweenPages;
    const std::size_t room = max_ - std::min(max_, document_.text.size() + between.size());
    if (text.size() > room) {
      document_.text_is_cut = true;
      text = trim(beginning(text, room));
      if (text.empty()) between = {};
    }
    const auto number = static_cast<std::int64_t>(document_.pages.size()) + 1;
    const std::int64_t start = chars_ + utf8::count(between);
    const std::int64_t end = start + utf8::count(text);
    document_.pages.push_back({start, end, std::exchange(page_name_, {})});
    if (text.empty() && !document_.text_is_cut) document_.without_text.push_back(number);
    document_.text.append(between).append(text);
    chars_ = end;
  }

  std::size_t max_;
  DocumentText document_;
  std::int64_t chars_ = 0;
  std::string page_name_;
  std::string refusal_;
  bool ended_ = false;
};

}  // namespace

std::string document_piece(DocumentPiece kind, std::string_view bytes) {
  std::string piece(1, static_cast<char>(kind));
  put_sized(piece, bytes);
  return piece;
}

DocumentText document_from_answer(std::string_view output, std::string_view abort_reason, std::size_t max_text_bytes) {
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
