#include "remote/marked_text.h"

#include "base/utf8.h"

namespace ladder::remote {

MarkedText without_marks(std::string_view text) {
  constexpr std::string_view kOpen = "<mark>", kClose = "</mark>";
  MarkedText plain;
  std::int64_t chars = 0;  // of what is in plain.text
  std::string_view rest = text;
  for (std::size_t open = rest.find(kOpen); open != std::string_view::npos; open = rest.find(kOpen)) {
    const std::size_t close = rest.find(kClose);
    if (close == std::string_view::npos || close < open) return {std::string(text), {}};
    const std::string_view word = rest.substr(open + kOpen.size(), close - open - kOpen.size());
    if (word.empty() || word.find(kOpen) != std::string_view::npos) return {std::string(text), {}};
    plain.text += rest.substr(0, open);
    plain.text += word;
    const std::int64_t start = chars + utf8::count(rest.substr(0, open));
    chars = start + utf8::count(word);
    plain.marked.emplace_back(start, chars);
    rest.remove_prefix(close + kClose.size());
  }
  if (rest.find(kClose) != std::string_view::npos) return {std::string(text), {}};
  plain.text += rest;
  return plain;
}

}  // namespace ladder::remote
