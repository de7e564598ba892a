// Walks the records of several streams in one order: by (cursor value, key), or by key where the cursor value may not be known
// (design D5), connections in their order on ties. Missing cursor values come last both ways. Each stream is walked where the
// request can match (narrowing.h); what comes out may still have to be passed over.
#pragma once

#include "base/result.h"
#include "rs/list_cursor.h"
#include "rs/narrowing.h"
#include "rs/reach.h"
#include "store/store.h"

#include <deque>
#include <optional>
#include <vector>

namespace ladder::rs {

struct WalkOrder {
  bool by_key = false;
  bool descending = true;
};

struct WalkedRecord {
  store::RecordRow row;
  std::size_t place = 0;  // which of the places it is from
};

class ListWalk {
 public:
  // Goes on after `from` when given. The reader, reach and filter outlive the walk.
  static Result<ListWalk> start(store::Reader& reader, const Reach& reach, const RecordFilter& filter, WalkOrder order,
                                std::int64_t page_size, const std::optional<ListPosition>& from);

  Result<std::optional<WalkedRecord>> next();
  ListPosition position_of(const WalkedRecord& record) const;
  // No index helps, so that every visible record is a candidate.
  bool looks_at_everything() const;

 private:
  struct Lane {
    enum class How : std::uint8_t { kInOrder, kByKey, kEntries, kSorted };
    store::StreamNo stream = 0;
    Narrowing narrowing;
    How how = How::kInOrder;
    std::deque<store::RecordRow> rows;
    std::string after;
    bool at_end = false;
  };

  ListWalk(store::Reader& reader, const Reach& reach, const RecordFilter& filter, WalkOrder order, std::int64_t page_size)
      : reader_(&reader), reach_(&reach), filter_(&filter), order_(order), page_size_(page_size) {}
  Status choose(Lane& lane);
  Result<bool> is_small(const Lane& lane);
  Status resume(const ListPosition& from);

  Status fill(Lane& lane);
  Status fill_in_order(Lane& lane);
  Status fill_from_entries(Lane& lane);
  Status fill_sorted(Lane& lane);
  Result<std::vector<store::RecordRow>> entries_of(const Lane& lane, const store::IndexRange& orders, std::int64_t limit);

  bool before(const std::string& a, const std::string& b) const;  // ranks
  const std::string& rank(const store::RecordRow& row) const { return order_.by_key ? row.key : row.order_key; }

  store::Reader* reader_;
  const Reach* reach_;
  const RecordFilter* filter_;
  WalkOrder order_;
  std::int64_t page_size_;
  std::vector<Lane> lanes_;
};

}  // namespace ladder::rs
