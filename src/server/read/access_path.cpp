#include "server/read/access_path.h"

#include "store/index/field_index.h"
#include "store/index/order_key.h"

#include <algorithm>
#include <map>

namespace ladder::server {
namespace {

using Op = RecordFilter::Op;
using store::IndexKind;

// The bounds of one field from the conditions and the grant: from <= v < to; an empty `to` is unbounded.
struct Bounds {
  IndexKind kind = IndexKind::kText;
  store::IndexRange range;
  std::string one_value;  // set by an equality condition

  void at_least(const std::string& value) { range.from = std::max(range.from, value); }
  void below(const std::string& value) { range.to = range.to.empty() ? value : std::min(range.to, value); }
};

void apply(Bounds& bounds, Op op, const std::string& value) {
  switch (op) {
    case Op::kEqual:
      bounds.at_least(value);
      bounds.below(store::after_all(value));
      bounds.one_value = value;
      break;
    case Op::kGreaterEqual:
      bounds.at_least(value);
      break;
    case Op::kGreater:
      bounds.at_least(store::after_all(value));
      break;
    case Op::kLessEqual:
      bounds.below(store::after_all(value));
      break;
    case Op::kLess:
      bounds.below(value);
      break;
  }
}

using BoundsByField = std::map<std::string, Bounds>;

BoundsByField bounds_of(const grant::StreamGrant* granted, const RecordFilter& filter) {
  BoundsByField all;
  for (const auto& condition : filter.conditions()) {
    Bounds& bounds = all[condition.field];
    bounds.kind = condition.kind;
    apply(bounds, condition.op, condition.value);
  }
  if (granted && granted->time) {
    Bounds& bounds = all[granted->time->field];
    bounds.kind = IndexKind::kTime;
    if (granted->time->since) bounds.at_least(store::index_value(*granted->time->since));
    if (granted->time->until) bounds.below(store::index_value(*granted->time->until));
  }
  return all;
}

store::IndexRange in_order(const Bounds& bounds) {
  store::IndexRange range = store::order_keys_of(bounds.kind);
  if (!bounds.range.from.empty()) range.from = store::order_key_from(bounds.kind, bounds.range.from);
  if (!bounds.range.to.empty()) range.to = store::order_key_from(bounds.kind, bounds.range.to);
  return range;
}

bool serves(const FieldIndex* index, IndexKind kind) { return index && index->kind == kind; }

}  // namespace

AccessPath choose_access_path(const ConnectionStream& place, const grant::StreamGrant* granted, const RecordFilter& filter) {
  AccessPath access_path;
  if (granted && !granted->resources.empty()) {
    access_path.by = AccessPath::By::kKeys;
    return access_path;
  }
  const BoundsByField all = bounds_of(granted, filter);
  access_path.exact = all.empty();
  int best = 0;
  const auto in_stream_order_by = [&](const std::string& field, const Bounds& bounds) {
    return field == place.declared->cursor_field && bounds.kind != IndexKind::kText;
  };
  for (const auto& [field, bounds] : all) {
    const bool in_stream_order = in_stream_order_by(field, bounds);
    const FieldIndex* index = place.index(field);
    if (!in_stream_order && !serves(index, bounds.kind)) continue;
    // One value of an index is the narrowest; a range of the stream order needs no sorting.
    const int rank = !in_stream_order && !bounds.one_value.empty() ? 3 : in_stream_order ? 2 : 1;
    if (rank <= best) continue;
    best = rank;
    access_path.by = in_stream_order ? AccessPath::By::kOrder : AccessPath::By::kIndex;
    access_path.index = in_stream_order ? 0 : index->no;
    access_path.kind = bounds.kind;
    access_path.field = field;
    access_path.range = in_stream_order ? in_order(bounds) : bounds.range;
    access_path.one_value = bounds.one_value;
    access_path.exact = all.size() == 1;
  }
  if (access_path.by != AccessPath::By::kIndex || access_path.one_value.empty()) return access_path;
  // Entries of one value are in stream order, so bounds on that order narrow them further.
  const auto order = all.find(place.declared->cursor_field);
  if (order == all.end() || !in_stream_order_by(order->first, order->second)) return access_path;
  const store::IndexRange orders = in_order(order->second);
  access_path.range.from = std::max(access_path.range.from, access_path.one_value + orders.from);
  const std::string end = access_path.one_value + orders.to;
  access_path.range.to = access_path.range.to.empty() ? end : std::min(access_path.range.to, end);
  access_path.exact = all.size() == 2;
  return access_path;
}

}  // namespace ladder::server
