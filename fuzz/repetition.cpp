#include "repetition.h"

#include <algorithm>
#include <charconv>

namespace ladder::fuzz {
namespace {

void append_numbered(std::string& out, std::string_view text, std::size_t number) {
  for (std::size_t mark = text.find('#'); mark != std::string_view::npos; mark = text.find('#')) {
    out += text.substr(0, mark);
    out += std::to_string(number);
    text.remove_prefix(mark + 1);
  }
  out += text;
}

}  // namespace

std::string expanded(std::string_view input, std::size_t most) {
  constexpr std::size_t kDigits = 6;  // maximum digits of a repetition count
  std::string out;
  while (!input.empty()) {
    const std::size_t open = std::min(input.find("<<"), input.size());
    out += input.substr(0, open);
    input.remove_prefix(open);
    if (input.empty()) break;
    const std::size_t close = input.find(">>");
    const std::size_t star = close == std::string_view::npos ? close : input.substr(0, close).rfind('*');
    std::size_t times = 0;
    const bool is_number = star != std::string_view::npos && star >= 2 &&
                           std::from_chars(input.data() + star + 1, input.data() + close, times).ptr == input.data() + close;
    const std::size_t longest =
        is_number ? star - 2 + kDigits * static_cast<std::size_t>(std::ranges::count(input.substr(0, star), '#')) : 0;
    if (!is_number || times > most || out.size() + times * longest > most) {
      out += input.substr(0, 2);
      input.remove_prefix(2);
      continue;
    }
    for (std::size_t i = 0; i < times; ++i) append_numbered(out, input.substr(2, star - 2), i);
    input.remove_prefix(close + 2);
  }
  return out;
}

}  // namespace ladder::fuzz
