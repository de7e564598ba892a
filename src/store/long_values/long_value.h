// Long values: what has left a record row (design D3). A row keeps, in the value's place, a reference that tells everything but
// the text itself, so that lists and previews never touch the chunks:
//
//   @<id>.<kind><class>.<size_chars>.<size_bytes>.<chunk_chars>.<text id>.<text start>.<digest hex>.<MIME type, hex>
//
// Text lives in chunks of exactly `chunk_chars` code points (but for the last), numbered from 0, so that the chunk of any char is
// a division away. chunk_chars is chosen per value so that no chunk exceeds kChunkBytes. A nested object or array has no chunks
// of its own: its text is a part of the text of the top-level value around it (text_id, text_start).
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"
#include "model/base64_shape.h"
#include "store/rows.h"

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
  ValueId text_id = 0;          // whose chunks hold the text; id itself but for nested containers
  std::int64_t text_start = 0;  // in chars, inside the text of text_id
  Digest digest{};              // of the UTF-8 bytes
  std::string mime_type;        // when known

  friend bool operator==(const LongRef&, const LongRef&) = default;
};

std::string format_reference(const LongRef& ref);
Result<LongRef> parse_reference(std::string_view text);  // kInternal when malformed: only Ladder writes them
// Same content, whatever the ids: equal kind and digest.
bool same_content(std::string_view reference_a, std::string_view reference_b);

// Chunk sizes in chars to choose from, largest first: mostly ASCII, mixed, three bytes a char (CJK), four (emoji). The last fits
// any text.
inline constexpr std::array<std::int64_t, 4> kChunkChars = {3600, 1800, 1200, 900};

struct ChunkSpan {
  std::int64_t first = 0, last = 0;  // chunk numbers, inclusive
};
// The chunks that hold chars [start, end) of a value, end > start.
ChunkSpan chunk_span(const LongRef& ref, std::int64_t start, std::int64_t end);
// Chars [start, end) of the value, chunk by chunk: gives of each chunk of the span, in order, the part that belongs to them.
class ChunkCut {
 public:
  ChunkCut(const LongRef& ref, std::int64_t start, std::int64_t end)
      : chunk_chars_(ref.chunk_chars), skip_((ref.text_start + start) % ref.chunk_chars), left_(end - start) {}
  std::string_view next(std::string_view chunk);

 private:
  std::int64_t chunk_chars_, skip_, left_;
};
// All of them joined.
std::string cut_chars(const LongRef& ref, std::span<const std::string> chunks, std::int64_t start, std::int64_t end);

// Classes a value from its decoded text, fed in pieces; also measures it and picks chunk_chars.
class Measure {
 public:
  void feed(std::string_view valid_utf8);
  std::int64_t chars() const { return chars_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t chunk_chars() const;  // the largest of kChunkChars whose every chunk fits kChunkBytes
  bool looks_base64() const { return shape_.fits(); }
  std::int64_t decoded_bytes() const { return shape_.decoded_bytes(); }         // of base64 content
  std::string sniffed_mime_type() const { return shape_.sniffed_mime_type(); }  // of base64 content; "" when unknown

 private:
  void close_chunks();  // those that end at the present char

  std::int64_t chars_ = 0, bytes_ = 0;
  std::array<std::size_t, kChunkChars.size()> open_bytes_{},
      widest_{};  // bytes of the chunk being filled, and of the widest so far
  model::Base64Shape shape_;
};

}  // namespace ladder::store
