// One pass over the markup: tags are cut out by a small tokenizer, and a writer keeps white space as a page would show it.
#include "import/html_text.h"

#include "base/utf8.h"
#include "import/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxLinks = 10'000;
constexpr std::size_t kMaxAttributeBytes = 8 * 1024;
constexpr std::size_t kMetaBytes = 4096;  // how far a <meta charset> is looked for

struct Named {
  std::string_view name;
  char32_t code_point;
};
// The entities that text really uses; others stay as they are written. Sorted.
constexpr std::array kEntities = {
    Named{"AElig", 0xC6},   Named{"Aacute", 0xC1},   Named{"Agrave", 0xC0},  Named{"Aring", 0xC5},   Named{"Auml", 0xC4},
    Named{"Ccedil", 0xC7},  Named{"Eacute", 0xC9},   Named{"Egrave", 0xC8},  Named{"Ntilde", 0xD1},  Named{"Oslash", 0xD8},
    Named{"Ouml", 0xD6},    Named{"Uuml", 0xDC},     Named{"aacute", 0xE1},  Named{"acirc", 0xE2},   Named{"aelig", 0xE6},
    Named{"agrave", 0xE0},  Named{"amp", '&'},       Named{"apos", '\''},    Named{"aring", 0xE5},   Named{"auml", 0xE4},
    Named{"bull", 0x2022},  Named{"ccedil", 0xE7},   Named{"cent", 0xA2},    Named{"copy", 0xA9},    Named{"deg", 0xB0},
    Named{"eacute", 0xE9},  Named{"ecirc", 0xEA},    Named{"egrave", 0xE8},  Named{"emsp", 0x2003},  Named{"ensp", 0x2002},
    Named{"euml", 0xEB},    Named{"euro", 0x20AC},   Named{"frac12", 0xBD},  Named{"gt", '>'},       Named{"hellip", 0x2026},
    Named{"iacute", 0xED},  Named{"icirc", 0xEE},    Named{"iuml", 0xEF},    Named{"laquo", 0xAB},   Named{"ldquo", 0x201C},
    Named{"lsquo", 0x2018}, Named{"lt", '<'},        Named{"mdash", 0x2014}, Named{"middot", 0xB7},  Named{"nbsp", 0xA0},
    Named{"ndash", 0x2013}, Named{"ntilde", 0xF1},   Named{"oacute", 0xF3},  Named{"ocirc", 0xF4},   Named{"oslash", 0xF8},
    Named{"ouml", 0xF6},    Named{"para", 0xB6},     Named{"pound", 0xA3},   Named{"quot", '"'},     Named{"raquo", 0xBB},
    Named{"rdquo", 0x201D}, Named{"reg", 0xAE},      Named{"rsquo", 0x2019}, Named{"sect", 0xA7},    Named{"shy", 0xAD},
    Named{"szlig", 0xDF},   Named{"thinsp", 0x2009}, Named{"times", 0xD7},   Named{"trade", 0x2122}, Named{"uacute", 0xFA},
    Named{"ucirc", 0xFB},   Named{"ugrave", 0xF9},   Named{"uuml", 0xFC},    Named{"yen", 0xA5},     Named{"zwj", 0x200D},
    Named{"zwnj", 0x200C},
};

constexpr std::array<std::string_view, 32> kBlocks = {
    "address", "article", "aside", "blockquote", "body", "center", "dd",      "div",   "dl", "dt",     "fieldset",
    "figure",  "footer",  "form",  "h1",         "h2",   "h3",     "h4",      "h5",    "h6", "header", "hr",
    "html",    "main",    "nav",   "ol",         "p",    "pre",    "section", "table", "tr", "ul"};
constexpr std::array<std::string_view, 9> kParagraphs = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table"};
constexpr std::array<std::string_view, 6> kHidden = {"script", "style", "noscript", "template", "svg", "head"};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The entity at `at` (an ampersand), and how long it is; 0 when it is none.
std::pair<char32_t, std::size_t> entity(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1, 32);
  if (rest.starts_with('#')) {
    const bool hex = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
    std::size_t i = hex ? 2 : 1;
    const std::size_t first = i;
    std::uint32_t value = 0;
    for (; i < rest.size() && value <= 0x10FFFF; ++i) {
      const char c = rest[i];
      const int digit = c >= '0' && c <= '9'          ? c - '0'
                        : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                      : -1;
      if (digit < 0) break;
      value = value * (hex ? 16 : 10) + static_cast<std::uint32_t>(digit);
    }
    if (i == first) return {0, 0};
    if (i < rest.size() && rest[i] == ';') ++i;
    return {value == 0 ? utf8::kReplacement : static_cast<char32_t>(value), i + 1};
  }
  std::size_t end = 0;
  while (end < rest.size() && (is_letter(rest[end]) || (rest[end] >= '0' && rest[end] <= '9'))) ++end;
  const auto found = std::ranges::lower_bound(kEntities, rest.substr(0, end), std::less<>{}, &Named::name);
  if (found == kEntities.end() || found->name != rest.substr(0, end)) return {0, 0};
  return {found->code_point, end + 1 + (end < rest.size() && rest[end] == ';' ? 1 : 0)};
}

