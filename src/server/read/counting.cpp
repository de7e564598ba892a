#include "server/read/counting.h"

#include "base/text/format.h"
#include "server/read/time_buckets.h"
#include "store/index/field_index.h"
#include "store/index/order_key.h"

#include <algorithm>
#include <limits>

namespace ladder::server {
namespace {

using By = AccessPath::By;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

Result<std::int64_t> count_exactly(store::Reader& reader, const ConnectionStream& place, const AccessPath& access_path) {
  if (access_path.by == By::kAll) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    return counters.records;
  }
  if (!access_path.range.to.empty() && access_path.range.from >= access_path.range.to) return 0;
  if (access_path.kind == store::IndexKind::kTime && access_path.one_value.empty()) {
    if (auto counts = TimeCounts::of(reader, place, access_path.field)) {
      return counts->count(interval_of(access_path));
    }
  }
  if (access_path.by == By::kIndex) return reader.index_count(access_path.index, access_path.range, kNoLimit);
  return reader.order_count(place.no, access_path.range, kNoLimit);
}

}  // namespace

Result<std::int64_t> count_matches(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                   const ScanBounds& bounds) {
  std::int64_t sum = 0;
  ReadScope left = read_scope;
  left.streams.clear();
  for (const ConnectionStream& place : read_scope.streams) {
    const AccessPath access_path = choose_access_path(place, read_scope.granted, filter);
    if (!access_path.exact) {
      left.streams.push_back(place);
      continue;
    }
    LADDER_TRY(const std::int64_t count, count_exactly(reader, place, access_path));
    sum += count;
  }
  LADDER_CHECK(each_match(reader, left, filter, bounds, [&](const ConnectionStream&, const store::RecordRow&) -> Status {
    ++sum;
    return {};
  }));
  return sum;
}

namespace {

using By = AccessPath::By;

constexpr std::int64_t kBatch = 500;           // records per round trip
constexpr std::int64_t kRecordsPerCheck = 64;  // records between two clock checks

std::string just_after(std::string bytes) {
  bytes += '\0';
  return bytes;
}

Status each_of_keys(store::Reader& reader, const ReadScope& read_scope, store::StreamNo stream,
                    const std::function<Status(store::RecordRow&)>& use) {
  for (const std::string& key : read_scope.granted->resources) {
    LADDER_TRY(auto found, reader.records({}, std::span(&stream, 1), key));
    for (store::RecordRow& row : found.records) LADDER_CHECK(use(row));
  }
  return {};
}

Status each_of_index(store::Reader& reader, const AccessPath& access_path, const std::function<Status(store::RecordRow&)>& use) {
  store::IndexRange range = access_path.range;
  while (true) {
    LADDER_TRY(auto page, reader.index_page(access_path.index, range, false, kBatch));
    for (store::IndexedRow& each : page) LADDER_CHECK(use(each.record));
    if (std::ssize(page) < kBatch) return {};
    range.from = just_after(std::move(page.back().entry));
  }
}

Status each_in_order(store::Reader& reader, store::StreamNo stream, const store::IndexRange& range,
                     const std::function<Status(store::RecordRow&)>& use) {
  std::string after = range.from;
  while (true) {
    LADDER_TRY(auto page, reader.page(stream, after, false, kBatch));
    for (store::RecordRow& row : page) {
      if (row.order_key >= range.to) return {};
      after = row.order_key;
      LADDER_CHECK(use(row));
    }
    if (std::ssize(page) < kBatch) return {};
  }
}

Status each_by_key(store::Reader& reader, store::StreamNo stream, const std::function<Status(store::RecordRow&)>& use) {
  std::string after;
  while (true) {
    LADDER_TRY(auto page, reader.page_by_key(stream, after, false, kBatch));
    if (!page.empty()) after = page.back().key;
    for (store::RecordRow& row : page) LADDER_CHECK(use(row));
    if (std::ssize(page) < kBatch) return {};
  }
}

}  // namespace

Status ScanBounds::check() const {
  if (stop.stop_requested()) return fail(Code::kCancelled, "the caller went away");
  if (deadline.passed())
    return fail(Code::kDeadline,
                "reading every record took too long: add a filter on an indexed field or on a time (schema lists the filters), "
                "or count by "
                "group_by_time");
  return {};
}

