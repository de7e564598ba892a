#include "rs/corpus_window.h"

#include "store/field_index.h"
#include "store/order_key.h"
#include "store/sort_bytes.h"

#include <algorithm>

namespace ladder::rs {
namespace {

using By = Narrowing::By;

void widen(TimeEnds& ends, Instant time) {
  ends.earliest = ends.earliest ? std::min(*ends.earliest, time) : time;
  ends.latest = ends.latest ? std::max(*ends.latest, time) : time;
}

std::optional<Instant> time_in(const store::RecordRow& row, const std::string& field) {
  const auto value = json::member(json::value_of(row.body).text, field);
  if (!value || value->kind != json::Kind::kString) return std::nullopt;
  return store::read_raw_time(json::raw_content(*value));
}

// The two ends of what an exact narrowing by the time itself holds; false when nothing keeps its records in that order.
Result<bool> look_at_ends(store::Reader& reader, const StreamPlace& place, const Narrowing& narrowing, const std::string& field,
                          Wanted wanted, TimeEnds& ends) {
  if (!narrowing.exact || (narrowing.by != By::kAll && narrowing.field != field)) return false;
  const FieldIndex* index = place.index(field);
  if (!index) return false;
  if (index->kind == store::IndexKind::kTime) {
    for (const bool descending : {true, false}) {
      if (!descending && wanted == Wanted::kLatest) break;
      LADDER_TRY(const auto page, reader.index_page(index->no, narrowing.range, descending, 1));
      if (!page.empty()) widen(ends, store::get_sorted_time(page.front().entry));
    }
    return true;
  }
  if (index->kind != store::IndexKind::kDays) return false;
  const store::IndexRange range = narrowing.by == By::kAll ? store::order_keys_of(store::IndexKind::kTime) : narrowing.range;
  if (wanted == Wanted::kLatest) {
    LADDER_TRY(const auto last, reader.last_order_key(place.no, range));
    if (last) widen(ends, store::get_sorted_time(std::string_view(*last).substr(1)));  // behind its tag
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

Result<std::optional<TimeEnds>> time_ends(store::Reader& reader, const Reach& reach, const RecordFilter& filter,
                                          const ScanBounds& bounds, Wanted wanted) {
  const std::string& field = reach.places.front().declared->consent_time_field;
  if (field.empty() || (reach.granted && !reach.granted->allows_field(field))) return std::nullopt;
  TimeEnds ends;
  Reach left = reach;
  left.places.clear();
  for (const StreamPlace& place : reach.places) {
    LADDER_TRY(const bool done, look_at_ends(reader, place, narrow(place, reach.granted, filter), field, wanted, ends));
    if (!done) left.places.push_back(place);
  }
  LADDER_CHECK(each_match(reader, left, filter, bounds, [&](const StreamPlace&, const store::RecordRow& row) -> Status {
    if (const auto time = time_in(row, field)) widen(ends, *time);
    return {};
  }));
  return ends;
}

}  // namespace ladder::rs