std::string decode_entities(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code_point, length] = text[at] == '&' ? entity(text, at) : std::pair<char32_t, std::size_t>{0, 0};
    if (length == 0) {
      plain += text[at++];
    } else {
      utf8::append(plain, code_point);
      at += length;
    }
  }
  return plain;
}

// Writes text as a page shows it: runs of white space are one space, blocks begin on a line of their own.
class PageWriter {
 public:
  void space() { wants_space_ = true; }
  void line() { line_ends_ = std::max(line_ends_, 1); }
  void paragraph() { line_ends_ = 2; }
  void mark(std::string_view text) {  // "- ": no space around it
    settle();
    out_ += text;
    wants_space_ = false;
    bare_ = true;
  }
  void cell() {  // the end of one
    settle();
    out_ += '\t';
  }
  void text(std::string_view piece) {
    settle();
    out_ += piece;
    bare_ = false;
  }
  std::string take() {
    while (!out_.empty() && (is_space(out_.back()))) out_.pop_back();
    return std::move(out_);
  }

 private:
  void settle() {
    if (line_ends_ > 0 && !out_.empty() && !bare_) {
      while (!out_.empty() && (out_.back() == ' ' || out_.back() == '\t')) out_.pop_back();
      out_.append(static_cast<std::size_t>(line_ends_), '\n');
    } else if (wants_space_ && !out_.empty() && !is_space(out_.back())) {
      out_ += ' ';
    }
    line_ends_ = 0;
    wants_space_ = false;
  }

  std::string out_;
  int line_ends_ = 0;
  bool wants_space_ = false;
  bool bare_ = false;  // only a mark since the line began
};

struct Tag {
  std::string name;  // lower case
  bool closing = false;
  std::string_view attributes;
  std::size_t end = 0;  // behind its ">"
};

// Quotes inside a tag hide ">".
std::size_t end_of_tag(std::string_view html, std::size_t at) {
  for (char quote = 0; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '>') {
      return at;
    } else if ((c == '"' || c == '\'') && html[at - 1] == '=') {
      // A quote that is never closed hides nothing.
      if (html.substr(at + 1, kMaxAttributeBytes).find(c) != std::string_view::npos) quote = c;
    }
  }
  return html.size();
}

std::optional<Tag> tag_at(std::string_view html, std::size_t at) {
  Tag tag;
  std::size_t i = at + 1;
  tag.closing = i < html.size() && html[i] == '/';
  if (tag.closing) ++i;
  if (i >= html.size() || !is_letter(html[i])) return std::nullopt;
  const std::size_t begin = i;
  while (i < html.size() && html[i] != '>' && html[i] != '/' && !is_space(html[i]) && i - begin < 32) ++i;
  tag.name = lower_ascii(html.substr(begin, i - begin));
  const std::size_t close = end_of_tag(html, i);
  tag.attributes = html.substr(i, close - i);
  tag.end = std::min(close + 1, html.size());
  return tag;
}

// The value of an attribute, entities resolved; "" when it is not there.
std::string attribute(std::string_view attributes, std::string_view name) {
  for (std::size_t at = 0; at < attributes.size();) {
    while (at < attributes.size() && (is_space(attributes[at]) || attributes[at] == '/')) ++at;
    const std::size_t begin = at;
    while (at < attributes.size() && !is_space(attributes[at]) && attributes[at] != '=') ++at;
    const std::string found = lower_ascii(attributes.substr(begin, std::min<std::size_t>(at - begin, 64)));
    while (at < attributes.size() && is_space(attributes[at])) ++at;
    std::string_view value;
    if (at < attributes.size() && attributes[at] == '=') {
      ++at;
      while (at < attributes.size() && is_space(attributes[at])) ++at;
      const char quote = at < attributes.size() && (attributes[at] == '"' || attributes[at] == '\'') ? attributes[at] : '\0';
      if (quote != 0) ++at;
      const std::size_t value_begin = at;
      while (at < attributes.size() && (quote != 0 ? attributes[at] != quote : !is_space(attributes[at]))) ++at;
      value = attributes.substr(value_begin, at - value_begin);
      if (quote != 0 && at < attributes.size()) ++at;
    }
    if (found == name) return decode_entities(value.substr(0, kMaxAttributeBytes));
    if (at == begin) ++at;
  }
  return {};
}

// Where the text goes on after an element whose content nobody reads.
std::size_t after_hidden(std::string_view html, std::size_t at, std::string_view name) {
  for (std::size_t open = html.find("</", at); open != std::string_view::npos; open = html.find("</", open + 2)) {
    if (!starts_with_ignoring_case(html.substr(open + 2, name.size()), name)) continue;
    const std::size_t close = html.find('>', open);
    return close == std::string_view::npos ? html.size() : close + 1;
  }
  return html.size();
}

