// Quoting for messages: JSON escapes prevent control characters and quotes in outside text from breaking the message
// line.
#include "model/quote.h"

#include "base/text/utf8.h"
#include "json/writer.h"

namespace ladder::model {

std::string in_quotes(std::string_view text) {
  constexpr std::int64_t kShownChars = 80;
  // Text after this many bytes cannot be shown and is ignored.
  constexpr std::size_t kExaminedBytes = 4 * static_cast<std::size_t>(kShownChars + 1);
  if (text.size() > kExaminedBytes) {
    std::size_t end = kExaminedBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  if (!utf8::is_valid(text)) return "(text that is not UTF-8)";
  const std::string_view shown = utf8::slice(text, 0, kShownChars);
  std::string out;
  json::append_string(out, shown);
  if (shown.size() < text.size()) out.insert(out.size() - 1, "…");
  return out;
}

}  // namespace ladder::model
