// How much evidence is shown before it is cut, in one place (design D10). Chars are code points; bytes are UTF-8.
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
inline constexpr std::int64_t kWholeReadChars = 4'096;      // a field up to this size is read from its start (one default window)
inline constexpr std::int64_t kReadLeadChars = 320;         // of a longer field before the match, at most: a few lines
inline constexpr std::int64_t kMetadataFieldChars = 400;    // a matched field next to the text that is not longer is metadata
inline constexpr std::int64_t kTitleChars = 200;            // of a title made from a field
inline constexpr std::int64_t kSnippetChars = 96;           // of the text around a match
inline constexpr std::int64_t kShortSnippetChars = 32;      // where a single hit has hardly any room
inline constexpr std::size_t kSearchProseBytes = 1'800;     // of a search's text beside the lines of its hits
inline constexpr std::size_t kSchemaIndexBytes = 16'000;    // of the answer that lists every stream
inline constexpr std::size_t kToolsListBytes = 12'288;      // of the list of tools
inline constexpr std::int64_t kBlobReadBytes = 24 * 1'024;  // raw bytes of one blob read: base64 makes 32 KiB of them

// A value that is shown in part.

// Describes the cut value and how to read on (the read call is made from record, path and shown_chars).
struct CutField {
  std::string path;
  std::string type;  // string, object or array
  std::string mime_type;
  bool text_like = true;  // false: base64, of which nothing is shown
  std::int64_t size_chars = 0;
  std::int64_t shown_chars = 0;
  std::string digest;
  std::int64_t size_bytes = -1;  // of what base64 stands for; negative for text, and where a server does not say
};

// The vocabulary of previews: how much of a value is shown, how large it is, and which part of a text to show.

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

// At most max_chars of valid text around `focus` (chars of the text), the room shared between both sides. It begins with a word
// where one is near. A mark is not cut off from the letter it belongs to, nor an emoji taken apart, while that costs only a few
// chars.
CharRange excerpt_around(std::string_view text, CharRange focus, std::int64_t max_chars);

// Returns the character at which a read of a match starts: 0 if the field fits into one default window, otherwise the start of a
// line or a sentence shortly before the match. `text` is the known part of the field, from character `text_start` on. A field of
// unknown size has a negative `size_chars`.
std::int64_t read_start(std::string_view text, std::int64_t text_start, std::int64_t match_start, std::int64_t size_chars);

// The first max_chars, or one less and an ellipsis: for titles, where nobody reads on.
std::string shortened(std::string_view text, std::int64_t max_chars);

// A record's data within bounds, whoever it came from: long strings cut, long objects and arrays left out, base64 never shown.
// Cuts are listed, so that an adapter can say how to read on. Everything else keeps its bytes (design D20).
struct Trimmed {
  std::string data;           // JSON object text
  std::vector<CutField> cut;  // what came cut already, and what was cut here
};

// The text form of a value's digest; evidence itself computes none.
using Digester = std::string (*)(std::string_view text);

// `data` is checked JSON object text. Strings over max_chars are cut there; objects and arrays whose text is longer become null;
// base64 becomes "" wherever it is nested. `cut` is what the server cut; those values are only cut further.
Trimmed trim(std::string_view data, std::vector<CutField> cut, std::int64_t max_chars, Digester digest);

}  // namespace ladder::api
