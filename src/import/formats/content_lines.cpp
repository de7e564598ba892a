#include "import/formats/content_lines.h"

#include "base/text/base64.h"
#include "import/charset/read_text.h"
#include "import/text/text.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxParameters = 100;
constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string upper_ascii(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool is_name_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string quoted_printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '=' && at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
    if (low < 0) {
      out += text[at];
    } else {
      out += static_cast<char>(high * 16 + low);
      at += 2;
    }
  }
  return out;
}

// RFC 6868: decodes the caret escapes of parameter values.
std::string uncareted(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = text[at] == '^' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (next != 'n' && next != '\'' && next != '^') {
      out += text[at];
      continue;
    }
    out += next == 'n' ? '\n' : next == '\'' ? '"' : '^';
    ++at;
  }
  return out;
}

// Returns the position of the first of these characters outside quotes, or the end.
std::size_t find_bare(std::string_view text, std::string_view characters, std::size_t from) {
  bool quoted = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    else if (!quoted && characters.find(text[at]) != std::string_view::npos) return at;
  }
  return text.size();
}

std::string parameter_value(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return uncareted(to_utf8(text));
}

ContentLine::Parameter parse_parameter(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {  // vCard 2.1: only the value
    const std::string lower = lower_ascii(trim(text));
    const bool encoding = lower == "quoted-printable" || lower == "base64" || lower == "8bit" || lower == "7bit";
    return {encoding ? "ENCODING" : "TYPE", {to_utf8(trim(text))}};
  }
  ContentLine::Parameter parameter{upper_ascii(trim(text.substr(0, equals))), {}};
  std::string_view rest = text.substr(equals + 1);
  for (;;) {
    const std::size_t comma = find_bare(rest, ",", 0);
    parameter.values.push_back(parameter_value(trim(rest.substr(0, comma))));
    if (comma == rest.size()) return parameter;
    rest.remove_prefix(comma + 1);
  }
}

bool is_quoted_printable(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && upper_ascii(line.substr(0, colon)).find("QUOTED-PRINTABLE") != std::string::npos;
}

}  // namespace

std::string_view ContentLine::parameter(std::string_view upper_name) const {
  const auto found = std::ranges::find(parameters, upper_name, &Parameter::name);
  return found == parameters.end() || found->values.empty() ? std::string_view() : std::string_view(found->values.front());
}

bool ContentLine::has(std::string_view upper_name, std::string_view lower_value) const {
  return std::ranges::any_of(parameters, [&](const Parameter& each) {
    return each.name == upper_name &&
           std::ranges::any_of(each.values, [&](const std::string& one) { return lower_ascii(one) == lower_value; });
  });
}

std::string ContentLine::decoded() const {
  const std::string_view named = parameter("CHARSET").empty() ? std::string_view(charset) : parameter("CHARSET");
  return has("ENCODING", "quoted-printable") ? to_utf8(quoted_printable(value), named) : to_utf8(value, named);
}

std::string ContentLine::text() const { return unescaped(decoded()); }
std::vector<std::string> ContentLine::list(char separator) const { return split_escaped(decoded(), separator); }

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = text[at] == '\\' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (next == 'n' || next == 'N') out += '\n';
    else if (next == ',' || next == ';' || next == '\\' || next == ':') out += next;
    else {
      out += text[at];
      continue;
    }
    ++at;
  }
  return out;
}

std::vector<std::string> split_escaped(std::string_view text, char separator) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == separator) {
      out.emplace_back(trim(unescaped(text.substr(begin, at - begin))));
      begin = at + 1;
    }
  }
  out.emplace_back(trim(unescaped(text.substr(begin))));
  return out;
}

std::optional<std::string> lenient_base64(std::string_view text) {
  std::string clean;
  clean.reserve(text.size() + 3);
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '=') clean += c == '-' ? '+' : c == '_' ? '/' : c;
  }
  while (clean.size() % 4 != 0) clean += '=';
  return base64::decode(clean);
}

Result<bool> ContentLines::read_line() {
  if (line_is_waiting_) {
    line_is_waiting_ = false;
    return true;
  }
  return lines_.next();
}

