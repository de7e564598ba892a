#include "mcp/fence.h"

#include "base/block.h"
#include "base/bytes.h"
#include "base/format.h"
#include "base/utf8.h"
#include "crypto/hash.h"
#include "mcp/visible.h"

#include <cstring>

namespace ladder::mcp {
namespace {

constexpr std::size_t kKeyBytes = 6;
constexpr std::string_view kEscapeStart = "⟦U+";

// Bytes that what must not be shown as it is begins with: controls, and the first bytes of U+0080..U+00BF, of U+2000..U+2FFF with
// the directions and ⟦, and of the tags beyond U+C0000. Of one byte or of each of a block.
template <class Bytes>
auto are_suspect(Bytes bytes) {
  return ((bytes < 0x20) & (bytes != '\t') & (bytes != '\n')) | (bytes == 0xC2) | (bytes == 0xE2) | (bytes == 0xF3);
}

// The first of them from `at` on, or the end.
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
    bound += '+';  // a text that holds its own key by chance gets another
  }
}

}  // namespace

std::int64_t append_shown(std::string& out, std::string_view text) {
  std::int64_t escaped = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    at = find_suspect(text, at);
    if (at > from) {  // mostly the whole text: in one piece
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

}  // namespace ladder::mcp
