#include "http/percent.h"

#include "base/percent.h"
#include "base/utf8.h"

#include <algorithm>

namespace ladder::http {

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string spaced(text);
  if (plus == Plus::kSpace) std::ranges::replace(spaced, '+', ' ');
  std::optional<std::string> decoded = percent_decode_bytes(spaced);
  if (!decoded || decoded->find('\0') != std::string::npos || !utf8::is_valid(*decoded)) return std::nullopt;
  return decoded;
}

}  // namespace ladder::http