Result<bool> ContentLines::next() {
  line_ = ContentLine();
  line_.charset = charset_;
  for (;;) {
    LADDER_TRY(const bool more, read_line());
    if (!more) return false;
    text_ = lines_.text();
    line_.offset = lines_.offset();
    if (line_.offset == 0 && text_.starts_with(kMark)) text_.erase(0, kMark.size());
    if (!trim(text_).empty()) break;
  }
  const bool soft = is_quoted_printable(text_);
  for (;;) {
    LADDER_TRY(line_is_waiting_, lines_.next());
    if (!line_is_waiting_) break;
    const std::string_view line = lines_.text();
    const bool goes_on = soft && text_.ends_with('=');
    const bool folded = line.starts_with(' ') || line.starts_with('\t');
    if (!goes_on && !folded) break;
    if (goes_on) text_.pop_back();
    const std::string_view more = folded && !goes_on ? line.substr(1) : line;
    if (text_.size() + more.size() > kMaxContentLineBytes) line_.cut = true;
    if (!line_.cut) text_ += more;
  }
  parse(text_);
  return true;
}

void ContentLines::parse(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(";:"), text.size());
  std::string_view name = text.substr(0, end);
  if (end == text.size() || name.empty() || !std::ranges::all_of(name, is_name_char)) {
    line_.value = text;
    return;
  }
  const std::size_t colon = find_bare(text, ":", end);
  if (colon == text.size()) {  // an unclosed quote: use the first colon
    const std::size_t first = text.find(':', end);
    if (first == std::string_view::npos) {
      line_.value = text;
      return;
    }
    line_.value = text.substr(first + 1);
  } else {
    line_.value = text.substr(colon + 1);
    for (std::size_t at = end; at < colon && line_.parameters.size() < kMaxParameters;) {
      const std::size_t next = std::min(find_bare(text, ";", at + 1), colon);
      if (next > at + 1) line_.parameters.push_back(parse_parameter(text.substr(at + 1, next - at - 1)));
      at = next;
    }
  }
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    line_.group = name.substr(0, dot);
    name.remove_prefix(dot + 1);
  }
  line_.name = upper_ascii(name);
}

namespace {

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxContainerLines = 1000;

std::string upper_value(const ContentLine& line) {
  std::string upper = lower_ascii(trim(line.value));
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace

const ContentLine* Component::find(std::string_view upper_name) const {
  const auto found = std::ranges::find(lines, upper_name, &ContentLine::name);
  return found == lines.end() ? nullptr : &*found;
}

std::string Component::text(std::string_view upper_name) const {
  const ContentLine* line = find(upper_name);
  return line == nullptr ? std::string() : std::string(trim(line->text()));
}

Result<bool> Components::next_line() {
  if (line_is_waiting_) {
    line_is_waiting_ = false;
    return true;
  }
  return lines_.next();
}

void Components::keep(Component& component, const ContentLine& line) {
  const bool has_room = component.lines.size() < kMaxComponentLines && bytes_ + line.value.size() <= kMaxComponentBytes;
  if (has_room && !line.cut && !line.name.empty()) {
    bytes_ += line.value.size();
    component.lines.push_back(line);
    return;
  }
  if (component_.left_out++ == 0) component_.left_out_at = line.offset;
}

// A component ends with its END. It is unfinished if another of its kind starts, its container ends, or the file ends.
Status Components::read(Component& component, int depth) {
  for (;;) {
    LADDER_TRY(const bool more, next_line());
    if (!more) break;
    const ContentLine& line = lines_.line();
    if (line.name == "END") {
      const std::string name = upper_value(line);
      if (name == component.name) return {};
      if (name == component_.name || name == container_name_) {
        line_is_waiting_ = true;
        break;
      }
    } else if (line.name == "BEGIN") {
      const std::string name = upper_value(line);
      if (name == component_.name || name == container_name_) {
        line_is_waiting_ = true;
        break;
      }
      Component inside;
      inside.name = name;
      inside.offset = line.offset;
      if (depth < kMaxDepth) LADDER_CHECK(read(inside, depth + 1));
      if (depth == 0 && component.inner.size() < kMaxContainerLines) component.inner.push_back(std::move(inside));
    } else {
      keep(component, line);
    }
  }
  component.finished = false;
  return {};
}

Result<bool> Components::next() {
  component_ = Component();
  bytes_ = 0;
  for (;;) {
    LADDER_TRY(const bool more, next_line());
    if (!more) return false;
    const ContentLine& line = lines_.line();
    const bool begins = line.name == "BEGIN", ends = line.name == "END";
    const std::string name = begins || ends ? upper_value(line) : std::string();
    if (begins && name == container_name_) {
      container_.clear();
    } else if (begins) {
      component_.name = name;
      component_.offset = line.offset;
      LADDER_CHECK(read(component_, 0));
      return true;
    } else if (ends) {
      continue;
    } else if (!container_name_.empty() && !line.name.empty()) {
      if (container_.size() < kMaxContainerLines) container_.push_back(line);
    } else {
      component_.offset = line.offset;
      return true;
    }
  }
}

}  // namespace ladder::imports
