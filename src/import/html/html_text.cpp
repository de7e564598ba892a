// Walks the page's tree. The writer collapses white space as a browser does; hidden elements are skipped.
#include "import/html/html_text.h"

#include "import/charset/encoding.h"
#include "import/charset/read_text.h"
#include "import/html/html_tree.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxLinks = 10'000;
constexpr std::size_t kMaxPageBytes = 16 * limits::kMiB;  // a hostile page of that size takes about ten seconds
constexpr std::size_t kMetaBytes = 4096;                  // where a <meta charset> is looked for
constexpr std::size_t kMaxIndent = 16;                    // nested lists

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Matches blanks and invisible characters; newsletters use them to fill the preview text.
std::string_view invisible_at(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kInvisible = {"\xC2\xA0",     "\xC2\xAD",     "\xCD\x8F",     "\xE2\x80\x8B",
                                                                  "\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\x8E", "\xE2\x80\x8F",
                                                                  "\xE2\x81\xA0", "\xEF\xBB\xBF", "\xE2\x80\x87", "\xE2\x80\x89"};
  for (const std::string_view one : kInvisible) {
    if (text.starts_with(one)) return one;
  }
  return text.substr(0, !text.empty() && is_space(text.front()) ? 1 : 0);
}

bool is_invisible(std::string_view text) {
  for (std::string_view one = invisible_at(text); !one.empty(); one = invisible_at(text)) text.remove_prefix(one.size());
  return text.empty();
}

// Removes leading and trailing blank lines, and reduces others to one empty line in a row.
std::string without_blank_lines(std::string_view text) {
  std::string out;
  bool is_parted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (is_invisible(line)) {
      is_parted = true;
      continue;
    }
    while (is_space(line.back())) line.remove_suffix(1);
    if (!out.empty()) out += is_parted ? "\n\n" : "\n";
    is_parted = false;
    out += line;
  }
  return out;
}

// Writes text as a browser shows it: white space collapses to one space, blocks start on a new line, cells are separated by
// tabs.
class PageWriter {
 public:
  void space() { wants_space_ = true; }
  void line() { line_ends_ = std::max(line_ends_, 1); }
  void line_break() { line_ends_ = std::min(line_ends_ + 1, 2); }
  void paragraph() { line_ends_ = 2; }
  void cell() { ++cells_; }
  void mark(std::string_view text) {  // "- ": the following text continues on the same line
    if (is_bare_) out_ += '\n';
    settle();
    out_ += text;
    is_bare_ = true;
  }
  void text(std::string_view piece) {
    settle();
    out_ += piece;
    is_bare_ = false;
  }
  std::string take() { return without_blank_lines(out_); }

 private:
  void settle() {
    if (line_ends_ > 0 && !is_bare_) {
      if (!out_.empty()) out_.append(static_cast<std::size_t>(line_ends_), '\n');
    } else if (cells_ > 0 && !is_bare_ && !out_.empty() && out_.back() != '\n') {
      out_.append(cells_, '\t');
    } else if (wants_space_ && !is_bare_ && !out_.empty() && !is_space(out_.back())) {
      out_ += ' ';
    }
    line_ends_ = 0;
    cells_ = 0;
    wants_space_ = false;
  }

  std::string out_;
  int line_ends_ = 0;
  std::size_t cells_ = 0;  // cells that ended since the last text
  bool wants_space_ = false;
  bool is_bare_ = false;  // the line contains only a list mark
};