std::string charset_in_meta(std::string_view html) {
  const std::string start = lower_ascii(html.substr(0, kMetaBytes));
  for (std::size_t at = start.find("<meta"); at != std::string::npos; at = start.find("<meta", at + 5)) {
    const std::string_view tag = std::string_view(start).substr(at, start.find('>', at) - at);
    const std::size_t found = tag.find("charset=");
    if (found == std::string_view::npos) continue;
    std::string_view value = tag.substr(found + 8);
    while (!value.empty() && (value.front() == '"' || value.front() == '\'' || is_space(value.front()))) value.remove_prefix(1);
    const std::string name(value.substr(0, value.find_first_of("\"'; />\n\t")));
    // Whoever could read this far reads one byte a letter.
    return name.starts_with("utf-16") || name.starts_with("utf-32") || name.starts_with("ucs") ? "utf-8" : name;
  }
  return {};
}

class Page {
 public:
  explicit Page(std::string_view html) : html_(html) {}

  HtmlText read() {
    for (std::size_t at = 0; at < html_.size();) at = html_[at] == '<' ? markup(at) : text(at);
    found_.text = out_.take();
    return std::move(found_);
  }

 private:
  std::size_t markup(std::size_t at) {
    if (html_.substr(at, 4) == "<!--") {
      const std::size_t end = html_.find("-->", at + 4);
      return end == std::string_view::npos ? html_.size() : end + 3;
    }
    if (at + 1 < html_.size() && (html_[at + 1] == '!' || html_[at + 1] == '?')) {
      const std::size_t end = html_.find('>', at);
      return end == std::string_view::npos ? html_.size() : end + 1;
    }
    const std::optional<Tag> tag = tag_at(html_, at);
    if (!tag) {
      out_.text("<");
      return at + 1;
    }
    return element(*tag);
  }

  std::size_t element(const Tag& tag) {
    if (tag.name == "title" && !tag.closing && found_.title.empty()) {
      const std::size_t end = std::min(html_.find("</", tag.end), html_.size());
      std::string title = decode_entities(html_.substr(tag.end, end - tag.end));
      std::ranges::replace_if(title, is_space, ' ');
      found_.title = trim(title);
      return end;
    }
    // A head holds the title; its other children hide themselves.
    if (!tag.closing && tag.name != "head" && holds(kHidden, tag.name)) {
      return tag.attributes.ends_with('/') ? tag.end : after_hidden(html_, tag.end, tag.name);
    }
    if (tag.name == "br" || tag.name == "li") {
      out_.line();
      if (tag.name == "li" && !tag.closing) out_.mark("- ");
    } else if (tag.name == "td" || tag.name == "th") {
      if (tag.closing) out_.cell();
    } else if (holds(kParagraphs, tag.name)) {
      out_.paragraph();
    } else if (holds(kBlocks, tag.name)) {
      out_.line();
    } else if (tag.name == "img" && !tag.closing) {
      if (const std::string alt = attribute(tag.attributes, "alt"); !alt.empty()) out_.text(alt);
    } else if (tag.name == "a" && !tag.closing) {
      link(attribute(tag.attributes, "href"));
    }
    if (tag.name == "pre") in_pre_ = !tag.closing;
    return tag.end;
  }

  void link(std::string href) {
    const bool known = starts_with_ignoring_case(href, "http://") || starts_with_ignoring_case(href, "https://") ||
                       starts_with_ignoring_case(href, "mailto:");
    if (known && found_.links.size() < kMaxLinks && seen_.insert(href).second) found_.links.push_back(std::move(href));
  }

  std::size_t text(std::size_t at) {
    if (is_space(html_[at]) && !in_pre_) {
      out_.space();
      while (at < html_.size() && is_space(html_[at])) ++at;
      return at;
    }
    if (html_[at] == '&') {
      if (const auto [code_point, length] = entity(html_, at); length > 0) {
        std::string piece;
        utf8::append(piece, code_point);
        out_.text(piece);
        return at + length;
      }
    }
    std::size_t end = at + 1;
    while (end < html_.size() && html_[end] != '<' && html_[end] != '&' && (in_pre_ || !is_space(html_[end]))) ++end;
    out_.text(html_.substr(at, end - at));
    return end;
  }

  std::string_view html_;
  HtmlText found_;
  PageWriter out_;
  std::unordered_set<std::string> seen_;
  bool in_pre_ = false;
};

}  // namespace

std::string html_charset(std::string_view html, std::string_view header) {
  std::string said = lower_ascii(trim(header));
  if (!said.empty() && said != "us-ascii" && said != "ascii") return said;
  std::string inside = charset_in_meta(html);
  return inside.empty() ? said : inside;
}

HtmlText html_to_text(std::string_view html, std::string_view charset) {
  const std::string text = to_utf8(html, html_charset(html, charset));
  return Page(text).read();
}

}  // namespace ladder::imports
