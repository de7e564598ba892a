// Compresses the bytes of a row with zstd when that makes the row smaller: chunks of long values and of blobs, and
// record bodies (design D31). Every row is compressed separately: reading a window decompresses only its own chunks,
// and the size of a row reveals nothing about another row's content. A row with compressed bytes stores their raw size;
// a row without a raw size holds uncompressed bytes.
//
// Thread-safe. Each thread keeps its zstd contexts from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::store {

using RawSize = std::optional<std::int64_t>;  // absent: the bytes are stored as they are

// The bytes stored in a row. Does not own them.
struct StoredBytes {
  std::string_view bytes;
  RawSize raw_size;
};

// Returns the compressed bytes, or an empty string when they would not make the row smaller.
std::string compressed(std::string_view raw);

// Chooses what a row stores, given the result of compressed().
inline StoredBytes stored(std::string_view raw, std::string_view compressed) {
  if (compressed.empty()) return {raw, std::nullopt};
  return {compressed, static_cast<std::int64_t>(raw.size())};
}

// Compresses a sequence of chunks. After a chunk that did not shrink it skips the next chunks of the same value, more
// each time: photographs and archives are already compressed, and trying costs more than storing.
class ChunkCompressor {
 public:
  // Returns what the row stores for a chunk; the view is valid until the next call or as long as the raw bytes.
  StoredBytes store(std::int64_t value, std::string_view raw);

 private:
  std::int64_t value_ = 0;
  int skip_ = 0, missed_ = 0;
  std::string compressed_;
};

// Returns the raw bytes of a row: the stored ones, or the ones decompressed into `buffer`. Returns nullopt when they
// are damaged: the raw size exceeds `most`, or differs from the decompressed size. Allocates at most `most` bytes.
std::optional<std::string_view> raw_bytes(const StoredBytes& stored, std::size_t most, std::string& buffer);

// The same for the word index, which continues past damage: returns as many spaces as there were bytes.
std::string_view raw_text(const StoredBytes& stored, std::size_t most, std::string& buffer);

// The same, copied to `raw`; returns false when the bytes are damaged.
bool read_raw(const StoredBytes& stored, std::size_t most, std::string& raw);

}  // namespace ladder::store
