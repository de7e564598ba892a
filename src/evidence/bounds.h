// How much evidence is shown before it is cut, in one place (design D10). Chars are code points; bytes are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::evidence {

inline constexpr std::int64_t kListFieldChars = 400;        // of a string in a list of records
inline constexpr std::int64_t kDocumentFieldChars = 4'096;  // of a string in a single record
inline constexpr std::int64_t kDocumentTextChars = 16'384;  // of a document's text
inline constexpr std::int64_t kTitleChars = 200;            // of a title made from a field
inline constexpr std::int64_t kSnippetChars = 96;           // of the text around a match
inline constexpr std::int64_t kShortSnippetChars = 32;      // where a single hit has hardly any room
inline constexpr std::size_t kSearchProseBytes = 1'800;     // of a search's text beside the lines of its hits
inline constexpr std::size_t kSchemaIndexBytes = 16'000;    // of the answer that lists every stream
inline constexpr std::size_t kToolsListBytes = 10'000;      // of the list of tools
inline constexpr std::int64_t kBlobReadBytes = 24 * 1'024;  // raw bytes of one blob read: base64 makes 32 KiB of them

}  // namespace ladder::evidence
