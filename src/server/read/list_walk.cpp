#include "server/read/list_walk.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "server/read/counting.h"
#include "store/index/order_key.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace ladder::server {
namespace {

constexpr std::string_view kPurpose = "list-cursor";
constexpr std::size_t kPadding = 128;
constexpr std::size_t kBindingBytes = 16;

}  // namespace

std::string list_binding(std::initializer_list<std::string_view> parts) {
  std::string bytes;
  for (std::string_view part : parts) put_sized(bytes, part);
  return std::string(crypto::view(crypto::sha256(bytes)).substr(0, kBindingBytes));
}

std::string seal_position(const crypto::Sealer& sealer, std::string_view binding, const ListPosition& position) {
  std::string plain(binding);
  for (const std::string& part : {position.order_key, position.key, position.connection_id}) put_sized(plain, part);
  plain.resize((plain.size() + kPadding - 1) / kPadding * kPadding, '\0');
  return sealer.seal_fresh(kPurpose, plain);
}

Result<ListPosition> open_position(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  if (plain.size() < kBindingBytes || std::string_view(plain).substr(0, kBindingBytes) != binding) {
    return fail(Code::kCursorMismatch,
                "the cursor belongs to another list; use it with the arguments it came with, or start again without it",
                "cursor");
  }
  std::size_t at = kBindingBytes;
  ListPosition position;
  for (std::string* part : {&position.order_key, &position.key, &position.connection_id}) {
    const auto read = get_sized(plain, at);
    if (!read) return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
    *part = *read;
  }
  return position;
}

namespace {

using By = AccessPath::By;

// Limits below which scanning all candidates for every page is acceptable.
constexpr double kMinSmall = 2'000, kMaxSmall = 20'000;

const std::string kMissingFrom(1, static_cast<char>(store::kMissingCursorTag));

bool is_missing(const std::string& order_key) { return order_key >= kMissingFrom; }

// Returns the smallest key greater than `bytes`.
std::string just_after(std::string bytes) {
  bytes += '\0';
  return bytes;
}

}  // namespace

ListPosition before_undated() { return {kMissingFrom, {}, {}}; }

Result<ListWalk> ListWalk::start(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, WalkOrder order,
                                 std::int64_t page_size, const std::optional<ListPosition>& from) {
  ListWalk walk(reader, read_scope, filter, order, page_size);
  for (const ConnectionStream& place : read_scope.streams) {
    Lane& lane = walk.lanes_.emplace_back();
    lane.stream = place.no;
    lane.access_path = choose_access_path(place, read_scope.granted, filter);
    LADDER_CHECK(walk.choose(lane));
  }
  if (from) LADDER_CHECK(walk.resume(*from));
  return walk;
}

Status ListWalk::choose(Lane& lane) {
  const AccessPath& access_path = lane.access_path;
  const bool in_order = access_path.by == By::kOrder || !access_path.one_value.empty();
  lane.how = order_.by_key ? Lane::How::kByKey : Lane::How::kInOrder;
  if (access_path.by == By::kAll) return {};
  if (in_order && !order_.by_key) {
    if (access_path.by == By::kIndex) lane.how = Lane::How::kEntries;
    return {};
  }
  LADDER_TRY(const bool small, is_small(lane));
  if (small) lane.how = Lane::How::kSorted;
  return {};
}

// Scanning all candidates costs their number; walking in order costs about a page times the records per candidate.
// The costs are equal at the square root of page size times records.
Result<bool> ListWalk::is_small(const Lane& lane) {
  if (lane.access_path.by == By::kKeys) return true;
  LADDER_TRY(const auto counters, reader_->counters(lane.stream));
  const double even = std::sqrt(static_cast<double>(page_size_) * static_cast<double>(counters.records));
  const auto most = static_cast<std::int64_t>(std::clamp(even, kMinSmall, kMaxSmall));
  LADDER_TRY(const std::int64_t count, lane.access_path.by == By::kIndex
                                           ? reader_->index_count(lane.access_path.index, lane.access_path.range, most + 1)
                                           : reader_->order_count(lane.stream, lane.access_path.range, most + 1));
  return count <= most;
}

bool ListWalk::looks_at_everything() const {
  return std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.access_path.by == By::kAll; });
}

// Resumes every stream after the position. A stream of a later connection may still have a record at exactly that
// position to return.
Status ListWalk::resume(const ListPosition& from) {
  std::vector<store::StreamNo> later;
  bool seen = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].after = from.order_key;
    if (seen) later.push_back(lanes_[i].stream);
    seen = seen || read_scope_->streams[i].connection->row.connection_id == from.connection_id;
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
  const store::IndexRange& range = lane.access_path.range;
  const bool bounded = lane.access_path.by == By::kOrder;
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

// Returns entries of one value with ordering keys in the range.
Result<std::vector<store::RecordRow>> ListWalk::entries_of(const Lane& lane, const store::IndexRange& orders,
                                                           std::int64_t limit) {
  const AccessPath& access_path = lane.access_path;
  store::IndexRange range{std::max(access_path.range.from, access_path.one_value + orders.from), access_path.range.to};
  if (!orders.to.empty()) range.to = std::min(range.to, access_path.one_value + orders.to);
  std::vector<store::RecordRow> rows;
  if (range.from >= range.to) return rows;
  LADDER_TRY(auto page, reader_->index_page(access_path.index, range, order_.descending, limit));
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

// Fills the next page from an unsorted scan, keeping the best rows in a heap.
Status ListWalk::fill_sorted(Lane& lane) {
  const auto first = [&](const store::RecordRow& a, const store::RecordRow& b) { return before(rank(a), rank(b)); };
  std::vector<store::RecordRow> best;  // a heap with the last one on top
  const Status looked =
      each_candidate(*reader_, *read_scope_, lane.stream, lane.access_path, [&](store::RecordRow& row) -> Status {
        if (!lane.after.empty() && !before(lane.after, rank(row))) return {};
        if (std::ssize(best) == page_size_ && !first(row, best.front())) return {};
        if (!is_visible(*read_scope_, row) || !filter_->matches(json::value_of(row.body))) return {};
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
  return {rank(record.row), record.row.key, read_scope_->streams[record.place].connection->row.connection_id};
}

}  // namespace ladder::server
