#include "rs/list_walk.h"

#include "store/order_key.h"

#include <algorithm>

namespace ladder::rs {
namespace {

bool is_missing(const std::string& order_key) {
  return !order_key.empty() && static_cast<unsigned char>(order_key.front()) >= store::kMissingCursorTag;
}

}  // namespace

Result<ListWalk> ListWalk::start(store::Reader& reader, const std::vector<StreamPlace>& places, WalkOrder order,
                                 std::int64_t page_size, const std::optional<ListPosition>& from) {
  ListWalk walk(reader, places, order, page_size);
  for (const StreamPlace& place : places) walk.lanes_.push_back({place.no, {}, {}, false});
  if (from) LADDER_CHECK(walk.resume(*from));
  return walk;
}

// Every lane goes on after the position. One with a record at exactly that position, in a connection after the one that was shown
// last, still owes it.
Status ListWalk::resume(const ListPosition& from) {
  std::vector<store::StreamNo> later;
  bool seen = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].after = from.order_key;
    if (seen) later.push_back(lanes_[i].stream);
    seen = seen || (*places_)[i].connection->row.connection_id == from.connection_id;
  }
  if (later.empty()) return {};
  LADDER_TRY(auto owed, reader_->records({}, later, from.key));
  for (store::RecordRow& row : owed.records) {
    if (rank(row) != from.order_key) continue;
    const auto lane = std::ranges::find(lanes_, row.stream, &Lane::stream);
    lane->rows.push_back(std::move(row));
  }
  return {};
}

Status ListWalk::fill(Lane& lane) {
  LADDER_TRY(auto page, order_.by_key ? reader_->page_by_key(lane.stream, lane.after, order_.descending, page_size_)
                                      : reader_->page(lane.stream, lane.after, order_.descending, page_size_));
  lane.at_end = std::ssize(page) < page_size_;
  if (!page.empty()) lane.after = rank(page.back());
  std::ranges::move(page, std::back_inserter(lane.rows));
  return {};
}

bool ListWalk::before(const store::RecordRow& a, const store::RecordRow& b) const {
  if (!order_.descending) return rank(a) < rank(b);
  if (!order_.by_key && is_missing(a.order_key) != is_missing(b.order_key)) return is_missing(b.order_key);
  return rank(b) < rank(a);
}

Result<std::optional<WalkedRecord>> ListWalk::next() {
  Lane* best = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.rows.empty() && !lane.at_end) LADDER_CHECK(fill(lane));
    if (lane.rows.empty()) continue;
    if (!best || before(lane.rows.front(), best->rows.front())) best = &lane;
  }
  if (!best) return std::nullopt;
  WalkedRecord record{std::move(best->rows.front()), static_cast<std::size_t>(best - lanes_.data())};
  best->rows.pop_front();
  return record;
}

ListPosition ListWalk::position_of(const WalkedRecord& record) const {
  return {rank(record.row), record.row.key, (*places_)[record.place].connection->row.connection_id};
}

}  // namespace ladder::rs
