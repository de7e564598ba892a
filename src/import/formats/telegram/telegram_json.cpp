#include "import/formats/telegram/telegram_json.h"

#include <algorithm>

namespace ladder::imports::telegram {

Result<std::size_t> JsonBytes::read(char* buffer, std::size_t capacity) {
  while (rest_.empty()) {
    LADDER_TRY(const std::size_t count, bytes_.read(buffer, capacity));
    if (count == 0) return std::size_t{0};
    const std::string_view read(buffer, count);
    if (!after_backslash_ && read.find('\\') == std::string_view::npos) return count;
    for (const char c : read) {
      if (after_backslash_ && c == 'x') rest_ += "u00";
      else rest_ += c;
      after_backslash_ = !after_backslash_ && c == '\\';
    }
  }
  const std::size_t count = std::min(capacity, rest_.size());
  std::copy_n(rest_.begin(), count, buffer);
  rest_.erase(0, count);
  return count;
}

std::string with_quoted_paths(std::string_view message) {
  constexpr std::string_view kName = "\"document_id\":";
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t found = message.find(kName, at);
    if (found == std::string_view::npos) return out.append(message.substr(at));
    std::size_t begin = found + kName.size();
    while (begin < message.size() && message[begin] == ' ') ++begin;
    out.append(message.substr(at, begin - at));
    at = begin;
    if (begin >= message.size() || message[begin] == '"') continue;
    const std::size_t end = std::min(message.find_first_of("\n,}", begin), message.size());
    const std::string_view value = message.substr(begin, end - begin);
    if (value.find_first_of("\"\\") != std::string_view::npos) continue;
    out.append("\"").append(value).append("\"");
    at = end;
  }
}

}  // namespace ladder::imports::telegram
