// Allocates numbers in blocks that belong to one stream. Numbers are never reused. The caller has locked the stream's row.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/rows/rows.h"
#include "store/search/search_rows.h"

#include <cstdint>

namespace ladder::store::postgres {

// The unused numbers of the stream's newest block of a kind, as stored in its row.
struct UnusedNumbers {
  std::int64_t next = 0, end = 0;
  bool empty() const { return next >= end; }
};

// Allocates the next block of the stream, with at least `least` numbers. Block sizes double, so that even a large
// stream has few ranges.
Result<UnusedNumbers> take_block(Connection& connection, StreamNo stream, NumberKind kind, std::int64_t least = 1);

// Allocates text numbers of a stream.
class TextNumbers {
 public:
  TextNumbers(Connection& connection, StreamNo stream, UnusedNumbers left)
      : connection_(connection), stream_(stream), left_(left), start_(left.next) {}

  Result<std::int64_t> take();
  void queue_update() const;  // stores the remaining numbers in the stream's row, if any was taken

 private:
  Connection& connection_;
  const StreamNo stream_;
  UnusedNumbers left_;
  const std::int64_t start_;
};

}  // namespace ladder::store::postgres
