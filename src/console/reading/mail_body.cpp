#include "console/reading/mail_body.h"

#include "pages/page.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

using html::Markup;
using html::Text;
using html::Writer;

constexpr std::size_t kIntroductionLines = 3, kIntroductionBytes = 300;
constexpr std::size_t kSignatureLines = 20, kSignatureBytes = 2'000;
constexpr std::size_t kHeaderLines = 3, kMaxHeaderLines = 12;
constexpr std::size_t kShownLevels = 4;  // deeper quotes look like this level
constexpr std::size_t kHeaderNameBytes = 24;

using Lines = std::vector<std::string_view>;  // each with its line feed

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::size_t bytes = feed == std::string_view::npos ? text.size() : feed + 1;
    lines.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return lines;
}

std::string_view bare(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = line.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view() : line.substr(first, line.find_last_not_of(kSpace) + 1 - first);
}

bool is_blank(std::string_view line) { return bare(line).empty(); }
bool is_quoted(std::string_view line) { return bare(line).starts_with('>'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The quote marks at the start of a line, with the space after each.
std::string_view marks_of(std::string_view line) {
  std::size_t at = 0;
  for (std::size_t next = line.find_first_not_of(' '); next != std::string_view::npos && line[next] == '>';
       next = line.find_first_not_of(' ', at)) {
    at = next + 1;
  }
  if (at > 0 && at < line.size() && line[at] == ' ') ++at;
  return line.substr(0, at);
}

std::size_t level_of(std::string_view line) {
  return std::min<std::size_t>(static_cast<std::size_t>(std::ranges::count(marks_of(line), '>')), kShownLevels);
}

// "On Sunday, November 15, at 7:22 PM, Nora <nora@example.org> wrote:", in any language.
bool introduces(std::string_view line) {
  const std::string_view words = bare(line);
  return words.ends_with(':') && words.size() <= kIntroductionBytes;
}

bool names_address_and_date(std::string_view line) {
  return introduces(line) && line.find('@') != std::string_view::npos && std::ranges::count_if(line, is_digit) >= 4;
}

// "-----Original Message-----"
bool is_divider(std::string_view line) {
  const std::string_view words = bare(line);
  return words.size() >= 12 && words.starts_with("----") && words.ends_with("----") &&
         words.find_first_not_of('-') != std::string_view::npos;
}

// "From: Nora <nora@example.org>", also "*Von:* …".
bool is_header(std::string_view line) {
  const std::string_view words = bare(line);
  const std::size_t colon = words.find(':');
  return colon != std::string_view::npos && colon > 0 && colon <= kHeaderNameBytes && colon + 2 < words.size() &&
         words.find_first_of("0123456789@<>/.,;!?") > colon;
}

// Returns whether the header of a quoted message begins here: lines with a name, one with an address and one with a date.
bool begins_message(const Lines& lines, std::size_t at) {
  std::size_t end = at;
  bool address = false, date = false;
  for (; end < lines.size() && end - at < kMaxHeaderLines && is_header(lines[end]); ++end) {
    address = address || lines[end].find('@') != std::string_view::npos;
    date = date || std::ranges::count_if(lines[end], is_digit) >= 4;
  }
  return end - at >= kHeaderLines && address && date;
}

// The first line of the introduction of a quote that begins at line `quote`.
std::size_t introduction(const Lines& lines, std::size_t from, std::size_t quote) {
  std::size_t last = quote;
  while (last > from && is_blank(lines[last - 1])) --last;
  if (last == from || quote - last > 1 || !introduces(lines[last - 1])) return quote;
  std::size_t first = last - 1;
  while (first > from && !is_blank(lines[first - 1]) && last - first <= kIntroductionLines) --first;
  // A longer paragraph that ends with a colon is text; only its last line can introduce the quote.
  if (last - first > kIntroductionLines) first = last - 1;
  const auto has_digit = [](std::string_view line) { return std::ranges::any_of(line, is_digit); };
  return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.begin() + static_cast<std::ptrdiff_t>(last),
                     has_digit)
             ? first
             : last - 1;
}

class Divider {
 public:
  explicit Divider(std::string_view text) : text_(text), lines_(lines_of(text)) {}

  std::vector<BodyPart> divide() {
    for (std::size_t i = 0; i < lines_.size();) {
      if (is_quoted(lines_[i])) {
        end_text(introduction(lines_, begun_, i));
        i = end_of_quote(i);
        end(BodyKind::kQuote, i);
      } else if (quotes_the_rest(i)) {
        end_text(i);
        i = lines_.size();
        end(BodyKind::kQuote, i);
      } else {
        has_text_ = has_text_ || !is_blank(lines_[i]);
        ++i;
      }
    }
    end_text(lines_.size());
    return std::move(parts_);
  }

 private:
  std::size_t end_of_quote(std::size_t at) const {
    std::size_t end = at;
    for (; at < lines_.size() && (is_quoted(lines_[at]) || is_blank(lines_[at])); ++at) {
      if (is_quoted(lines_[at])) end = at + 1;
    }
    return end;
  }

  bool quotes_the_rest(std::size_t at) const {
    if (!has_text_ || at + 1 >= lines_.size()) return false;
    const bool after_gap = is_blank(lines_[at - 1]) || bare(lines_[at - 1]).find_first_not_of("_-*") == std::string_view::npos;
    return is_divider(lines_[at]) || (names_address_and_date(lines_[at]) && after_gap) ||
           (after_gap && begins_message(lines_, at));
  }

  // Ends the text, and the signature in it if there is one.
  void end_text(std::size_t upto) {
    for (std::size_t i = begun_; i < upto; ++i) {
      if (bare(lines_[i]) != "--") continue;
      const bool is_short = upto - i <= kSignatureLines && bytes_between(i, upto) <= kSignatureBytes;
      if (!is_short || i + 1 == upto) continue;
      end(BodyKind::kText, i);
      return end(BodyKind::kSignature, upto);
    }
    end(BodyKind::kText, upto);
  }

  std::size_t bytes_between(std::size_t from, std::size_t to) const {
    return to <= from ? 0 : static_cast<std::size_t>(lines_[to - 1].data() + lines_[to - 1].size() - lines_[from].data());
  }

  void end(BodyKind kind, std::size_t upto) {
    if (upto <= begun_) return;
    const auto start = static_cast<std::size_t>(lines_[begun_].data() - text_.data());
    parts_.push_back({kind, text_.substr(start, bytes_between(begun_, upto))});
    begun_ = upto;
  }

  std::string_view text_;
  Lines lines_;
  std::size_t begun_ = 0;  // the first line that is in no part yet
  bool has_text_ = false;
  std::vector<BodyPart> parts_;
};

bool is_blank_part(const BodyPart& part) { return is_blank(part.text); }

// Writes text without showing the blank lines around it.
Writer trimmed(std::string_view text, Matches::In& matches) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::size_t end = last == std::string_view::npos ? 0 : last + 1;
  const std::size_t feed = text.substr(0, text.find_first_not_of(" \t\r\n")).rfind('\n');
  const std::size_t begin = std::min(feed == std::string_view::npos ? 0 : feed + 1, end);
  Writer out;
  out << Markup("<span class=\"gone\">") << matches.part(text.substr(0, begin)) << Markup("</span>")
      << matches.part(text.substr(begin, end - begin)) << Markup("<span class=\"gone\">") << matches.part(text.substr(end))
      << Markup("</span>");
  return out;
}

