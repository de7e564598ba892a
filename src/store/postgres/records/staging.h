// The rows of long values that are written to the store, used by staging (in its own short transactions) and by the
// writer (for values that came with their record).
#pragma once

#include "store/compression/compression.h"
#include "store/long_values/value_sink.h"
#include "store/postgres/engine/pool.h"
#include "store/search/row_words.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ladder::store::postgres {

// States of loose_values.
inline constexpr std::int64_t kStaged = 0;
inline constexpr std::int64_t kDead = 1;

// The bytes of words in one transaction of passages.
inline constexpr std::size_t kWordBytes = 128 * 1024;

// A staged set. If it has a stream, the words of its texts are staged for the stream's columns of that generation.
struct StagedSet {
  ValueId first = 0;
  std::int64_t count = 0;
  StreamNo stream = 0;
  std::int64_t generation = 0;
  ValueId uses = 0;  // the set whose chunks are needed to remove these words
};
void queue_lease(Connection& connection, const StagedSet& set);
// Renews the lease and locks it until the transaction ends. False: it has expired, and the set is being swept.
Result<bool> renew_lease(Connection& connection, ValueId first);

// Allocates a text number of the stream in its own transaction, because the stream must be the first lock of a transaction.
Result<TextNo> take_text(Pool& pool, OwnerNo owner, StreamNo stream);

// Drops those of the blobs that no record of the owner refers to.
void queue_unused_blobs(Connection& connection, OwnerNo owner, const ByteaArray& digests, Instant now);

// Chunks and directory pages in wire format, inserted with one statement each.
class ValueRows {
 public:
  void add_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes);      // compressed if that makes it smaller
  void add_raw_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes);  // not compressed
  void add_page(ValueId value, std::int64_t first, std::string_view page);
  bool empty() const { return chunk_values_.empty() && page_values_.empty(); }
  std::size_t bytes() const { return chunk_bytes_.bytes().size() + page_bytes_.bytes().size(); }
  void queue(Connection& connection) const;
  void clear() { *this = ValueRows(); }

 private:
  void add_chunk_row(ValueId value, std::int64_t chunk_no, std::string_view bytes, const StoredBytes& row);

  Int8Array chunk_values_, chunk_numbers_, chunk_raw_sizes_, chunk_sums_, page_values_, page_keys_, page_sums_;
  ByteaArray chunk_bytes_, page_bytes_;
  ChunkCompressor compressor_;
};

}  // namespace ladder::store::postgres
