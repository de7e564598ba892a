#include "rs/list_walk.h"

#include "rs/match_scan.h"
#include "store/order_key.h"

#include <algorithm>
#include <cmath>

namespace ladder::rs {
namespace {

using By = Narrowing::By;

// Few enough to look at all of them for every page, however they lie in the order.
constexpr double kFewestSmall = 2'000, kMostSmall = 20'000;

const std::string kMissingFrom(1, static_cast<char>(store::kMissingCursorTag));

bool is_missing(const std::string& order_key) { return order_key >= kMissingFrom; }

// The least bytes that compare greater.
std::string just_after(std::string bytes) {
  bytes += '\0';
  return bytes;
}

}  // namespace

Result<ListWalk> ListWalk::start(store::Reader& reader, const Reach& reach, const RecordFilter& filter, WalkOrder order,
                                 std::int64_t page_size, const std::optional<ListPosition>& from) {
  ListWalk walk(reader, reach, filter, order, page_size);
  for (const StreamPlace& place : reach.places) {
    Lane& lane = walk.lanes_.emplace_back();
    lane.stream = place.no;
    lane.narrowing = narrow(place, reach.granted, filter);
    LADDER_CHECK(walk.choose(lane));
  }
  if (from) LADDER_CHECK(walk.resume(*from));
  return walk;
}

Status ListWalk::choose(Lane& lane) {
  const Narrowing& narrowing = lane.narrowing;
  const bool in_order = narrowing.by == By::kOrder || !narrowing.one_value.empty();
  lane.how = order_.by_key ? Lane::How::kByKey : Lane::How::kInOrder;
  if (narrowing.by == By::kAll) return {};
  if (in_order && !order_.by_key) {
    if (narrowing.by == By::kIndex) lane.how = Lane::How::kEntries;
    return {};
  }
  LADDER_TRY(const bool small, is_small(lane));
  if (small) lane.how = Lane::How::kSorted;
  return {};
}

// Looking at all candidates costs their number; walking in order until a page is full costs about a page times the records per
// candidate. The two meet at the root of page times records.
Result<bool> ListWalk::is_small(const Lane& lane) {
  if (lane.narrowing.by == By::kKeys) return true;
  LADDER_TRY(const auto counters, reader_->counters(lane.stream));
  const double even = std::sqrt(static_cast<double>(page_size_) * static_cast<double>(counters.records));
  const auto most = static_cast<std::int64_t>(std::clamp(even, kFewestSmall, kMostSmall));
  LADDER_TRY(const std::int64_t count, lane.narrowing.by == By::kIndex
                                           ? reader_->index_count(lane.narrowing.index, lane.narrowing.range, most + 1)
                                           : reader_->order_count(lane.stream, lane.narrowing.range, most + 1));
  return count <= most;
}

bool ListWalk::looks_at_everything() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.narrowing.by == By::kAll; });
}

// Every lane goes on after the position. One with a record at exactly that position, in a connection after the one that was shown
// last, still owes it.
Status ListWalk::resume(const ListPosition& from) {
  std::vector<store::StreamNo> later;
  bool seen = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].after = from.order_key;
    if (seen) later.push_back(lanes_[i].stream);
    seen = seen || reach_->places[i].connection->row.connection_id == from.connection_id;
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
  switch (lane.how) {
    case Lane::How::kInOrder:
      return fill_in_order(lane);
    case Lane::How::kEntries:
      return fill_from_entries(lane);
    case Lane::How::kSorted:
      return fill_sorted(lane);
    case Lane::How::kByKey:
      break;
  }
  LADDER_TRY(auto page, reader_->page_by_key(lane.stream, lane.after, order_.descending, page_size_));
  lane.at_end = std::ssize(page) < page_size_;
  if (!page.empty()) lane.after = page.back().key;
  std::ranges::move(page, std::back_inserter(lane.rows));
  return {};
}

Status ListWalk::fill_in_order(Lane& lane) {
  std::string after = lane.after;
  const store::IndexRange& range = lane.narrowing.range;
  const bool bounded = lane.narrowing.by == By::kOrder;
  if (bounded && order_.descending && (after.empty() || after > range.to)) after = range.to;
  if (bounded && !order_.descending) after = std::max(after, range.from);
  LADDER_TRY(auto page, reader_->page(lane.stream, after, order_.descending, page_size_));
  lane.at_end = std::ssize(page) < page_size_;
  if (!page.empty()) lane.after = page.back().order_key;
  for (store::RecordRow& row : page) {
    if (bounded && (row.order_key < range.from || row.order_key >= range.to)) {
      lane.at_end = true;
      break;
    }
    lane.rows.push_back(std::move(row));
  }
  return {};
}