std::string charset_in_meta(std::string_view html) {
  const std::string start = lower_ascii(html.substr(0, kMetaBytes));
  for (std::size_t at = start.find("<meta"); at != std::string::npos; at = start.find("<meta", at + 5)) {
    const std::string_view tag = std::string_view(start).substr(at, start.find('>', at) - at);
    const std::size_t found = tag.find("charset=");
    if (found == std::string_view::npos) continue;
    std::string_view value = tag.substr(found + 8);
    while (!value.empty() && (value.front() == '"' || value.front() == '\'' || is_space(value.front()))) value.remove_prefix(1);
    const std::string name(value.substr(0, value.find_first_of("\"'; />\n\t")));
    // The meta tag was readable as ASCII, so the encoding cannot be UTF-16 or UTF-32.
    return name.starts_with("utf-16") || name.starts_with("utf-32") || name.starts_with("ucs") ? "utf-8" : name;
  }
  return {};
}

std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view() : std::string_view(found->value);
}

bool is_zero(std::string_view length) {
  double value = 1;
  std::from_chars(length.data(), length.data() + length.size(), value);
  return value == 0;
}

// The style declarations that control visibility (see is_read_property()).
struct Style {
  std::string display, visibility, opacity, overflow, max_height, height, font_size;

  explicit Style(std::string_view style) {
    for (std::size_t at = 0; at < style.size();) {
      const std::size_t end = std::min(style.find(';', at), style.size());
      const std::string_view one = style.substr(at, end - at);
      at = end + 1;
      const std::size_t colon = one.find(':');
      if (colon == std::string_view::npos) continue;
      if (std::string* const property = named(lower_ascii(trim(one.substr(0, colon)))))
        *property = value_of(one.substr(colon + 1));
    }
  }

  // Hidden by its own style, like the preview text of newsletters.
  bool is_hidden() const {
    if (display == "none" || visibility == "hidden" || is_zero(opacity)) return true;
    return overflow == "hidden" && (is_zero(max_height) || is_zero(height));
  }

 private:
  std::string* named(std::string_view name) {
    if (name == "display") return &display;
    if (name == "visibility") return &visibility;
    if (name == "opacity") return &opacity;
    if (name == "overflow") return &overflow;
    if (name == "max-height") return &max_height;
    if (name == "height") return &height;
    return name == "font-size" ? &font_size : nullptr;
  }

  // Returns the value in lower case without blanks.
  static std::string value_of(std::string_view written) {
    std::string value = lower_ascii(written);
    std::erase_if(value, is_space);
    if (const std::size_t important = value.find("!important"); important != std::string::npos) value.resize(important);
    return value;
  }
};

bool is_hidden(const GumboElement& element) {
  if (gumbo_get_attribute(&element.attributes, "hidden") != nullptr) return true;
  const std::string_view style = attribute(element, "style");
  return !style.empty() && Style(style).is_hidden();
}

// Text directly in an element with font size zero is invisible. Nested elements may get a size from a style sheet, as the cells
// of newsletters do, so their text is read.
bool has_zero_letters(const GumboNode& text) {
  if (text.parent == nullptr || text.parent->type != GUMBO_NODE_ELEMENT) return false;
  const std::string_view style = attribute(text.parent->v.element, "style");
  return !style.empty() && is_zero(Style(style).font_size);
}

// Elements whose content is not part of the page's text.
bool is_skipped(GumboTag tag) {
  return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_NOSCRIPT || tag == GUMBO_TAG_TEMPLATE ||
         tag == GUMBO_TAG_SVG || tag == GUMBO_TAG_TITLE || tag == GUMBO_TAG_IFRAME || tag == GUMBO_TAG_NOFRAMES;
}

bool begins_paragraph(GumboTag tag) {
  constexpr std::array kTags = {GUMBO_TAG_P,  GUMBO_TAG_H1, GUMBO_TAG_H2,         GUMBO_TAG_H3,   GUMBO_TAG_H4,
                                GUMBO_TAG_H5, GUMBO_TAG_H6, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_TABLE};
  return std::ranges::find(kTags, tag) != kTags.end();
}

