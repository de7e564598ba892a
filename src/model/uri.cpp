// The small part of RFC 3986 that declarations and grants need.
#include "model/uri.h"

#include <algorithm>

namespace ladder::model {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_uri_char(char c) {
  constexpr std::string_view kOthers = "-._~:/?#[]@!$&'()*+,;=%";
  return is_alpha(c) || is_digit(c) || kOthers.find(c) != std::string_view::npos;
}

}  // namespace

bool is_absolute_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
  const std::string_view scheme = text.substr(0, colon);
  if (!is_alpha(scheme.front())) return false;
  const auto in_scheme = [](char c) { return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::ranges::all_of(scheme, in_scheme)) return false;
  if (text.substr(colon + 1).starts_with("//") && text.size() == colon + 3) return false;
  for (std::size_t at = colon + 1; at < text.size(); ++at) {
    if (!is_uri_char(text[at])) return false;
    if (text[at] == '%' && (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2]))) return false;
  }
  return true;
}

std::string_view last_path_segment(std::string_view absolute_uri) {
  std::string_view rest = absolute_uri.substr(absolute_uri.find(':') + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  if (rest.starts_with("//")) {
    const std::size_t path = rest.find('/', 2);
    if (path == std::string_view::npos) return {};
    rest = rest.substr(path);
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = rest.rfind('/');
  if (slash != std::string_view::npos) return rest.substr(slash + 1);
  const std::size_t colon = rest.rfind(':');
  return colon == std::string_view::npos ? rest : rest.substr(colon + 1);
}

}  // namespace ladder::model
