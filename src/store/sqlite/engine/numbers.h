// Allocates numbers that are never reused: from counters, and in blocks that belong to one stream.
#pragma once

#include "store/search/search_rows.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <string_view>

namespace ladder::store::sqlite {

// Allocates `count` numbers that are unique in the store, from a counter in `meta`, and returns the first.
Result<std::int64_t> take_numbers(Connection& connection, std::string_view counter, std::int64_t count);

// Defines the SQL function nextval('x'), which takes a number from the counter `next_x` (store/sql).
Status define_nextval(Connection& connection);

// The same for record numbers and value ids, which are counted for each owner.
enum class OwnerCounter : std::uint8_t { kRecords, kValues };
Result<std::int64_t> take_numbers(Connection& connection, OwnerCounter counter, std::int64_t count);

struct NumberBlock {
  std::int64_t first = 0;
  std::int64_t size = 0;
  std::int64_t end() const { return first + size; }
};

// Allocates the stream's next block. Block sizes double, so that even a large stream has few ranges (design D19).
Result<NumberBlock> take_block(Connection& connection, StreamNo stream, NumberKind kind);

// Allocates a number for a text whose words need their own rows (word_rows.h).
Result<std::int64_t> take_text(Connection& connection, StreamNo stream);

}  // namespace ladder::store::sqlite
