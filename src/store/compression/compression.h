// The bytes of a row, compressed by zstd where that makes the row smaller: chunks of long values and of blobs, bodies of records
// (design D31). Every row is compressed by itself: a window reads its chunks and no others, and no row's size tells anything
// about another's content. A row that holds compressed bytes says so by their raw size; one without a raw size holds them as they
// came.
//
// The functions may be called by several threads at once; a thread keeps what zstd works with from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::store {

using RawSize = std::optional<std::int64_t>;  // absent: the bytes are stored as they are

// The bytes that a row keeps in place of raw ones. The view is the caller's.
struct StoredBytes {
  std::string_view bytes;
  RawSize raw_size;
};

// The compressed bytes; empty when they would not make the row smaller.
std::string compressed(std::string_view raw);

// Picks what a row keeps of raw bytes, given what compressed() made of them.
inline StoredBytes stored(std::string_view raw, std::string_view compressed) {
  if (compressed.empty()) return {raw, std::nullopt};
  return {compressed, static_cast<std::int64_t>(raw.size())};
}

// Compresses one chunk after the other. After a chunk that did not get smaller it passes over the next ones of the same value,
// more of them each time: photographs and archives are compressed already, and trying costs more than storing.
class ChunkCompressor {
 public:
  // The row's share of a chunk; the view lives until the next call, or as long as the raw bytes.
  StoredBytes store(std::int64_t value, std::string_view raw);

 private:
  std::int64_t value_ = 0;
  int pass_over_ = 0, missed_ = 0;
  std::string compressed_;
};

// The raw bytes of a row: those that are stored, or in `buffer`, decompressed. Nothing when they are damaged: the raw size is
// over `most`, or it is not the size that comes out. Allocates at most `most` bytes, whatever the row says.
std::optional<std::string_view> raw_bytes(const StoredBytes& stored, std::size_t most, std::string& buffer);

// The same for the word index, which goes on past damage: as many blanks as there were bytes in place of what cannot be read.
std::string_view raw_text(const StoredBytes& stored, std::size_t most, std::string& buffer);

// The same, copied; false when they are damaged.
bool take_raw(const StoredBytes& stored, std::size_t most, std::string& raw);

}  // namespace ladder::store
