// Rows of long values on their way into the store, shared by staging (short transactions of their own) and by the writer (values
// that came with their record).
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

// One transaction of passages: so many bytes of words.
inline constexpr std::size_t kWordBytes = 128 * 1024;

// A staged set. With a stream, the words of its texts are staged for the columns that the stream has in that generation.
struct StagedSet {
  ValueId first = 0;
  std::int64_t count = 0;
  StreamNo stream = 0;
  std::int64_t generation = 0;
  ValueId uses = 0;  // the set whose chunks are needed to remove these words
};
void queue_lease(Connection& connection, const StagedSet& set);
// Renews it, and locks it until the transaction ends. False: it is over, and the set is being swept.
Result<bool> renew_lease(Connection& connection, ValueId first);

// A number for a text of the stream, in a transaction of its own: it is the first lock that a transaction takes.
Result<TextNo> take_text(Pool& pool, StreamNo stream);

// Chunks and directory pages in wire form, to be inserted with one statement each.
class ValueRows {
 public:
  void add_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes);      // compressed if that makes it smaller
  void add_raw_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes);  // as it is
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
