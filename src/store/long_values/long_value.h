// Long values are stored outside the record row (design D3). In the value's place a row keeps a reference with
// everything but the text, so that lists and previews never read the chunks:
//
//   @<id>.<kind><class>.<size_chars>.<size_bytes>.<chunk_chars>.<text id>.<text start>.<digest hex>.<MIME type, hex>
//
// Text is stored in chunks of exactly `chunk_chars` code points (except the last), numbered from 0, so the chunk of a
// character is found by division. chunk_chars is chosen per value so that no chunk exceeds kChunkBytes. A nested object
// or array has no chunks of its own: its text is part of the text of the top-level value that contains it (text_id,
// text_start).
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"
#include "model/base64_shape.h"
#include "store/rows/rows.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder::store {

enum class ValueClass : std::uint8_t { kText, kJson, kBase64 };

struct LongRef {
  ValueId id = 0;
  json::Kind kind = json::Kind::kString;  // kString, kObject or kArray
  ValueClass value_class = ValueClass::kText;
  std::int64_t size_chars = 0;  // of the decoded string, or of the JSON text
  std::int64_t size_bytes = 0;
  std::int64_t chunk_chars = 0;
  ValueId text_id = 0;          // the value whose chunks hold the text; equal to id except for nested containers
  std::int64_t text_start = 0;  // in characters, inside the text of text_id
  Digest digest{};              // of the UTF-8 bytes
  std::string mime_type;        // when known

  friend bool operator==(const LongRef&, const LongRef&) = default;
};

std::string format_reference(const LongRef& ref);
Result<LongRef> parse_reference(std::string_view text);  // kInternal when malformed: only Ladder writes them
// Compares kind and digest, not ids.
bool same_content(std::string_view reference_a, std::string_view reference_b);

// Chunk sizes in characters, largest first: for mostly ASCII, mixed, three bytes per character (CJK) and four (emoji)
// text. The last fits any text.
inline constexpr std::array<std::int64_t, 4> kChunkChars = {3600, 1800, 1200, 900};

struct ChunkSpan {
  std::int64_t first = 0, last = 0;  // chunk numbers, inclusive
};
// The chunks that hold characters [start, end) of a value, end > start.
ChunkSpan chunk_span(const LongRef& ref, std::int64_t start, std::int64_t end);
// Cuts characters [start, end) of a value out of its chunks: next() is called with each chunk of the span in order and
// returns the part that belongs to the range.
class ChunkCut {
 public:
  ChunkCut(const LongRef& ref, std::int64_t start, std::int64_t end)
      : chunk_chars_(ref.chunk_chars), skip_((ref.text_start + start) % ref.chunk_chars), left_(end - start) {}
  std::string_view next(std::string_view chunk);

 private:
  std::int64_t chunk_chars_, skip_, left_;
};
// Returns all parts joined.
std::string cut_chars(const LongRef& ref, std::span<const std::string> chunks, std::int64_t start, std::int64_t end);

// Measures the decoded text of a value, fed in pieces: chooses chunk_chars and detects base64.
class Measure {
 public:
  void feed(std::string_view valid_utf8);
  std::int64_t chars() const { return chars_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t chunk_chars() const;  // the largest of kChunkChars for which every chunk fits kChunkBytes
  bool looks_base64() const { return shape_.fits(); }
  std::int64_t decoded_bytes() const { return shape_.decoded_bytes(); }         // of base64 content
  std::string sniffed_mime_type() const { return shape_.sniffed_mime_type(); }  // of base64 content; "" when unknown

 private:
  void close_chunks();  // the ones that end at the current character

  std::int64_t chars_ = 0, bytes_ = 0;
  std::array<std::size_t, kChunkChars.size()> open_bytes_{},
      widest_{};  // bytes of the chunk being filled, and of the widest so far
  model::Base64Shape shape_;
};

}  // namespace ladder::store
