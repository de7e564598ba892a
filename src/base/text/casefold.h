// Unicode simple case folding (design D7) and the literal search built on it. The table is generated into casefold_table.inc by
// tools/generate_casefold.cpp: utf8proc's full case fold where that is one code point, else its lower case; U+0130 folds to
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

char32_t fold(char32_t code_point);
std::string fold(std::string_view valid_utf8);

// Finds the first occurrence of a needle, under folding, in text that arrives in pieces. Linear time; memory
// proportional to the needle. Offsets are code points from the start of the first piece. Not thread-safe; one search
// per object.
class FoldedFinder {
 public:
  explicit FoldedFinder(std::string_view valid_utf8_needle);  // not empty

  // Feeds the next piece (complete code points). Returns the offset of the first code point of the match once it is
  // found; later calls read nothing and return the same.
  std::optional<std::int64_t> feed(std::string_view valid_utf8);
  std::int64_t needle_chars() const { return static_cast<std::int64_t>(needle_.size()); }
  std::int64_t fed_chars() const { return fed_; }  // up to the end of the match, once found

 private:
  // A cheap test of eight bytes at a time for possible starts of a match. See find_candidate.
  struct Filter {
    std::uint64_t first = 0, first_case = 0;  // the first byte, and 0x20 if it has two cases, repeated eight times
    std::uint64_t second = 0, second_case = 0, second_care = 0;  // the byte after it; care is 0 if it may be any
    std::uint64_t high_stop = 0;                                 // the high bits if a match may start with a non-ASCII byte
  };
  static Filter make_filter(const std::vector<char32_t>& needle);
  std::size_t find_candidate(std::string_view text, std::size_t at) const;
  bool step(char32_t folded);  // true when the needle is complete

  std::vector<char32_t> needle_;        // folded
  std::vector<std::uint32_t> failure_;  // Knuth-Morris-Pratt: longest border of each prefix
  Filter filter_;
  std::size_t matched_ = 0;
  std::int64_t fed_ = 0;
  std::optional<std::int64_t> found_;
};

}  // namespace ladder
