// Rich text (RTF). Text is in the charset of the current font, or written as \u and a number.
#include "import/office/office_document.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "import/charset/encoding.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::imports::office {
namespace {

constexpr std::size_t kMaxGroups = 10'000;  // inside each other

// Groups without text of the document.
constexpr std::array kSkipped = {"fonttbl",   "colortbl", "stylesheet", "pict",      "header",  "footer",
                                 "headerl",   "headerr",  "footerl",    "footerr",   "headerf", "footerf",
                                 "listtable", "revtbl",   "object",     "themedata", "fldinst", "generator",
                                 "filetbl",   "xe",       "tc",         "bkmkstart", "bkmkend", "listtext"};

struct CodePage {
  std::int64_t number;
  std::string_view label;
};
// By \fcharset and \cpg.
constexpr std::array kCharsets = {
    CodePage{0, "windows-1252"},   CodePage{128, "shift_jis"},    CodePage{129, "euc-kr"},       CodePage{134, "gbk"},
    CodePage{136, "big5"},         CodePage{161, "windows-1253"}, CodePage{162, "windows-1254"}, CodePage{163, "windows-1258"},
    CodePage{177, "windows-1255"}, CodePage{178, "windows-1256"}, CodePage{186, "windows-1257"}, CodePage{204, "windows-1251"},
    CodePage{222, "windows-874"},  CodePage{238, "windows-1250"}, CodePage{932, "shift_jis"},    CodePage{936, "gbk"},
    CodePage{949, "euc-kr"},       CodePage{950, "big5"},         CodePage{10000, "macintosh"},
};

const charset::Encoding* encoding_of(std::int64_t number) {
  const auto* const found = std::ranges::find(kCharsets, number, &CodePage::number);
  if (found != kCharsets.end()) return charset::find_encoding(found->label);
  return number >= 1250 && number <= 1258 ? charset::find_encoding(format("windows-{}", number)) : nullptr;
}

struct Special {
  std::string_view word, text;
};
constexpr std::array kSpecials = {
    Special{"par", "\n"},
    Special{"line", "\n"},
    Special{"sect", "\n"},
    Special{"row", "\n"},
    Special{"cell", "\t"},
    Special{"tab", "\t"},
    Special{"page", "\v"},
    Special{"emdash", "\xE2\x80\x94"},
    Special{"endash", "\xE2\x80\x93"},
    Special{"bullet", "\xE2\x80\xA2"},
    Special{"lquote", "\xE2\x80\x98"},
    Special{"rquote", "\xE2\x80\x99"},
    Special{"ldblquote", "\xE2\x80\x9C"},
    Special{"rdblquote", "\xE2\x80\x9D"},
};

class Reader {
 public:
  Reader(std::string_view bytes, OfficeDocument& document) : bytes_(bytes), document_(document) {}

  void run() {
    while (at_ < bytes_.size()) {
      const char c = bytes_[at_++];
      if (c == '{') open();
      else if (c == '}') close();
      else if (c == '\\') control();
      else if (c != '\r' && c != '\n') letter(c);
      if (groups_.size() > kMaxGroups) {
        document_.problems.emplace_back("its groups are nested too deeply");
        break;
      }
    }
    flush();
    split_pages(document_, std::move(text_));
  }

 private:
  struct Group {
    bool skipped = false;
    std::string* into = nullptr;    // a property; the text if null
    std::int64_t replacements = 1;  // letters after \u for old readers
    const charset::Encoding* encoding = nullptr;
    bool is_font_table = false;
    std::int64_t font = 0;
  };

  void open() {
    flush();
    left_ = 0;
    Group group = groups_.back();
    groups_.push_back(group);
    is_first_ = true;
  }
  void close() {
    flush();
    left_ = 0;
    if (groups_.size() > 1) groups_.pop_back();
  }

  void letter(char c) {
    is_first_ = false;
    if (left_ > 0) {
      --left_;
      return;
    }
    if (!groups_.back().skipped) encoded_ += c;
  }

