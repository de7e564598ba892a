// Walks lists of records page by page: the page limits, the page cursor, and the walk over several streams.
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "base/text/format.h"
#include "crypto/seal.h"
#include "server/access/read_scope.h"
#include "server/read/access_path.h"
#include "store/store.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

inline constexpr std::int64_t kDefaultPageLimit = 25;
inline constexpr std::int64_t kMaxPageLimit = 100;
inline constexpr std::int64_t kMaxPageBytes = std::int64_t{16} * 1024 * 1024;  // of `data`; larger pages end early
inline constexpr std::int64_t kMaxRecordBytes =
    std::int64_t{64} * 1024 * 1024;  // of one record; longer values are cut and listed

inline std::int64_t page_limit(std::optional<std::int64_t> asked) {
  return std::clamp<std::int64_t>(asked.value_or(kDefaultPageLimit), 1, kMaxPageLimit);
}

inline void warn_of_clamp(std::optional<std::int64_t> asked, std::vector<api::Warning>& warnings) {
  if (!asked || *asked <= kMaxPageLimit) return;
  warnings.push_back({"limit_clamped", format("limit is at most {}", kMaxPageLimit), "limit",
                      format("{{\"max_limit\":{},\"requested_limit\":{}}}", kMaxPageLimit, *asked)});
}

// Page cursors of record lists: the last position shown, sealed with a random nonce and padded, so that neither the
// content nor the length reveals anything (design D6). Bound to the grant, stream, scope, order and conditions.
struct ListPosition {
  std::string order_key;  // of the last record passed; the record key if sorted by key
  std::string key;
  std::string connection_id;
};

std::string seal_position(const crypto::Sealer& sealer, std::string_view binding, const ListPosition& position);
// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<ListPosition> open_position(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);

// The position before the first record without a cursor value, in ascending order.
ListPosition before_undated();

// Returns a hash of the parts that a cursor is bound to.
std::string list_binding(std::initializer_list<std::string_view> parts);

// Walks the records of several streams in one order: by (cursor value, key), or by key if the cursor field is not
// granted (design D5); ties are in connection order. Missing cursor values come last in both directions. Each stream
// is read along its access path (access_path.h), so the caller must still filter the results.
struct WalkOrder {
  bool by_key = false;
  bool descending = true;
};

struct WalkedRecord {
  store::RecordRow row;
  std::size_t place = 0;  // index into the scope's streams
};

class ListWalk {
 public:
  // Continues after `from` if set. The reader, read scope and filter must outlive the walk.
  static Result<ListWalk> start(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, WalkOrder order,
                                std::int64_t page_size, const std::optional<ListPosition>& from);

  Result<std::optional<WalkedRecord>> next();
  ListPosition position_of(const WalkedRecord& record) const;
  // Returns true if no index helps, so that every visible record is a candidate.
  bool looks_at_everything() const;

 private:
  struct Lane {
    enum class How : std::uint8_t { kInOrder, kByKey, kEntries, kSorted };
    store::StreamNo stream = 0;
    AccessPath access_path;
    How how = How::kInOrder;
    std::deque<store::RecordRow> rows;
    std::string after;
    bool at_end = false;
  };

  ListWalk(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, WalkOrder order,
           std::int64_t page_size)
      : reader_(&reader), read_scope_(&read_scope), filter_(&filter), order_(order), page_size_(page_size) {}
  Status choose(Lane& lane);
  Result<bool> is_small(const Lane& lane);
  Status resume(const ListPosition& from);

  Status fill(Lane& lane);
  Status fill_in_order(Lane& lane);
  Status fill_from_entries(Lane& lane);
  Status fill_sorted(Lane& lane);
  Result<std::vector<store::RecordRow>> entries_of(const Lane& lane, const store::IndexRange& orders, std::int64_t limit);

  bool before(const std::string& a, const std::string& b) const;  // compares ranks
  const std::string& rank(const store::RecordRow& row) const { return order_.by_key ? row.key : row.order_key; }

  store::Reader* reader_;
  const ReadScope* read_scope_;
  const RecordFilter* filter_;
  WalkOrder order_;
  std::int64_t page_size_;
  std::vector<Lane> lanes_;
};

}  // namespace ladder::server
