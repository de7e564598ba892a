#include "store/postgres/engine/numbers.h"

#include <algorithm>
#include <bit>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kFirstBlock = 256;
constexpr std::int64_t kMaxBlock = 1 << 20;

// The next block of a stream is twice as large as its last.
constexpr Statement kTakeBlock{R"(
  WITH wanted AS (SELECT least($3::bigint, greatest($2::bigint, 2 * coalesce(max(size), 0))) AS size
                  FROM number_blocks WHERE owner_no = :owner AND stream_no = $1::bigint AND kind = $4::bigint),
       taken AS (INSERT INTO counters AS c (owner_no, name, next) SELECT :owner, 'record_no', 1 + size FROM wanted
                 ON CONFLICT (owner_no, name) DO UPDATE SET next = c.next + excluded.next - 1 RETURNING next)
  INSERT INTO number_blocks (owner_no, first_no, size, stream_no, kind)
  SELECT :owner, taken.next - wanted.size, wanted.size, $1::bigint, $4::bigint FROM wanted, taken RETURNING first_no, size)"};
constexpr Statement kSetTexts{
    "UPDATE streams SET next_text = $2::bigint, text_end = $3::bigint WHERE owner_no = :owner AND stream_no = $1::bigint"};

}  // namespace

Result<UnusedNumbers> take_block(Connection& connection, StreamNo stream, NumberKind kind, std::int64_t least) {
  const auto size = std::max(kFirstBlock, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least))));
  LADDER_TRY(const Rows block, connection.run_last(kTakeBlock, stream, size, kMaxBlock, static_cast<std::int64_t>(kind)));
  return UnusedNumbers{block.int8(0, 0), block.int8(0, 0) + block.int8(0, 1)};
}

Result<std::int64_t> TextNumbers::take() {
  if (left_.empty()) {
    LADDER_TRY(left_, take_block(connection_, stream_, NumberKind::kTexts));
  }
  return left_.next++;
}

void TextNumbers::queue_update() const {
  if (left_.next != start_) connection_.add(kSetTexts, stream_, left_.next, left_.end);
}

}  // namespace ladder::store::postgres
