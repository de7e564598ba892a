#include "mcp/header_value.h"

#include "base/base64url.h"
#include "base/utf8.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

constexpr std::string_view kBegin = "=?base64?";
constexpr std::string_view kEnd = "?=";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// base64 with its padding, by way of base64url, which is strict about everything else.
std::optional<std::string> decode(std::string_view text) {
  if (text.size() % 4 != 0 || text.find_first_of("-_") != std::string_view::npos) return std::nullopt;
  std::string letters(text.ends_with("==")  ? text.substr(0, text.size() - 2)
                      : text.ends_with('=') ? text.substr(0, text.size() - 1)
                                            : text);
  std::ranges::replace(letters, '+', '-');
  std::ranges::replace(letters, '/', '_');
  return base64url::decode(letters);
}

}  // namespace

std::optional<std::string> header_text(std::string_view value) {
  value = trimmed(value);
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  auto text = decode(value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size()));
  if (!text || !utf8::is_valid(*text)) return std::nullopt;
  return text;
}

}  // namespace ladder::mcp