  void control() {
    if (at_ >= bytes_.size()) return;
    const char c = bytes_[at_];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter) return symbol(c);
    std::size_t end = at_;
    while (end < bytes_.size() && ((bytes_[end] >= 'a' && bytes_[end] <= 'z') || (bytes_[end] >= 'A' && bytes_[end] <= 'Z')))
      ++end;
    const std::string_view word = bytes_.substr(at_, end - at_);
    std::size_t after = end;
    if (after < bytes_.size() && bytes_[after] == '-') ++after;
    constexpr std::size_t kMaxDigits = 10;
    while (after < bytes_.size() && after - end < kMaxDigits && bytes_[after] >= '0' && bytes_[after] <= '9') ++after;
    const std::optional<std::int64_t> number = parse_number(bytes_.substr(end, after - end));
    at_ = number ? after : end;
    if (at_ < bytes_.size() && bytes_[at_] == ' ') ++at_;
    if (word == "bin") {
      at_ += std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, number.value_or(0))), bytes_.size() - at_);
      return;
    }
    if (left_ > 0) {
      --left_;
      return;
    }
    run(word, number);
    is_first_ = false;
  }

  void symbol(char c) {
    ++at_;
    if (c == '*') {
      if (is_first_) skip();
      return;
    }
    if (c == '\'') {
      const auto digit = [&](std::size_t at) -> int {
        const char x = at < bytes_.size() ? bytes_[at] : ' ';
        return x >= '0' && x <= '9' ? x - '0' : x >= 'a' && x <= 'f' ? x - 'a' + 10 : x >= 'A' && x <= 'F' ? x - 'A' + 10 : -1;
      };
      const int high = digit(at_), low = digit(at_ + 1);
      if (high < 0 || low < 0) return;
      at_ += 2;
      return letter(static_cast<char>(high * 16 + low));
    }
    if (left_ > 0) {
      --left_;
      return;
    }
    if (c == '\\' || c == '{' || c == '}') letter(c);
    else if (c == '~') add("\xC2\xA0");
    else if (c == '_') add("-");
    else if (c == '\n' || c == '\r') add("\n");
  }

  void run(std::string_view word, std::optional<std::int64_t> number) {
    Group& group = groups_.back();
    if (word == "u") {
      if (!group.skipped) unicode(number.value_or('?'));
      left_ = group.replacements;
    } else if (word == "uc") {
      group.replacements = std::clamp<std::int64_t>(number.value_or(1), 0, 100);
    } else if (word == "ansicpg") {
      if (const auto* encoding = encoding_of(number.value_or(0))) default_ = encoding;
    } else if (word == "mac") {
      default_ = charset::find_encoding("macintosh");
    } else if (word == "fonttbl") {
      skip();
      group.is_font_table = true;
    } else if (word == "f" && number) {
      flush();
      group.font = *number;
      if (!group.is_font_table) group.encoding = fonts_.contains(*number) ? fonts_[*number] : nullptr;
    } else if (word == "fcharset" && group.is_font_table && number && fonts_.size() < 10'000) {
      fonts_[group.font] = encoding_of(*number);
    } else if (word == "info") {
      skip();
    } else if (word == "title" || word == "author" || word == "subject" || word == "keywords") {
      std::string& property = word == "title"     ? document_.title
                              : word == "author"  ? document_.author
                              : word == "subject" ? document_.subject
                                                  : document_.keywords;
      group.skipped = false;
      group.into = &property;
    } else if (std::ranges::find(kSkipped, word) != kSkipped.end()) {
      skip();
    } else if (const auto* const special = std::ranges::find(kSpecials, word, &Special::word); special != kSpecials.end()) {
      add(special->text);
    }
  }

  void skip() {
    flush();
    groups_.back().skipped = true;
  }

  void unicode(std::int64_t number) {
    flush();
    const auto unit = static_cast<char32_t>(number < 0 ? number + 65'536 : number);
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_ = unit;
      return;
    }
    char32_t point = unit;
    if (unit >= 0xDC00 && unit < 0xE000 && high_ != 0) point = 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00);
    high_ = 0;
    std::string letter;
    utf8::append(letter, point);
    add(letter);
  }

  void add(std::string_view text) {
    flush();
    Group& group = groups_.back();
    if (group.skipped) return;
    constexpr std::size_t kMaxPropertyBytes = 1024;
    if (group.into == nullptr) document_.append(text_, text);
    else if (group.into->size() < kMaxPropertyBytes) *group.into += text;
  }

  // Decodes the letters so far.
  void flush() {
    if (encoded_.empty()) return;
    const std::string bytes = std::exchange(encoded_, {});
    const Group& group = groups_.back();
    const charset::Encoding* encoding = group.encoding != nullptr ? group.encoding : default_;
    add(encoding == nullptr ? bytes : charset::decode(bytes, *encoding).text);
  }

  std::string_view bytes_;
  OfficeDocument& document_;
  std::size_t at_ = 0;
  std::vector<Group> groups_ = {Group{}};
  std::map<std::int64_t, const charset::Encoding*> fonts_;
  const charset::Encoding* default_ = charset::find_encoding("windows-1252");
  std::string text_, encoded_;
  std::int64_t left_ = 0;  // replacement letters to skip
  char32_t high_ = 0;      // the first half of a pair
  bool is_first_ = false;  // nothing has followed the last {
};

}  // namespace

void read_rtf(std::string_view bytes, OfficeDocument& document) { Reader(bytes, document).run(); }

}  // namespace ladder::imports::office
