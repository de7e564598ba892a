#include "evidence/preview.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "evidence/bounds.h"

#include <algorithm>

namespace ladder::evidence {
namespace {

constexpr std::int64_t kLargeChars = 1'048'576;
constexpr std::int64_t kMostMoved = 8;  // how far an edge gives way so that nothing is taken apart

// It belongs to the char before it.
bool clings(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x1DC0 && c <= 0x1DFF) ||
         (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFE20 && c <= 0xFE2F) || c == 0x200D ||
         (c >= 0x1F3FB && c <= 0x1F3FF);
}

// Before the char number `at` of the text.
bool may_cut(std::string_view text, std::int64_t at) {
  if (at <= 0) return true;
  std::size_t byte = utf8::offset_of(text, at - 1);
  if (byte >= text.size()) return true;
  const char32_t before = utf8::next(text, byte);
  return byte >= text.size() || (!clings(utf8::next(text, byte)) && before != 0x200D);
}

}  // namespace

std::string_view word_of(PreviewStatus status) {
  switch (status) {
    case PreviewStatus::kComplete:
      return "complete";
    case PreviewStatus::kTruncated:
      return "truncated";
    case PreviewStatus::kSnippetOnly:
      return "snippet-only";
    case PreviewStatus::kBinaryOnly:
      return "binary-only";
    case PreviewStatus::kUnavailable:
      break;
  }
  return "unavailable";
}

std::string_view size_grade(std::int64_t size_chars) {
  if (size_chars < 0) return "unknown";
  if (size_chars <= kSnippetChars) return "inline";
  if (size_chars <= limits::kWindowDefaultChars) return "small";
  if (size_chars <= limits::kWindowMaxChars) return "medium";
  return size_chars <= kLargeChars ? "large" : "huge";
}

CharRange excerpt_around(std::string_view text, CharRange focus, std::int64_t max_chars) {
  const std::int64_t size = utf8::count(text);
  if (size <= max_chars) return {0, size};
  const std::int64_t from = std::clamp<std::int64_t>(focus.start_chars, 0, size);
  const std::int64_t to = std::clamp<std::int64_t>(focus.end_chars, from, size);
  const std::int64_t spare = std::max<std::int64_t>(0, max_chars - (to - from));
  CharRange cut{std::max<std::int64_t>(0, from - spare / 2), 0};
  cut.end_chars = std::min(size, cut.start_chars + max_chars);
  cut.start_chars = std::max<std::int64_t>(0, cut.end_chars - max_chars);
  for (std::int64_t moved = 0; moved < kMostMoved && cut.start_chars < from && !may_cut(text, cut.start_chars); ++moved) {
    ++cut.start_chars;
  }
  const std::int64_t least_end = std::min(to, cut.end_chars);
  for (std::int64_t moved = 0; moved < kMostMoved && cut.end_chars > least_end && !may_cut(text, cut.end_chars); ++moved) {
    --cut.end_chars;
  }
  return cut;
}

std::string shortened(std::string_view text, std::int64_t max_chars) {
  if (utf8::count(text) <= max_chars) return std::string(text);
  const CharRange kept = excerpt_around(text, {}, max_chars - 1);
  return std::string(utf8::slice(text, 0, kept.end_chars)) + "…";
}

}  // namespace ladder::evidence