bool begins_line(GumboTag tag) {
  constexpr std::array kTags = {GUMBO_TAG_ADDRESS,  GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE,      GUMBO_TAG_BODY,   GUMBO_TAG_CENTER,
                                GUMBO_TAG_DD,       GUMBO_TAG_DETAILS, GUMBO_TAG_DIV,        GUMBO_TAG_DL,     GUMBO_TAG_DT,
                                GUMBO_TAG_FIELDSET, GUMBO_TAG_FIGURE,  GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FOOTER, GUMBO_TAG_FORM,
                                GUMBO_TAG_HEADER,   GUMBO_TAG_HR,      GUMBO_TAG_HTML,       GUMBO_TAG_LI,     GUMBO_TAG_MAIN,
                                GUMBO_TAG_NAV,      GUMBO_TAG_OL,      GUMBO_TAG_OPTION,     GUMBO_TAG_PRE,    GUMBO_TAG_SECTION,
                                GUMBO_TAG_CAPTION,  GUMBO_TAG_SUMMARY, GUMBO_TAG_TR,         GUMBO_TAG_UL};
  return std::ranges::find(kTags, tag) != kTags.end();
}

// Reads the trees of a page one after another. The walk is iterative, because a tree may be deeper than the stack.
class Page {
 public:
  void read(const GumboNode& root, const html::PrunedPage& pruned) {
    pruned_ = &pruned;
    const GumboNode* node = &root;
    for (bool enters = true; node != nullptr;) {
      const GumboVector* children = children_of(*node);
      const bool is_read = !enters || begin(*node);
      if (enters && is_read && children != nullptr && children->length > 0) {
        node = child(*children, 0);
        continue;
      }
      if (is_read) end(*node);
      if (node == &root) return;
      const GumboVector* siblings = children_of(*node->parent);
      const std::size_t next = node->index_within_parent + 1;
      enters = next < siblings->length;
      node = enters ? child(*siblings, static_cast<unsigned>(next)) : node->parent;
    }
  }

  HtmlText take() {
    found_.text = out_.take();
    return std::move(found_);
  }

 private:
  static const GumboVector* children_of(const GumboNode& node) {
    if (node.type == GUMBO_NODE_DOCUMENT) return &node.v.document.children;
    return node.type == GUMBO_NODE_ELEMENT ? &node.v.element.children : nullptr;
  }
  static const GumboNode* child(const GumboVector& children, unsigned index) {
    return static_cast<const GumboNode*>(children.data[index]);
  }

  // Returns true if the node's children must be read.
  bool begin(const GumboNode& node) {
    const bool is_text = node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_CDATA;
    if (is_text && !has_zero_letters(node)) text(pruned_->original_text(node.v.text.text, whole_text_));
    if (node.type == GUMBO_NODE_WHITESPACE) text(node.v.text.text);
    if (node.type == GUMBO_NODE_DOCUMENT) return true;
    if (node.type != GUMBO_NODE_ELEMENT) return false;
    const GumboElement& element = node.v.element;
    if (element.tag == GUMBO_TAG_TITLE) title(element);
    if (is_skipped(element.tag) || is_hidden(element)) return false;
    if (begins_paragraph(element.tag)) out_.paragraph();
    else if (begins_line(element.tag)) out_.line();
    switch (element.tag) {
      case GUMBO_TAG_BR:
        out_.line_break();
        break;
      case GUMBO_TAG_IMG:
        picture(element);
        break;
      case GUMBO_TAG_A:
        link(std::string(trim(attribute(element, "href"))));
        break;
      case GUMBO_TAG_PRE:
        ++in_pre_;
        break;
      case GUMBO_TAG_OL:
        lists_.push_back(first_number(element));
        break;
      case GUMBO_TAG_UL:
        lists_.push_back(kNoNumber);
        break;
      case GUMBO_TAG_LI:
        item();
        break;
      default:
        break;
    }
    return true;
  }

