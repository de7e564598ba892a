#include "import/html/html_prune.h"

#include "base/text/utf8.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace ladder::imports::html {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f";
constexpr std::size_t kMaxNameBytes = 16;  // of a known tag or attribute

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A name in lower case; "" if it is longer than any known name.
class LowerName {
 public:
  explicit LowerName(std::string_view name) : size_(name.size() <= kMaxNameBytes ? name.size() : 0) {
    for (std::size_t i = 0; i < size_; ++i) bytes_[i] = static_cast<char>(is_letter(name[i]) ? name[i] | 0x20 : name[i]);
  }
  bool is_one_of(const auto& names) const { return std::ranges::find(names, view()) != names.end(); }
  bool operator==(std::string_view other) const { return view() == other; }

 private:
  std::string_view view() const { return {bytes_.data(), size_}; }
  std::array<char, kMaxNameBytes> bytes_{};
  std::size_t size_;
};

// The attributes of these tags do not affect where gumbo puts the element. Formatting elements are not listed, because gumbo
// compares their attributes when it reopens them. <a> is safe: at most one is ever reopened.
constexpr std::array<std::string_view, 24> kPrunedTags = {"td", "tr", "table", "a",  "img",   "div",   "span",   "p",
                                                          "br", "th", "tbody", "li", "ul",    "ol",    "h1",     "h2",
                                                          "h3", "h4", "h5",    "h6", "thead", "tfoot", "center", "hr"};

// The tokenizer or the tree builder switches to other rules after these tags.
constexpr std::array<std::string_view, 13> kOtherRules = {"script",   "textarea", "xmp",      "iframe",    "noembed",
                                                          "noframes", "noscript", "template", "plaintext", "select",
                                                          "svg",      "math",     "frameset"};

constexpr std::array<std::string_view, 5> kReadAttributes = {"style", "hidden", "alt", "href", "start"};

constexpr std::array<std::string_view, 7> kReadProperties = {"display",    "visibility", "opacity",  "overflow",
                                                             "max-height", "height",     "font-size"};

// The placeholders for runs of text, four bytes each.
constexpr char32_t kFirstRun = 0xF0000;
constexpr std::size_t kMaxRuns = 0xFFFD;     // the last two code points of the plane are noncharacters
constexpr std::string_view kPlane = "\xF3";  // the first byte of characters in this plane, and of few others in use
constexpr std::size_t kLeastRunBytes = 8;
constexpr std::size_t kMaxReferenceDigits = 7;  // longer numbers are not code points; fits into 32 bits

// Returns true if the page contains characters of the placeholder plane, literally or as character references.
bool has_run_letters(std::string_view html) {
  if (html.find(kPlane) != std::string_view::npos) return true;
  for (std::size_t at = html.find("&#"); at != std::string_view::npos; at = html.find("&#", at)) {
    at += 2;
    const bool is_hex = at < html.size() && (html[at] == 'x' || html[at] == 'X');
    if (is_hex) ++at;
    while (at < html.size() && html[at] == '0') ++at;
    std::uint32_t letter = 0;
    const std::string_view digits = html.substr(at, kMaxReferenceDigits);
    std::from_chars(digits.data(), digits.data() + digits.size(), letter, is_hex ? 16 : 10);
    if (letter >= kFirstRun && letter <= kFirstRun + 0xFFFF) return true;
  }
  return false;
}

// Returns the length of the character if gumbo copies it unchanged to a text node, otherwise 0. gumbo replaces control
// characters and noncharacters, and "&" may start a character reference.
std::size_t plain_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= ' ' && first < 0x7F && first != '&') || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  if (first == 0xC2) return byte(1) >= 0xA0 ? length : 0;
  const bool is_no_letter =
      (first == 0xEF && byte(1) == 0xB7) || (length > 2 && byte(length - 2) == 0xBF && byte(length - 1) >= 0xBE);
  return is_no_letter ? 0 : length;
}

class Pruner {
 public:
  explicit Pruner(std::string_view html) : html_(html), has_runs_(!html.contains('\r') && !has_run_letters(html)) {
    out_.reserve(html.size());
  }

