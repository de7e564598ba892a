// Snippets with the matched words between <mark> and </mark>, as some servers write them into the owner's text (PDPP "search").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::remote {

struct MarkedText {
  std::string text;                                           // without the marks
  std::vector<std::pair<std::int64_t, std::int64_t>> marked;  // [start, end) in chars of it
};

// Marks that do not come in pairs are the owner's own words: the text then stays as it is.
MarkedText without_marks(std::string_view text);

}  // namespace ladder::remote
