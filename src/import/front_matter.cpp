#include "import/front_matter.h"

#include "import/text.h"

#include <algorithm>
#include <iterator>

namespace ladder::imports {
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
  // A comment needs a space before it.
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

  bool all_fit() const { return all_fit_; }  // every line was a property, or belongs to one

 private:
  // A property that is there already goes on as a list.
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

  // A line that belongs to the property before it.
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
  // The block must end, or it is none.
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
  found.properties.reserve(kMaxProperties);  // the reader keeps a pointer into it
  BlockReader reader(found);
  while (at < end) {
    const std::size_t line_end = text.find('\n', at);
    if (line_end > at) reader.take(text.substr(at, line_end - at));
    at = line_end + 1;
  }
  return reader.all_fit() ? found : FrontMatter();  // a text between two lines
}

}  // namespace ladder::imports