  void run() {
    for (;;) {
      const std::size_t begin = at_;
      at_ = html_.find('<', begin);
      if (at_ == std::string_view::npos) break;
      if (has_runs_) replace_runs(begin, at_);
      if (!markup()) break;
    }
    out_ += html_.substr(from_);
  }

  std::string out_;
  std::vector<std::string_view> runs_;

 private:
  // Replaces the runs of text between two tags by placeholders. A run never starts with a blank: leading blanks decide where
  // gumbo puts a text, and it may drop them.
  void replace_runs(std::size_t begin, std::size_t end) {
    std::size_t at = html_.find_first_not_of(kBlanks, begin);
    while (at < end) {
      const std::size_t first = at;
      for (std::size_t length = 1; at < end && length > 0; at += length) length = plain_letter(html_.substr(at, end - at));
      if (at - first >= kLeastRunBytes && runs_.size() < kMaxRuns) {
        leave_out(first, at);
        utf8::append(out_, kFirstRun + static_cast<char32_t>(runs_.size()));
        runs_.push_back(html_.substr(first, at - first));
      }
      // A character reference may include the characters after it, up to the next blank.
      at = html_.find_first_not_of(kBlanks, std::min(html_.find_first_of(kBlanks, at + 1), end));
    }
  }

  char byte(std::size_t at) const { return at < html_.size() ? html_[at] : '\0'; }

  void leave_out(std::size_t begin, std::size_t end) {
    out_ += html_.substr(from_, begin - from_);
    from_ = end;
  }

  // Consumes the markup that starts at "<". Returning false ends the pruning.
  bool markup() {
    const char next = byte(at_ + 1);
    if (is_letter(next)) return start_tag();
    if (next == '/') return end_tag();
    if (html_.substr(at_).starts_with("<!--")) return comment();
    if (next == '!' || next == '?') return go_behind(html_.find('>', at_));
    ++at_;
    return true;
  }

  bool go_behind(std::size_t last) {
    at_ = last + 1;
    return last != std::string_view::npos;
  }

  bool end_tag() {
    if (!is_letter(byte(at_ + 2))) return false;
    const std::size_t end = html_.find_first_of("<>\"'=/", at_ + 2);
    return end != std::string_view::npos && html_[end] == '>' && go_behind(end);
  }

  bool comment() {
    const std::size_t begin = at_ + 4;
    if (byte(begin) == '>' || html_.substr(begin).starts_with("->")) return false;
    for (std::size_t end = html_.find("--", begin); end != std::string_view::npos; end = html_.find("--", end + 2)) {
      while (byte(end + 2) == '-') ++end;
      if (byte(end + 2) == '!') return false;  // may also end the comment
      if (byte(end + 2) != '>') continue;
      leave_out(begin, end);
      return go_behind(end + 2);
    }
    return false;
  }

  bool start_tag() {
    const std::size_t begin = at_ + 1;
    const std::size_t end = html_.find_first_of(" \t\n\r\f/>", begin);
    if (end == std::string_view::npos) return false;
    const std::string_view written = html_.substr(begin, end - begin);
    if (written.find('\0') != std::string_view::npos) return false;
    const LowerName name(written);
    if (name.is_one_of(kOtherRules)) return false;
    is_pruned_ = name.is_one_of(kPrunedTags);
    at_ = end;
    const std::size_t out_before = out_.size(), from_before = from_;
    if (!attributes()) {
      // Pruning part of a malformed tag could change the meaning of the rest.
      out_.resize(out_before);
      from_ = from_before;
      return false;
    }
    if (name == "style") return raw_text("style", true);
    if (name == "title") return raw_text("title", false);
    return true;
  }

  bool attributes() {
    for (;;) {
      const std::size_t begin = at_;
      while (is_blank(byte(at_)) || byte(at_) == '/') ++at_;
      if (byte(at_) == '>') return go_behind(at_);
      if (begin == at_ || !attribute(begin)) return false;
    }
  }

