// Case folding and the search that uses it. First line: the needle. The rest: the text, fed to the finder in pieces of
// many sizes. The finder must find what a search through the folded code points finds.
#include "base/text/casefold.h"

#include "base/text/utf8.h"
#include "frame.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

std::u32string folded(std::string_view valid) {
  std::u32string code_points = utf8::decode(valid);
  for (char32_t& code_point : code_points) code_point = fold(code_point);
  return code_points;
}

void check_fold(std::string_view valid) {
  const std::string once = fold(valid);
  FUZZ_CHECK(utf8::decode(once) == folded(valid));
  FUZZ_CHECK(fold(once) == once);
  FUZZ_CHECK(utf8::count(once) == utf8::count(valid));
}

// Feeds `text` in pieces of `piece_chars(…)` code points.
template <class PieceChars>
void check_find(std::string_view needle, std::string_view text, PieceChars piece_chars) {
  const std::u32string folded_needle = folded(needle);
  const std::size_t expected = folded(text).find(folded_needle);
  FoldedFinder finder(needle);
  FUZZ_CHECK(finder.needle_chars() == static_cast<std::int64_t>(folded_needle.size()));
  std::optional<std::int64_t> found;
  std::int64_t fed = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view piece = utf8::slice(rest, 0, piece_chars());
    rest.remove_prefix(piece.size());
    const Exact copy(piece);
    const auto now = finder.feed(copy.view());
    fed += utf8::count(piece);
    if (found) FUZZ_CHECK(now == found);
    found = now;
    // The match is reported with the piece that completes it.
    const bool complete = expected != std::u32string::npos && static_cast<std::size_t>(fed) >= expected + folded_needle.size();
    FUZZ_CHECK(found.has_value() == complete);
    if (!found) FUZZ_CHECK(finder.fed_chars() == fed);
  }
  FUZZ_CHECK(found.has_value() == (expected != std::u32string::npos));
  if (!found) return;
  FUZZ_CHECK(*found == static_cast<std::int64_t>(expected));
  FUZZ_CHECK(finder.fed_chars() == *found + finder.needle_chars());
}

}  // namespace

void run(std::string_view input) {
  const std::string needle = valid_utf8(take_line(input));
  const std::string text = valid_utf8(input);
  check_fold(needle);
  check_fold(text);
  if (needle.empty()) return;
  Chance chance(text);
  check_find(needle, text, [] { return INT64_MAX; });
  check_find(needle, text, [] { return 1; });
  check_find(needle, text, [&] { return static_cast<std::int64_t>(1 + chance.below(20)); });
}

}  // namespace ladder::fuzz
