#include "import/text/markdown.h"

#include "import/text/text.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxFound = 10'000;
constexpr std::size_t kMaxTargetBytes = 2048;

class OnceList {
 public:
  explicit OnceList(std::vector<std::string>& list) : list_(list) {}
  void add(std::string_view text) {
    if (text.empty() || list_.size() >= kMaxFound) return;
    if (seen_.insert(std::string(text)).second) list_.emplace_back(text);
  }

 private:
  std::vector<std::string>& list_;
  std::unordered_set<std::string> seen_;
};

// Letters, digits, "_", "-", "/" and all non-ASCII bytes.
bool is_tag_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      plain += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return replace_invalid(plain);
}

// Finds the closing bracket of a link target. Names may contain pairs of brackets.
std::size_t end_of_target(std::string_view rest) {
  int open = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '(') ++open;
    if (rest[i] == ')' && open-- == 0) return i;
  }
  return rest.find(')');
}

class Reader {
 public:
  MarkdownInfo read(std::string_view text) {
    std::string_view fence;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      const std::string_view content = trim(line.substr(0, 200));
      if (!fence.empty()) {
        if (content.starts_with(fence)) fence = {};
        continue;
      }
      if (content.starts_with("```") || content.starts_with("~~~")) {
        fence = content.substr(0, 3);
        continue;
      }
      if (info_.heading.empty() && line.starts_with("# ")) info_.heading = std::string(trim(line.substr(2, 1000)));
      take_line(line);
    }
    info_.heading = replace_invalid(info_.heading);
    return std::move(info_);
  }

 private:
  void take_line(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      const char c = line[at];
      if (c == '`') {
        const std::size_t close = line.find('`', at + 1);
        at = close == std::string_view::npos ? at + 1 : close + 1;
      } else if (c == '\\') {
        at += 2;
      } else if (c == '[') {
        at = take_link(line, at, at > 0 && line[at - 1] == '!');
      } else if (c == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t')) {
        at = take_tag(line, at);
      } else {
        ++at;
      }
    }
  }

  std::size_t take_tag(std::string_view line, std::size_t at) {
    std::size_t end = at + 1;
    while (end < line.size() && is_tag_byte(line[end])) ++end;
    const std::string_view tag = line.substr(at + 1, end - at - 1);
    const bool number = std::ranges::all_of(tag, [](char c) { return c >= '0' && c <= '9'; });  // "#12" is not a tag
    if (!number && tag.size() <= 200) tags_.add(tag);
    return end;
  }

  // [[target#part|alias]] or [text](target "title").
  std::size_t take_link(std::string_view line, std::size_t at, bool embed) {
    OnceList& list = embed ? embeds_ : links_;
    if (line.substr(at, 2) == "[[") {
      const std::size_t close = line.substr(at, kMaxTargetBytes).find("]]");
      if (close == std::string_view::npos) return at + 2;
      const std::string_view inside = line.substr(at + 2, close - 2);
      std::string_view target = inside.substr(0, inside.find_first_of("|#"));
      if (target.ends_with('\\')) target.remove_suffix(1);  // in a table "|" is escaped as "\|"
      list.add(trim(target));
      return at + close + 2;
    }
    const std::size_t close = line.substr(at, kMaxTargetBytes).find("](");
    if (close == std::string_view::npos) return at + 1;
    // The link text may contain an image, and this bracket may end the image.
    if (line.substr(at + 1, close).find("![") != std::string_view::npos) return at + 1;
    const std::string_view rest = line.substr(at + close + 2, kMaxTargetBytes);
    const std::size_t end = end_of_target(rest);
    if (end == std::string_view::npos) return at + 1;
    std::string_view target = trim(rest.substr(0, end));
    target = target.starts_with('<') ? target.substr(1, target.find('>') - 1) : target.substr(0, target.find(' '));
    list.add(percent_decoded(target));
    return at + close + 2 + end + 1;
  }

  MarkdownInfo info_;
  OnceList tags_{info_.tags}, links_{info_.links}, embeds_{info_.embeds};
};

}  // namespace

MarkdownInfo read_markdown(std::string_view text) { return Reader().read(text); }

namespace {

constexpr std::size_t kMaxBytes = 256 * 1024;
constexpr std::size_t kMaxProperties = 1000;

// 'it''s' and "a \"b\"".
std::string without_escapes(std::string_view inside, char quote) {
  const char escape = quote == '"' ? '\\' : '\'';
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const char next = i + 1 < inside.size() ? inside[i + 1] : '\0';
    if (inside[i] == escape && (next == quote || next == escape)) ++i;
    out += inside[i];
  }
  return out;
}