Status each_candidate(store::Reader& reader, const ReadScope& read_scope, store::StreamNo stream, const AccessPath& access_path,
                      const std::function<Status(store::RecordRow&)>& use) {
  switch (access_path.by) {
    case By::kKeys:
      return each_of_keys(reader, read_scope, stream, use);
    case By::kIndex:
      return each_of_index(reader, access_path, use);
    case By::kOrder:
      return each_in_order(reader, stream, access_path.range, use);
    case By::kAll:
      break;
  }
  return each_by_key(reader, stream, use);
}

Status each_match(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, const ScanBounds& bounds,
                  const std::function<Status(const ConnectionStream&, const store::RecordRow&)>& use) {
  std::int64_t looked_at = 0, steps = 0;
  for (const ConnectionStream& place : read_scope.streams) {
    const AccessPath access_path = choose_access_path(place, read_scope.granted, filter);
    const bool counts = access_path.by == By::kAll && !filter.empty();
    const auto consider = [&](store::RecordRow& row) -> Status {
      if (++steps % kRecordsPerCheck == 0) LADDER_CHECK(bounds.check());
      if (!access_path.exact && !is_visible(read_scope, row)) return {};
      if (counts && ++looked_at > bounds.most_looked_at) {
        return fail(Code::kResourceLimit, format("more than {} records would have to be scanned; filter by a field that the "
                                                 "stream declares for range filters or grouping",
                                                 bounds.most_looked_at));
      }
      if (!access_path.exact && !filter.matches(json::value_of(row.body))) return {};
      return use(place, row);
    };
    LADDER_CHECK(each_candidate(reader, read_scope, place.no, access_path, consider));
  }
  return {};
}

namespace {

using By = AccessPath::By;

void widen(TimeEnds& ends, Instant time) {
  ends.earliest = ends.earliest ? std::min(*ends.earliest, time) : time;
  ends.latest = ends.latest ? std::max(*ends.latest, time) : time;
}

std::optional<Instant> time_in(const store::RecordRow& row, const std::string& field) {
  const auto value = json::member(json::value_of(row.body).text, field);
  if (!value || value->kind != json::Kind::kString) return std::nullopt;
  return store::read_raw_time(json::raw_content(*value));
}

// Reads the first and last record of an exact access path by time; returns false if nothing stores them in that
// order.
Result<bool> look_at_ends(store::Reader& reader, const ConnectionStream& place, const AccessPath& access_path,
                          const std::string& field, Wanted wanted, TimeEnds& ends) {
  if (!access_path.exact || (access_path.by != By::kAll && access_path.field != field)) return false;
  const FieldIndex* index = place.index(field);
  if (!index) return false;
  if (index->kind == store::IndexKind::kTime) {
    for (const bool descending : {true, false}) {
      if (!descending && wanted == Wanted::kLatest) break;
      LADDER_TRY(const auto page, reader.index_page(index->no, access_path.range, descending, 1));
      if (!page.empty()) widen(ends, store::get_sorted_time(page.front().entry));
    }
    return true;
  }
  if (index->kind != store::IndexKind::kDays) return false;
  const store::IndexRange range = access_path.by == By::kAll ? store::order_keys_of(store::IndexKind::kTime) : access_path.range;
  if (wanted == Wanted::kLatest) {
    LADDER_TRY(const auto last, reader.last_order_key(place.no, range));
    if (last) widen(ends, store::get_sorted_time(std::string_view(*last).substr(1)));  // after its tag
    return true;
  }
  for (const bool descending : {true, false}) {
    LADDER_TRY(const auto page, reader.page(place.no, descending ? range.to : range.from, descending, 1));
    if (page.empty() || page.front().order_key < range.from || page.front().order_key >= range.to) continue;
    if (const auto time = time_in(page.front(), field)) widen(ends, *time);
  }
  return true;
}

}  // namespace

Result<std::optional<TimeEnds>> time_ends(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                          const ScanBounds& bounds, Wanted wanted) {
  const std::string& field = read_scope.streams.front().declared->consent_time_field;
  if (field.empty() || (read_scope.granted && !read_scope.granted->allows_field(field))) return std::nullopt;
  TimeEnds ends;
  ReadScope left = read_scope;
  left.streams.clear();
  for (const ConnectionStream& place : read_scope.streams) {
    LADDER_TRY(const bool done,
               look_at_ends(reader, place, choose_access_path(place, read_scope.granted, filter), field, wanted, ends));
    if (!done) left.streams.push_back(place);
  }
  LADDER_CHECK(each_match(reader, left, filter, bounds, [&](const ConnectionStream&, const store::RecordRow& row) -> Status {
    if (const auto time = time_in(row, field)) widen(ends, *time);
    return {};
  }));
  return ends;
}

}  // namespace ladder::server