// The lines of a quote. The quote marks stay in the document, hidden.
Writer levels(std::string_view text, Matches::In& matches) {
  Writer out;
  std::size_t open = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view marks = marks_of(line);
    const std::size_t level = level_of(line);
    if (!is_blank(line)) {
      for (; open < level; ++open) out << Markup("<blockquote>");
      for (; open > level; --open) out << Markup("</blockquote>");
    }
    if (!marks.empty()) out << Markup("<span class=\"gone\">") << matches.part(marks) << Markup("</span>");
    out << matches.part(line.substr(marks.size()));
  }
  for (; open > 0; --open) out << Markup("</blockquote>");
  return out;
}

Writer fold(Markup look, Markup what, std::int64_t found, bool is_open, const Writer& content) {
  Writer out;
  out << Markup("<details class=\"") << look << (is_open ? Markup("\" open>") : Markup("\">"))
      << Markup("<summary><span><span class=\"w-closed\">Show</span><span class=\"w-open\">Hide</span> ") << what
      << Markup("</span>");
  if (found > 0) {
    out << Markup(" <span class=\"badge badge-warn\">") << pages::plural(found, "match", "matches") << Markup("</span>");
  }
  out << Markup("</summary><div class=\"body\" dir=\"auto\" data-part>") << content << Markup("</div></details>");
  return out;
}

}  // namespace

std::vector<BodyPart> body_parts(std::string_view text) { return Divider(text).divide(); }

Writer mail_body(std::string_view text, Matches::In& matches) {
  const std::vector<BodyPart> parts = body_parts(text);
  const auto last_text = std::find_if(parts.rbegin(), parts.rend(), [](const BodyPart& part) {
                           return part.kind == BodyKind::kText && !is_blank_part(part);
                         }).base();  // after it, everything is folded
  const bool only_quotes = last_text == parts.begin();
  Writer out;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part->kind == BodyKind::kSignature) {
      out << fold("sig", "signature", matches.count(part->text), false, trimmed(part->text, matches));
    } else if (part->kind == BodyKind::kQuote && part >= last_text) {
      out << fold("quoted", "quoted text", matches.count(part->text), only_quotes, levels(part->text, matches));
    } else if (part->kind == BodyKind::kQuote) {
      out << Markup("<div class=\"body quote\" dir=\"auto\" data-part>") << levels(part->text, matches) << Markup("</div>");
    } else if (is_blank_part(*part)) {
      out << Markup("<span class=\"gone\" data-part>") << matches.part(part->text) << Markup("</span>");
    } else {
      out << Markup("<div class=\"body\" dir=\"auto\" data-part>") << trimmed(part->text, matches) << Markup("</div>");
    }
  }
  return out;
}

}  // namespace ladder::console
