// Numbers that nobody else gets: from the counters in meta, and in blocks that belong to one stream.
#pragma once

#include "store/search/search_rows.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <string_view>

namespace ladder::store::sqlite {

// The first of `count` numbers, from a counter in meta.
Result<std::int64_t> take_numbers(Connection& connection, std::string_view counter, std::int64_t count);

struct NumberBlock {
  std::int64_t first = 0;
  std::int64_t size = 0;
  std::int64_t end() const { return first + size; }
};

// The next block of the stream. Blocks grow with it, so that even a large stream is a few ranges (design D19).
Result<NumberBlock> take_block(Connection& connection, StreamNo stream, NumberKind kind);

// A number for words that need rows of their own (word_rows.h).
Result<std::int64_t> take_text(Connection& connection, StreamNo stream);

}  // namespace ladder::store::sqlite