  // Called for nodes for which begin() returned true.
  void end(const GumboNode& node) {
    if (node.type != GUMBO_NODE_ELEMENT) return;
    const GumboElement& element = node.v.element;
    if (begins_paragraph(element.tag)) out_.paragraph();
    else if (begins_line(element.tag)) out_.line();
    if (element.tag == GUMBO_TAG_TD || element.tag == GUMBO_TAG_TH) out_.cell();
    if (element.tag == GUMBO_TAG_PRE) --in_pre_;
    if ((element.tag == GUMBO_TAG_OL || element.tag == GUMBO_TAG_UL) && !lists_.empty()) lists_.pop_back();
  }

  static constexpr int kNoNumber = -1;
  static int first_number(const GumboElement& list) {
    const std::string_view start = attribute(list, "start");
    int number = 1;
    std::from_chars(start.data(), start.data() + start.size(), number);
    return std::clamp(number, 0, 1'000'000);
  }
  void item() {
    const std::size_t depth = lists_.empty() ? 0 : std::min(lists_.size() - 1, kMaxIndent);
    std::string mark(2 * depth, ' ');
    mark += lists_.empty() || lists_.back() == kNoNumber ? "- " : std::to_string(lists_.back()++) + ". ";
    out_.mark(mark);
  }

  void title(const GumboElement& element) {
    if (!found_.title.empty()) return;
    std::string text;
    for (unsigned i = 0; i < element.children.length; ++i) {
      const GumboNode* node = child(element.children, i);
      if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) text += node->v.text.text;
    }
    std::ranges::replace_if(text, is_space, ' ');
    found_.title = trim(text);
  }

  void picture(const GumboElement& element) {
    const std::string_view alt = trim(attribute(element, "alt"));
    if (alt.empty()) return;
    out_.space();  // an image separates the words around it
    text(alt);
    out_.space();
  }

  void link(std::string href) {
    const bool known = starts_with_ignoring_case(href, "http://") || starts_with_ignoring_case(href, "https://") ||
                       starts_with_ignoring_case(href, "mailto:");
    if (known && found_.links.size() < kMaxLinks && seen_.insert(href).second) found_.links.push_back(std::move(href));
  }

  void text(std::string_view piece) {
    if (in_pre_ > 0) {
      if (!piece.empty()) out_.text(piece);
      return;
    }
    while (!piece.empty()) {
      const std::size_t blank = std::min(piece.find_first_of(" \t\n\r\f"), piece.size());
      if (blank > 0) out_.text(piece.substr(0, blank));
      piece.remove_prefix(blank);
      const std::size_t next = std::min(piece.find_first_not_of(" \t\n\r\f"), piece.size());
      if (next > 0) out_.space();
      piece.remove_prefix(next);
    }
  }

  const html::PrunedPage* pruned_ = nullptr;  // of the current tree
  std::string whole_text_;
  HtmlText found_;
  PageWriter out_;
  std::unordered_set<std::string> seen_;
  std::vector<int> lists_;  // the next item number of each open list
  int in_pre_ = 0;
};

}  // namespace

std::string html_charset(std::string_view html, std::string_view header) {
  std::string said = lower_ascii(trim(header));
  const bool names_one = !said.empty() && said != "us-ascii" && said != "ascii" && charset::find_encoding(said) != nullptr;
  if (names_one) return said;
  std::string inside = charset_in_meta(html);
  return inside.empty() ? said : inside;
}

HtmlText html_to_text(std::string_view html, std::string_view charset) {
  ReadText read = read_text(html, html_charset(html, charset));
  const std::string_view text = std::string_view(read.text).substr(0, kMaxPageBytes);
  Page page;
  html::each_tree(text, [&](const GumboNode& root, const html::PrunedPage& pruned) { page.read(root, pruned); });
  HtmlText found = page.take();
  found.is_cut = text.size() < read.text.size();
  found.guessed = std::move(read.guessed);
  // The page may have been truncated inside a character.
  if (found.is_cut) found.text = replace_invalid(found.text);
  return found;
}

}  // namespace ladder::imports
