// Walks the records of several streams in one order: by (cursor value, key), or by key where the cursor value may not be known
// (design D5), connections in their order on ties. Missing cursor values come last both ways.
#pragma once

#include "base/result.h"
#include "rs/catalog.h"
#include "rs/list_cursor.h"
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
  // Goes on after `from` when given. The reader and places outlive the walk.
  static Result<ListWalk> start(store::Reader& reader, const std::vector<StreamPlace>& places, WalkOrder order,
                                std::int64_t page_size, const std::optional<ListPosition>& from);

  Result<std::optional<WalkedRecord>> next();
  ListPosition position_of(const WalkedRecord& record) const;

 private:
  struct Lane {
    store::StreamNo stream = 0;
    std::deque<store::RecordRow> rows;
    std::string after;
    bool at_end = false;
  };

  ListWalk(store::Reader& reader, const std::vector<StreamPlace>& places, WalkOrder order, std::int64_t page_size)
      : reader_(&reader), places_(&places), order_(order), page_size_(page_size) {}
  Status resume(const ListPosition& from);
  Status fill(Lane& lane);
  bool before(const store::RecordRow& a, const store::RecordRow& b) const;
  const std::string& rank(const store::RecordRow& row) const { return order_.by_key ? row.key : row.order_key; }

  store::Reader* reader_;
  const std::vector<StreamPlace>* places_;
  WalkOrder order_;
  std::int64_t page_size_;
  std::vector<Lane> lanes_;
};

}  // namespace ladder::rs