std::string unquoted(std::string_view value) {
  value = trim(value);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  if (quoted) return without_escapes(value.substr(1, value.size() - 2), value.front());
  // A comment must follow a space.
  return std::string(trim(value.substr(0, value.find(" #"))));
}

// [a, "b, c", d]
std::vector<std::string> inline_list(std::string_view value) {
  value = value.substr(1, value.size() - 2);
  std::vector<std::string> items;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size() && quote != 0) {
      if (value[i] == quote) quote = 0;
      continue;
    }
    if (i < value.size() && (value[i] == '"' || value[i] == '\'')) quote = value[i];
    if (i < value.size() && value[i] != ',') continue;
    if (std::string item = unquoted(value.substr(begin, i - begin)); !item.empty()) items.push_back(std::move(item));
    begin = i + 1;
  }
  return items;
}

class BlockReader {
 public:
  explicit BlockReader(FrontMatter& found) : found_(found) {}

  void take(std::string_view line) {
    const std::string_view content = trim(line);
    if (content.empty() || content.starts_with('#')) return;
    const bool nested = line.front() == ' ' || line.front() == '\t';
    const bool item = content == "-" || content.starts_with("- ");
    if (nested || item) return go_on(content, item);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string name = colon == line.size() ? std::string() : unquoted(line.substr(0, colon));
    if (name.empty()) return go_on(content, false);
    if (!begin(name)) return;
    const std::string_view value = trim(line.substr(colon + 1));
    if (value.starts_with('[') && value.ends_with(']') && value.size() >= 2) {
      std::ranges::move(inline_list(value), std::back_inserter(current_->values));
      current_->is_list = true;
    } else if (!value.empty() && value != "|" && value != ">" && value != "|-" && value != ">-") {
      current_->values.push_back(unquoted(value));
    }
  }

  bool all_fit() const { return all_fit_; }  // every line is a property or belongs to one

 private:
  // A repeated property becomes a list.
  bool begin(const std::string& name) {
    const auto same = [&](const FrontMatter::Property& one) { return lower_ascii(one.name) == lower_ascii(name); };
    const auto before = std::ranges::find_if(found_.properties, same);
    all_fit_ = all_fit_ && (before != found_.properties.end() || found_.properties.size() < kMaxProperties);
    if (!all_fit_) return false;
    if (before == found_.properties.end()) {
      current_ = &found_.properties.emplace_back(FrontMatter::Property{name, {}, false});
    } else {
      current_ = &*before;
      current_->is_list = true;
    }
    return true;
  }

  // Adds a line to the current property.
  void go_on(std::string_view content, bool item) {
    if (!current_) {
      all_fit_ = false;
      return;
    }
    if (item) {
      current_->is_list = true;
      current_->values.push_back(unquoted(content.substr(1)));
    } else if (current_->values.empty()) {
      current_->values.emplace_back(content);
    } else {
      current_->values.back().append("\n").append(content);
    }
  }

  FrontMatter& found_;
  FrontMatter::Property* current_ = nullptr;
  bool all_fit_ = true;
};

}  // namespace

const FrontMatter::Property* FrontMatter::find(std::string_view lower_name) const {
  const auto found = std::ranges::find_if(properties, [&](const Property& one) { return lower_ascii(one.name) == lower_name; });
  return found == properties.end() ? nullptr : &*found;
}

std::string FrontMatter::first(std::string_view lower_name) const {
  const Property* property = find(lower_name);
  return property && !property->values.empty() ? property->values.front() : std::string();
}

FrontMatter read_front_matter(std::string_view text) {
  FrontMatter found;
  if (!text.starts_with("---\n")) return found;
  std::size_t at = 4;
  // A block without an end is not a block.
  std::size_t end = std::string_view::npos;
  for (std::size_t line = at; line < std::min(text.size(), kMaxBytes);) {
    const std::size_t line_end = std::min(text.find('\n', line), text.size());
    const std::string_view content = text.substr(line, line_end - line);
    if (content == "---" || content == "...") {
      end = line;
      found.length = std::min(line_end + 1, text.size());
      break;
    }
    line = line_end + 1;
  }
  if (end == std::string_view::npos) return found;
  found.properties.reserve(kMaxProperties);  // the reader keeps a pointer into the vector
  BlockReader reader(found);
  while (at < end) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end > at) reader.take(text.substr(at, line_end - at));
    at = line_end + 1;
  }
  return reader.all_fit() ? found : FrontMatter();  // it is text between two lines of dashes
}

}  // namespace ladder::imports
