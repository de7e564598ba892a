#include "rs/match_scan.h"

#include "base/format.h"

namespace ladder::rs {
namespace {

using By = Narrowing::By;

constexpr std::int64_t kBatch = 500;        // records a round trip
constexpr std::int64_t kRecordsALook = 64;  // between two looks at the clock

std::string just_after(std::string bytes) {
  bytes += '\0';
  return bytes;
}

Status each_of_keys(store::Reader& reader, const Reach& reach, store::StreamNo stream,
                    const std::function<Status(store::RecordRow&)>& use) {
  for (const std::string& key : reach.granted->resources) {
    LADDER_TRY(auto found, reader.records({}, std::span(&stream, 1), key));
    for (store::RecordRow& row : found.records) LADDER_CHECK(use(row));
  }
  return {};
}

Status each_of_index(store::Reader& reader, const Narrowing& narrowing, const std::function<Status(store::RecordRow&)>& use) {
  store::IndexRange range = narrowing.range;
  while (true) {
    LADDER_TRY(auto page, reader.index_page(narrowing.index, range, false, kBatch));
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
  if (deadline.passed()) return fail(Code::kDeadline, "the records took too long to look through; ask for fewer");
  return {};
}

Status each_candidate(store::Reader& reader, const Reach& reach, store::StreamNo stream, const Narrowing& narrowing,
                      const std::function<Status(store::RecordRow&)>& use) {
  switch (narrowing.by) {
    case By::kKeys:
      return each_of_keys(reader, reach, stream, use);
    case By::kIndex:
      return each_of_index(reader, narrowing, use);
    case By::kOrder:
      return each_in_order(reader, stream, narrowing.range, use);
    case By::kAll:
      break;
  }
  return each_by_key(reader, stream, use);
}

Status each_match(store::Reader& reader, const Reach& reach, const RecordFilter& filter, const ScanBounds& bounds,
                  const std::function<Status(const StreamPlace&, const store::RecordRow&)>& use) {
  std::int64_t looked_at = 0, steps = 0;
  for (const StreamPlace& place : reach.places) {
    const Narrowing narrowing = narrow(place, reach.granted, filter);
    const bool counts = narrowing.by == By::kAll && !filter.empty();
    const auto consider = [&](store::RecordRow& row) -> Status {
      if (++steps % kRecordsALook == 0) LADDER_CHECK(bounds.check());
      if (!narrowing.exact && !is_visible(reach, row)) return {};
      if (counts && ++looked_at > bounds.most_looked_at) {
        return fail(Code::kResourceLimit, format("more than {} records would have to be looked at; filter by a field that the "
                                                 "stream declares for range filters or grouping",
                                                 bounds.most_looked_at));
      }
      if (!narrowing.exact && !filter.matches(json::value_of(row.body))) return {};
      return use(place, row);
    };
    LADDER_CHECK(each_candidate(reader, reach, place.no, narrowing, consider));
  }
  return {};
}

}  // namespace ladder::rs