  // Reads an attribute with the blanks before it. Returns false if it is malformed.
  bool attribute(std::size_t begin) {
    const std::size_t name_end = html_.find_first_of(std::string_view("= \t\n\r\f/><\"'\0", 12), at_);
    if (name_end == std::string_view::npos || name_end == at_) return false;
    const LowerName name(html_.substr(at_, name_end - at_));
    if (std::string_view("<\"'\0", 4).find(html_[name_end]) != std::string_view::npos) return false;
    at_ = name_end;
    std::size_t next = at_;
    while (is_blank(byte(next))) ++next;
    std::string_view value;
    bool is_quoted = false;
    if (byte(next) == '=') {
      ++next;
      while (is_blank(byte(next))) ++next;
      const char quote = byte(next);
      is_quoted = quote == '"' || quote == '\'';
      if (is_quoted) {
        const std::size_t last = html_.find(quote, next + 1);
        if (last == std::string_view::npos) return false;
        value = html_.substr(next + 1, last - next - 1);
        at_ = last + 1;
        if (!is_blank(byte(at_)) && byte(at_) != '/' && byte(at_) != '>') return false;
      } else {
        const std::size_t last = html_.find_first_of(std::string_view(" \t\n\r\f><\"'`\0", 11), next);
        if (last == std::string_view::npos || last == next || (!is_blank(html_[last]) && html_[last] != '>')) return false;
        value = html_.substr(next, last - next);
        at_ = last;
      }
    }
    if (!is_pruned_) return true;
    // A slash must not directly follow an unquoted value.
    const std::size_t kept = byte(at_) == '/' && is_blank(html_[begin]) ? 1 : 0;
    if (!name.is_one_of(kReadAttributes)) leave_out(begin + kept, at_);
    else if (is_quoted && name == "style") declarations(value);
    return true;
  }

  // Removes the declarations that are not read. The value is part of the page.
  void declarations(std::string_view value) {
    if (value.find('&') != std::string_view::npos) return;  // a name may contain character references
    const std::size_t first = static_cast<std::size_t>(value.data() - html_.data());
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find(';', at), value.size());
      const std::string_view one = value.substr(at, end - at);
      const std::size_t next = std::min(end + 1, value.size());
      const LowerName name(trim(one.substr(0, one.find(':'))));
      if (!name.is_one_of(kReadProperties)) leave_out(first + at, first + next);
      at = next;
    }
  }

  // Skips an element in which the tokenizer recognizes only the end tag.
  bool raw_text(std::string_view name, bool is_unread) {
    for (std::size_t end = html_.find("</", at_); end != std::string_view::npos; end = html_.find("</", end + 2)) {
      const std::size_t behind = end + 2 + name.size();
      const bool ends = starts_with_ignoring_case(html_.substr(end + 2), name) &&
                        (is_blank(byte(behind)) || byte(behind) == '/' || byte(behind) == '>');
      if (!ends) continue;
      if (is_unread) leave_out(at_, end);
      at_ = end;
      return true;
    }
    return false;
  }

  const std::string_view html_;
  const bool has_runs_;   // the page may use placeholders
  std::size_t from_ = 0;  // the first byte that is neither copied to out_ nor removed
  std::size_t at_ = 0;
  bool is_pruned_ = false;  // of the current tag
};

}  // namespace

PrunedPage::PrunedPage(std::string_view page) {
  Pruner pruner(page);
  pruner.run();
  html_ = std::move(pruner.out_);
  runs_ = std::move(pruner.runs_);
}

std::string_view PrunedPage::original_text(std::string_view pruned_text, std::string& buffer) const {
  if (runs_.empty()) return pruned_text;
  buffer.clear();
  for (;;) {
    const std::size_t at = pruned_text.find(kPlane);
    buffer += pruned_text.substr(0, at);
    if (at == std::string_view::npos) return buffer;
    std::size_t behind = at;
    const auto run = static_cast<std::size_t>(utf8::next(pruned_text, behind) - kFirstRun);
    if (run < runs_.size()) buffer += runs_[run];
    pruned_text.remove_prefix(behind);
  }
}

bool is_read_property(std::string_view name) { return std::ranges::find(kReadProperties, name) != kReadProperties.end(); }

}  // namespace ladder::imports::html
