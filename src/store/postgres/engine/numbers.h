// Numbers in blocks that belong to one stream, never handed out twice. The caller has locked the stream's row.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/rows.h"
#include "store/search/search_rows.h"

#include <cstdint>

namespace ladder::store::postgres {

// The unused numbers of a stream's newest block of a kind, as its row has them.
struct NumbersLeft {
  std::int64_t next = 0, end = 0;
  bool empty() const { return next >= end; }
};

// The next block of the stream, with `least` numbers or more. Blocks grow with the stream, so that even a large one is a few
// ranges.
Result<NumbersLeft> take_block(Connection& connection, StreamNo stream, NumberKind kind, std::int64_t least = 1);

// Hands out text numbers of a stream.
class TextNumbers {
 public:
  TextNumbers(Connection& connection, StreamNo stream, NumbersLeft left)
      : connection_(connection), stream_(stream), left_(left), begun_with_(left.next) {}

  Result<std::int64_t> take();
  void queue_rest() const;  // writes what is left into the stream's row, if any number was taken

 private:
  Connection& connection_;
  const StreamNo stream_;
  NumbersLeft left_;
  const std::int64_t begun_with_;
};

}  // namespace ladder::store::postgres
