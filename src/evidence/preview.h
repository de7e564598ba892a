// The vocabulary of previews: how much of a value is shown, how large it is, and which part of a text to show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::evidence {

// kSnippetOnly: a proven excerpt of a field whose size is not known. kUnavailable: there is no preview, only metadata.
enum class PreviewStatus : std::uint8_t { kComplete, kTruncated, kSnippetOnly, kBinaryOnly, kUnavailable };
std::string_view word_of(PreviewStatus status);

// inline ≤ 96 chars, small ≤ 4,096, medium ≤ 16,384 (one window), large ≤ 1 Mi, huge; unknown for a negative size.
std::string_view size_grade(std::int64_t size_chars);

struct CharRange {
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  friend bool operator==(const CharRange&, const CharRange&) = default;
};

// At most max_chars of valid text around `focus` (chars of the text), the room shared between both sides. A mark is not cut off
// from the letter it belongs to, nor an emoji taken apart, while that costs only a few chars.
CharRange excerpt_around(std::string_view text, CharRange focus, std::int64_t max_chars);

// The first max_chars, or one less and an ellipsis: for titles, where nobody reads on.
std::string shortened(std::string_view text, std::int64_t max_chars);

}  // namespace ladder::evidence
