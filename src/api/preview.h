// Limits of how much text is shown (design D10). Chars are code points; bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

inline constexpr std::int64_t kListFieldChars = 400;        // of a string in a list of records
inline constexpr std::int64_t kDocumentFieldChars = 4'096;  // of a string in a single record
inline constexpr std::int64_t kDocumentTextChars = 16'384;  // of a document's text
inline constexpr std::int64_t kWholeReadChars = 4'096;      // smaller fields are read from the start (one default window)
inline constexpr std::int64_t kReadLeadChars = 320;         // maximum context before a match in a larger field: a few lines
inline constexpr std::int64_t kMetadataFieldChars = 400;    // a shorter matched field is metadata
inline constexpr std::int64_t kTitleChars = 200;            // of a title made from a field
inline constexpr std::int64_t kSnippetChars = 96;           // of the text around a match
inline constexpr std::int64_t kShortSnippetChars = 32;      // for a hit with little room
inline constexpr std::size_t kSearchProseBytes = 1'800;     // of a search response outside the lines of its hits
inline constexpr std::size_t kSchemaIndexBytes = 16'000;    // of the response that lists all streams
inline constexpr std::size_t kToolsListBytes = 12'288;      // of the list of tools
inline constexpr std::int64_t kBlobReadBytes = 24 * 1'024;  // raw bytes per blob read; 32 KiB as base64

// A partially shown value.

// Describes the cut value. Adapters build the next read call from record, path and shown_chars.
struct CutField {
  std::string path;
  std::string type;  // string, object or array
  std::string mime_type;
  bool text_like = true;  // false: base64, none of which is shown
  std::int64_t size_chars = 0;
  std::int64_t shown_chars = 0;
  std::string digest;
  std::int64_t size_bytes = -1;  // decoded size of base64; negative for text or if unknown
};

// Preview terms: how much of a value is shown, its size, and which part to show.

// kSnippetOnly: an excerpt of a field of unknown size. kUnavailable: only metadata, no preview.
enum class PreviewStatus : std::uint8_t { kComplete, kTruncated, kSnippetOnly, kBinaryOnly, kUnavailable };
std::string_view word_of(PreviewStatus status);

// inline ≤ 96 chars, small ≤ 4,096, medium ≤ 16,384 (one window), large ≤ 1 Mi, huge; unknown for a negative size.
std::string_view size_grade(std::int64_t size_chars);

struct CharRange {
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  friend bool operator==(const CharRange&, const CharRange&) = default;
};

// Returns at most max_chars of valid text around `focus` (chars of the text), with context on both sides. It starts
// at a word boundary if one is near. Combining marks and emoji sequences are not split if that costs only a few
// chars.
CharRange excerpt_around(std::string_view text, CharRange focus, std::int64_t max_chars);

// Returns the character at which a read of a match starts: 0 if the field fits into one default window, otherwise the
// start of a line or a sentence shortly before the match. `text` is the known part of the field, from character
// `text_start` on. A negative `size_chars` means an unknown size.
std::int64_t read_start(std::string_view text, std::int64_t text_start, std::int64_t match_start, std::int64_t size_chars);

// Returns the first max_chars, or one less and an ellipsis. For titles.
std::string shortened(std::string_view text, std::int64_t max_chars);

// A record's data within limits, from any server: long strings are cut, long objects and arrays are omitted, and
// base64 is never shown. Cuts are listed, so that an adapter can tell how to continue reading. Everything else is
// unchanged (design D20).
struct Trimmed {
  std::string data;           // JSON object text
  std::vector<CutField> cut;  // cuts made by the server and here
};

// Formats the digest of a value; this module computes none itself.
using Digester = std::string (*)(std::string_view text);

// Trims valid JSON object text. Strings over max_chars are truncated, longer objects and arrays become null, and base64
// becomes "" at any depth. `cut` lists the server's cuts; those values can only get shorter.
Trimmed trim(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest);

}  // namespace ladder::api