// Entries of one value whose ordering keys lie in the range.
Result<std::vector<store::RecordRow>> ListWalk::entries_of(const Lane& lane, const store::IndexRange& orders,
                                                           std::int64_t limit) {
  const Narrowing& narrowing = lane.narrowing;
  store::IndexRange range{std::max(narrowing.range.from, narrowing.one_value + orders.from), narrowing.range.to};
  if (!orders.to.empty()) range.to = std::min(range.to, narrowing.one_value + orders.to);
  std::vector<store::RecordRow> rows;
  if (range.from >= range.to) return rows;
  LADDER_TRY(auto page, reader_->index_page(narrowing.index, range, order_.descending, limit));
  for (store::IndexedRow& row : page) rows.push_back(std::move(row.record));
  return rows;
}

Status ListWalk::fill_from_entries(Lane& lane) {
  const std::string& after = lane.after;
  std::vector<store::RecordRow> rows;
  if (!order_.descending) {
    LADDER_TRY(rows, entries_of(lane, {after.empty() ? after : just_after(after), {}}, page_size_));
  } else {
    const bool among_missing = !after.empty() && is_missing(after);
    if (!among_missing) {
      LADDER_TRY(rows, entries_of(lane, {{}, after.empty() ? kMissingFrom : after}, page_size_));
    }
    if (std::ssize(rows) < page_size_) {
      LADDER_TRY(auto missing,
                 entries_of(lane, {kMissingFrom, among_missing ? after : std::string()}, page_size_ - std::ssize(rows)));
      std::ranges::move(missing, std::back_inserter(rows));
    }
  }
  lane.at_end = std::ssize(rows) < page_size_;
  if (!rows.empty()) lane.after = rows.back().order_key;
  std::ranges::move(rows, std::back_inserter(lane.rows));
  return {};
}

// The next page of them, the best kept while all go by.
Status ListWalk::fill_sorted(Lane& lane) {
  const auto first = [&](const store::RecordRow& a, const store::RecordRow& b) { return before(rank(a), rank(b)); };
  std::vector<store::RecordRow> best;  // a heap with the last of them on top
  const Status looked = each_candidate(*reader_, *reach_, lane.stream, lane.narrowing, [&](store::RecordRow& row) -> Status {
    if (!lane.after.empty() && !before(lane.after, rank(row))) return {};
    if (std::ssize(best) == page_size_ && !first(row, best.front())) return {};
    if (!is_visible(*reach_, row) || !filter_->matches(json::value_of(row.body))) return {};
    if (std::ssize(best) == page_size_) {
      std::ranges::pop_heap(best, first);
      best.pop_back();
    }
    best.push_back(std::move(row));
    std::ranges::push_heap(best, first);
    return {};
  });
  LADDER_CHECK(looked);
  std::ranges::sort(best, first);
  lane.at_end = std::ssize(best) < page_size_;
  if (!best.empty()) lane.after = rank(best.back());
  std::ranges::move(best, std::back_inserter(lane.rows));
  return {};
}

bool ListWalk::before(const std::string& a, const std::string& b) const {
  if (!order_.descending) return a < b;
  if (!order_.by_key && is_missing(a) != is_missing(b)) return is_missing(b);
  return b < a;
}

Result<std::optional<WalkedRecord>> ListWalk::next() {
  Lane* best = nullptr;
  for (Lane& lane : lanes_) {
    while (lane.rows.empty() && !lane.at_end) LADDER_CHECK(fill(lane));
    if (lane.rows.empty()) continue;
    if (!best || before(rank(lane.rows.front()), rank(best->rows.front()))) best = &lane;
  }
  if (!best) return std::nullopt;
  WalkedRecord record{std::move(best->rows.front()), static_cast<std::size_t>(best - lanes_.data())};
  best->rows.pop_front();
  return record;
}

ListPosition ListWalk::position_of(const WalkedRecord& record) const {
  return {rank(record.row), record.row.key, reach_->places[record.place].connection->row.connection_id};
}

}  // namespace ladder::rs
