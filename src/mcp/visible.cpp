#include "mcp/visible.h"

#include "base/format.h"
#include "base/utf8.h"
#include "json/byte_runs.h"
#include "json/writer.h"

namespace ladder::mcp {
namespace {

constexpr std::string_view kCall = "args={";
constexpr std::size_t kEquals = 4;

// The "=" at `at` would make a call of what stands around it.
bool imitates_call(std::string_view json, std::size_t at) {
  return json[at] == '=' && at >= kEquals && json.substr(at - kEquals).starts_with(kCall);
}

bool is_printable(std::string_view json) {
  const char* const begin = json.data();
  const char* const end = begin + json.size();
  return json::bytes::find_unprintable(begin, end) == end;
}

bool breaks_line(char32_t c) { return c == 0x2028 || c == 0x2029; }

void append_escape(std::string& out, char32_t c) {
  if (c < 0x10000) {
    out += format("\\u{:04x}", static_cast<unsigned>(c));
    return;
  }
  const auto rest = static_cast<unsigned>(c) - 0x10000;
  out += format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

bool is_white(char32_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == 0x00A0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200A);
}

}  // namespace

bool is_deceptive(char32_t c) {
  const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x80 && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction || (c >= 0xE0000 && c <= 0xE007F);
}

std::string visible_json(std::string_view json) {
  if (is_printable(json) && json.find(kCall) == std::string_view::npos) return std::string(json);
  std::string out;
  out.reserve(json.size() + 16);
  std::size_t copied = 0;  // what stays as it is is copied in long pieces
  for (std::size_t at = 0; at < json.size();) {
    const auto byte = static_cast<unsigned char>(json[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '=') {
      ++at;
      continue;
    }
    const std::size_t from = at;
    const char32_t c = utf8::next(json, at);
    const bool white = c == '\n' || c == '\r' || c == '\t';  // unescaped it stands between values only
    if (!white && !is_deceptive(c) && !breaks_line(c) && !imitates_call(json, from)) continue;
    out += json.substr(copied, from - copied);
    copied = at;
    if (white) out += ' ';
    else append_escape(out, c);
  }
  return out += json.substr(copied);
}

std::string quoted_line(std::string_view text) {
  std::string json;
  json::append_string(json, text);
  return visible_json(json);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = utf8::next(text, at);
    if (c == '\n' || c == '\t' || breaks_line(c)) out += ' ';
    else if (is_deceptive(c)) out += format("⟦U+{:04X}⟧", static_cast<unsigned>(c));
    else out += text.substr(from, at - from);
  }
  return out;
}

std::string plain_or_quoted(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = utf8::next(text, at);
    if (is_white(c) || c == '"' || c == '\'' || c == '`' || is_deceptive(c) || breaks_line(c)) return quoted_line(text);
  }
  return text.empty() ? "\"\"" : std::string(text);
}

}  // namespace ladder::mcp
