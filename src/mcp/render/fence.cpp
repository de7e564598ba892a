#include "mcp/render/fence.h"

#include "base/text/block.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/byte_runs.h"
#include "json/writer.h"

#include <cstring>

namespace ladder::mcp {
namespace {

constexpr std::size_t kKeyBytes = 6;
constexpr std::string_view kEscapeStart = "⟦U+";

// The first bytes of deceptive characters: controls, U+0080..U+00BF, U+2000..U+2FFF with directional characters and ⟦, and tags
// from U+C0000. The template processes one byte or each byte of a block.
template <class Bytes>
auto are_suspect(Bytes bytes) {
  return ((bytes < 0x20) & (bytes != '\t') & (bytes != '\n')) | (bytes == 0xC2) | (bytes == 0xE2) | (bytes == 0xF3);
}

// Returns the position of the first such byte from `at` on, or the end.
std::size_t find_suspect(std::string_view text, std::size_t at) {
  for (; text.size() - at >= sizeof(Block); at += sizeof(Block)) {
    const std::ptrdiff_t found = first_found(are_suspect(load_block(text.data() + at)));
    if (found < kBlockBytes) return at + static_cast<std::size_t>(found);
  }
  while (at < text.size() && !are_suspect(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

std::string key_for(std::string_view text, std::string_view secret, std::string_view binding) {
  std::string bound = "fence\n" + std::string(binding);
  while (true) {
    const crypto::Digest digest = crypto::hmac_sha256(secret, bound);
    std::string key = to_hex(crypto::view(digest).substr(0, kKeyBytes));
    if (::memmem(text.data(), text.size(), key.data(), key.size()) == nullptr) return key;
    bound += '+';  // a text that contains its own key by chance gets another
  }
}

}  // namespace

std::int64_t append_shown(std::string& out, std::string_view text) {
  std::int64_t escaped = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    at = find_suspect(text, at);
    if (at > from) {  // usually the entire text at once
      out += text.substr(from, at - from);
      continue;
    }
    const char32_t c = utf8::next(text, at);
    const bool imitates = c == 0x27E6 && text.substr(from).starts_with(kEscapeStart);
    if (!imitates && !is_deceptive(c)) {
      out += text.substr(from, at - from);
      continue;
    }
    out += format("⟦U+{:04X}⟧", static_cast<unsigned>(c));
    ++escaped;
  }
  return escaped;
}

Fenced fence(std::string_view text, std::string_view secret, std::string_view binding) {
  const std::string key = key_for(text, secret, binding);
  Fenced fenced;
  fenced.block.reserve(text.size() + text.size() / 16 + 128);
  fenced.block.append("⟪owner-data ").append(key).append("⟫\n");
  fenced.escaped = append_shown(fenced.block, text);
  fenced.block.append("\n⟪end owner-data ").append(key).append("⟫");
  return fenced;
}

namespace {

constexpr std::string_view kCall = "args={";
constexpr std::size_t kEquals = 4;

// Reports whether the "=" at `at` would look like a tool call with the text around it.
bool looks_like_call(std::string_view json, std::size_t at) {
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
  std::size_t copied = 0;  // unchanged text is copied in long pieces
  for (std::size_t at = 0; at < json.size();) {
    const auto byte = static_cast<unsigned char>(json[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '=') {
      ++at;
      continue;
    }
    const std::size_t from = at;
    const char32_t c = utf8::next(json, at);
    const bool white = c == '\n' || c == '\r' || c == '\t';  // unescaped, these occur only between JSON values
    if (!white && !is_deceptive(c) && !breaks_line(c) && !looks_like_call(json, from)) continue;
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
