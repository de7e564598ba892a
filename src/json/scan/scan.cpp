// Iterates over checked JSON text in place: values, members and elements as views into it.
#include "json/scan/scan.h"

#include "json/scan/byte_runs.h"

namespace ladder::json {
namespace {

bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skip_container(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default:
        break;
    }
    ++at;
  }
  return at;
}

}  // namespace

Kind kind_at(std::string_view text, std::size_t at) {
  switch (at < text.size() ? text[at] : 'n') {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBool;
    case 'n':
      return Kind::kNull;
    case '@':
      return Kind::kReference;
    default:
      return Kind::kNumber;
  }
}

std::size_t skip_string(std::string_view text, std::size_t at) {
  const char* const end = text.data() + text.size();
  const char* p = text.data() + at + 1;
  for (;;) {
    p = bytes::find_quote_or_backslash(p, end);
    if (p == end) return text.size();
    if (*p == '"') return static_cast<std::size_t>(p + 1 - text.data());
    if (end - p < 2) return text.size();
    p += 2;
  }
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] == '{' || text[at] == '[') return skip_container(text, at);
  while (at < text.size() && !ends_scalar(text[at])) ++at;
  return at;
}

Value value_of(std::string_view checked) {
  const std::size_t first = skip_space(checked, 0);
  const std::size_t last = checked.find_last_not_of(" \n\r\t");
  if (first >= checked.size()) return {};
  return Value{kind_at(checked, first), checked.substr(first, last + 1 - first)};
}

Members::Members(std::string_view object_text) : text_(object_text) {
  at_ = text_.starts_with('{') ? skip_space(text_, 1) : text_.size();
}

bool Members::next() {
  at_ = skip_mark(text_, at_, ',');
  if (at_ >= text_.size() || text_[at_] != '"') return false;
  member_ = at_;
  at_ = skip_string(text_, at_);
  name_ = text_.substr(member_ + 1, at_ - member_ - 1);
  if (!name_.empty()) name_.remove_suffix(1);
  const std::size_t first = skip_mark(text_, at_, ':');
  at_ = skip_value(text_, first);
  value_ = Value{kind_at(text_, first), text_.substr(first, at_ - first)};
  return true;
}

Elements::Elements(std::string_view array_text) : text_(array_text) {
  at_ = text_.starts_with('[') ? skip_space(text_, 1) : text_.size();
}

bool Elements::next() {
  at_ = skip_mark(text_, at_, ',');
  if (at_ >= text_.size() || text_[at_] == ']') return false;
  element_ = at_;
  at_ = skip_value(text_, at_);
  value_ = Value{kind_at(text_, element_), text_.substr(element_, at_ - element_)};
  return at_ != element_;
}

std::optional<Value> member(std::string_view object_text, std::string_view decoded_name) {
  for (Members members(object_text); members.next();) {
    if (name_equals(members.raw_name(), decoded_name)) return members.value();
  }
  return std::nullopt;
}

}  // namespace ladder::json
