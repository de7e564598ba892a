// Aggregates under an Access (PDPP "aggregates"), exact over all connections in scope. Counts by time use the day
// counters for complete days if the grant and the conditions allow it, and groups of a text field its index. All other
// aggregates scan the matching records, within a deadline.
#include "base/limits.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "model/field_path.h"
#include "server/catalog/indexing.h"
#include "server/read/accumulator.h"
#include "server/read/counting.h"
#include "server/read/reads.h"
#include "server/read/shown_values.h"
#include "server/read/time_buckets.h"
#include "server/shared/attempt.h"
#include "store/index/field_index.h"
#include "store/index/order_key.h"

#include <algorithm>
#include <map>

namespace ladder::server {
namespace {

using api::Metric;

constexpr std::int64_t kDefaultGroups = 10;
constexpr std::int64_t kMaxGroups = 100;
constexpr std::int64_t kMaxIndexedGroups = 20'000;      // two lookups each; for more, a scan is as fast
constexpr std::int64_t kMaxScannedRecords = 5'000'000;  // visible records without a usable index

std::unexpected<Error> invalid(std::string message, std::string_view param) {
  return fail(Code::kInvalidRequest, std::move(message), std::string(param));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class AggregateRead {
 public:
  AggregateRead(store::Store& store, const Clock& clock, const Access& access, const api::AggregateRequest& request,
                std::stop_token stop)
      : store_(store),
        clock_(clock),
        access_(access),
        request_(request),
        bounds_{std::move(stop), access.deadline(limits::kSearchDeadlineMs), kMaxScannedRecords} {}

  Status aim(const OwnerCatalog& catalog);
  Result<std::optional<api::AggregateResult>> read(const OwnerCatalog& catalog);
  const HeldGrant* held() const { return read_scope_.held.get(); }
  // Discloses the fields used, for every stream in scope, and the values shown.
  Disclosure disclosed(const api::AggregateResult& result) const;

 private:
  Status check_shape() const;
  Status check_field(const model::Stream& declared, const std::string& field, const std::vector<std::string>& capable,
                     std::string_view capability, std::string_view param) const;
  std::string capable_fields(const std::vector<std::string>& capable) const;
  Status check_capabilities(const model::Stream& declared) const;

  Status count(store::Reader& reader, api::AggregateResult& result);
  Status single(store::Reader& reader, api::AggregateResult& result);
  Status group_by_value(store::Reader& reader, api::AggregateResult& result);
  Status group_by_time(store::Reader& reader, api::AggregateResult& result);
  // Adds the stream's records bucket by bucket; returns false if its counters are not usable.
  Result<bool> add_counted(store::Reader& reader, const ConnectionStream& place, const TimeBuckets& buckets,
                           TimeAccumulator& accumulator);

  // Adds the groups of a stream from the index of the field, one range of entries per group; returns false if a condition has to
  // be checked for each record, or the index cannot be used. Not for a database server, where each lookup is a round trip.
  Result<bool> add_indexed(store::Reader& reader, const ConnectionStream& place, GroupAccumulator& accumulator,
                           api::AggregateResult& result);

  // Finds the records of small groups. Groups are sorted by size, so if the shown groups are small there are few
  // records; otherwise the second scan stops once it has found the wanted ones.
  Status find_group_records(store::Reader& reader, const api::AggregateResult& result);
  Status find_bucket_records(store::Reader& reader, const TimeBuckets& buckets, const ReadScope& scanned,
                             const TimeAccumulator& accumulator, const api::AggregateResult& result);
  Status shorten(api::AggregateResult& result) const { return request_.budget ? request_.budget->trim_groups(result) : Status{}; }

  store::Store& store_;
  const Clock& clock_;
  const Access& access_;
  const api::AggregateRequest& request_;
  const ScanBounds bounds_;

  ReadScope read_scope_;
  RecordFilter filter_;
  std::optional<TimeZone> zone_;
  std::map<store::StreamNo, store::IndexNo> counted_by_index_;  // streams whose groups were counted without reading the records
  std::map<std::int64_t, TimeInterval> counted_intervals_;      // per bucket, if its records were counted without being read
  std::map<std::size_t, ShownValues> shown_values_;             // by group; 0 for a single value
};

Status AggregateRead::check_shape() const {
  const bool grouped = !request_.group_by.empty() || !request_.group_by_time.empty();
  if (request_.metric == Metric::kCount && !request_.field.empty()) return invalid("count does not use a field", "field");
  if (request_.metric != Metric::kCount && request_.field.empty()) return invalid("this metric needs a field", "field");
  if (grouped && request_.metric != Metric::kCount) return invalid("only count can be grouped", "metric");
  if (!request_.group_by.empty() && !request_.group_by_time.empty()) {
    return invalid("group_by and group_by_time exclude each other", "group_by_time");
  }
  if (request_.group_by_time.empty() && request_.granularity) return invalid("granularity needs group_by_time", "granularity");
  if (!request_.group_by_time.empty() && !request_.granularity)
    return invalid("group_by_time needs a granularity: minute, hour, day, week, month, quarter or year", "granularity");
  if (request_.group_by_time.empty() && !request_.time_zone.empty()) return invalid("time_zone needs group_by_time", "time_zone");
  if (request_.limit && !grouped) return invalid("limit is for groups", "limit");
  if (request_.limit && (*request_.limit < 1 || *request_.limit > kMaxGroups)) {
    return invalid(format("limit is 1 to {}", kMaxGroups), "limit");
  }
  return {};
}

// Lists the granted fields that support the operation.
std::string AggregateRead::capable_fields(const std::vector<std::string>& capable) const {
  std::string names;
  for (const std::string& field : capable) {
    if (read_scope_.granted && !read_scope_.granted->allows_field(field)) continue;
    names += (names.empty() ? "; these work: " : ", ") + field;
  }
  return names.empty() ? "; no field that you may read works" : names;
}

Status AggregateRead::check_field(const model::Stream& declared, const std::string& field,
                                  const std::vector<std::string>& capable, std::string_view capability,
                                  std::string_view param) const {
  if (!declared.field(field)) {
    return fail(Code::kUnknownField,
                format("stream \"{}\" declares no field \"{}\"{}", declared.name, field, capable_fields(capable)),
                std::string(param));
  }
  if (read_scope_.granted) LADDER_CHECK(grant::check_field(*read_scope_.granted, declared, field));
  if (contains(capable, field)) return {};
  return invalid(
      format("stream \"{}\" does not declare {} of \"{}\"{}", declared.name, capability, field, capable_fields(capable)), param);
}

Status AggregateRead::check_capabilities(const model::Stream& declared) const {
  const model::Aggregations& can = declared.aggregations;
  switch (request_.metric) {
    case Metric::kCount:
      if (!can.count) return invalid(format("stream \"{}\" does not declare count", declared.name), "metric");
      break;
    case Metric::kSum:
      return check_field(declared, request_.field, can.sum, "sum", "field");
    case Metric::kMin:
      return check_field(declared, request_.field, can.min, "min", "field");
    case Metric::kMax:
      return check_field(declared, request_.field, can.max, "max", "field");
    case Metric::kCountDistinct:
      return check_field(declared, request_.field, can.count_distinct, "count_distinct", "field");
  }
  if (!request_.group_by.empty()) return check_field(declared, request_.group_by, can.group_by, "group_by", "group_by");
  if (!request_.group_by_time.empty()) {
    return check_field(declared, request_.group_by_time, can.group_by_time, "group_by_time", "group_by_time");
  }
  return {};
}

Status AggregateRead::aim(const OwnerCatalog& catalog) {
  LADDER_CHECK(check_shape());
  LADDER_TRY(read_scope_, read_scope(access_, catalog, request_.scope, request_.stream));
  const model::Stream& declared = *read_scope_.streams.front().declared;
  LADDER_CHECK(check_capabilities(declared));
  LADDER_TRY(filter_, RecordFilter::compile(declared, read_scope_.granted, request_.filters));
  if (!request_.group_by_time.empty()) {
    LADDER_TRY(zone_, request_.time_zone.empty() ? TimeZone::utc() : TimeZone::load(request_.time_zone));
  }
  return {};
}

Result<std::optional<api::AggregateResult>> AggregateRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(const auto reader, open_reader(store_, clock_, access_, read_scope_, catalog));
  if (!reader) return std::nullopt;
  api::AggregateResult result;
  shown_values_.clear();
  counted_intervals_.clear();
  counted_by_index_.clear();
  result.limit = request_.limit.value_or(kDefaultGroups);
  if (!request_.group_by_time.empty()) {
    LADDER_CHECK(group_by_time(*reader, result));
  } else if (!request_.group_by.empty()) {
    LADDER_CHECK(group_by_value(*reader, result));
  } else if (request_.metric == Metric::kCount) {
    LADDER_CHECK(count(*reader, result));
  } else {
    LADDER_CHECK(single(*reader, result));
  }
  return result;
}

Status AggregateRead::count(store::Reader& reader, api::AggregateResult& result) {
  LADDER_TRY(result.filtered_record_count, count_matches(reader, read_scope_, filter_, bounds_));
  result.value_json = std::to_string(result.filtered_record_count);
  return shorten(result);
}

Status AggregateRead::single(store::Reader& reader, api::AggregateResult& result) {
  const model::Field& field = *read_scope_.streams.front().declared->field(request_.field);
  const store::IndexKind kind = *index_kind(field);
  ValueAccumulator accumulator(request_.metric, kind);
  const bool is_extreme = request_.metric == Metric::kMin || request_.metric == Metric::kMax;
  ShownValues& shown = shown_values_[0];
  LADDER_CHECK(each_match(
      reader, read_scope_, filter_, bounds_, [&](const ConnectionStream& place, const store::RecordRow& row) -> Status {
        ++result.filtered_record_count;
        const auto value = json::member(json::value_of(row.body).text, request_.field);
        if (!value) return {};
        const std::string before = is_extreme ? accumulator.extreme() : std::string();
        LADDER_CHECK(accumulator.add(*value));
        if (is_extreme && accumulator.extreme() != before) shown.clear();
        // A sum over few records reveals their values.
        const bool took_part = is_extreme ? store::index_value(kind, *value) == accumulator.extreme()
                                          : request_.metric == Metric::kSum && store::index_value(kind, *value).has_value();
        if (took_part && !access_.is_owner()) shown.add(place, row, request_.field);
        return {};
      }));
  LADDER_TRY(result.value_json, accumulator.result());
  return shorten(result);
}

Status AggregateRead::group_by_value(store::Reader& reader, api::AggregateResult& result) {
  const model::Field& field = *read_scope_.streams.front().declared->field(request_.group_by);
  GroupAccumulator accumulator(*index_kind(field));
  ReadScope left = read_scope_;
  left.streams.clear();
  for (const ConnectionStream& place : read_scope_.streams) {
    LADDER_TRY(const bool done, add_indexed(reader, place, accumulator, result));
    if (!done) left.streams.push_back(place);
  }
  LADDER_CHECK(each_match(reader, left, filter_, bounds_, [&](const ConnectionStream&, const store::RecordRow& row) -> Status {
    ++result.filtered_record_count;
    return accumulator.add(json::member(json::value_of(row.body).text, request_.group_by));
  }));
  accumulator.finish(result);
  LADDER_CHECK(shorten(result));
  return find_group_records(reader, result);
}

Result<bool> AggregateRead::add_indexed(store::Reader& reader, const ConnectionStream& place, GroupAccumulator& accumulator,
                                        api::AggregateResult& result) {
  const FieldIndex* const index = place.index(request_.group_by);
  const AccessPath path = choose_access_path(place, read_scope_.granted, filter_);
  if (store_.is_remote() || index == nullptr || index->kind != store::IndexKind::kText) return false;
  if (path.by != AccessPath::By::kAll || !path.exact) return false;
  struct Counted {
    std::string value, text;
    std::int64_t records = 0;
  };
  std::vector<Counted> groups;
  LADDER_TRY(const store::StreamCounters counters, reader.counters(place.no));
  std::int64_t left = counters.records;
  for (store::IndexRange rest;;) {
    LADDER_CHECK(bounds_.check());
    LADDER_TRY(const auto next, reader.index_page(index->no, rest, false, 1));
    if (next.empty()) break;
    const auto stored = json::member(json::value_of(next.front().record.body).text, request_.group_by);
    const auto value = stored ? store::index_value(index->kind, *stored) : std::nullopt;
    // The text of a value outside its row is not at hand.
    const bool is_usable = value && stored->kind != json::Kind::kReference && next.front().entry.starts_with(*value);
    if (!is_usable || std::ssize(groups) == kMaxIndexedGroups) return false;
    const store::IndexRange entries = store::entries_with(*value);
    LADDER_TRY(const std::int64_t records, reader.index_count(index->no, entries, counters.records));
    groups.push_back({*value, std::string(stored->text), records});
    left -= records;
    if (entries.to.empty()) break;
    rest.from = entries.to;
  }
  for (const Counted& group : groups) accumulator.add(group.value, group.text, group.records);
  accumulator.add_without(left);
  result.filtered_record_count += counters.records;
  counted_by_index_[place.no] = index->no;
  return true;
}

Status AggregateRead::find_group_records(store::Reader& reader, const api::AggregateResult& result) {
  if (access_.is_owner()) return {};
  const store::IndexKind kind = *index_kind(*read_scope_.streams.front().declared->field(request_.group_by));
  std::map<std::string, std::size_t> wanted;  // the group of each value
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const api::Group& group = result.groups[i];
    if (!group.key_json || group.count > kMaxAttributedRecords) continue;
    if (const auto value = store::index_value(kind, json::value_of(*group.key_json))) wanted.emplace(*value, i);
    missing += group.count;
  }
  if (wanted.empty()) return {};
  const auto look = [&](const ConnectionStream& place, const store::RecordRow& row) -> Status {
    const auto stored = json::member(json::value_of(row.body).text, request_.group_by);
    const auto value = stored && stored->kind != json::Kind::kReference ? store::index_value(kind, *stored) : std::nullopt;
    const auto group = value ? wanted.find(*value) : wanted.end();
    if (group == wanted.end()) return {};
    shown_values_[group->second].add(place, row, request_.group_by);
    return --missing > 0 ? Status{} : fail(Code::kCancelled, "every record was found");
  };
  ReadScope scanned = read_scope_;
  std::erase_if(scanned.streams, [&](const ConnectionStream& place) { return counted_by_index_.contains(place.no); });
  for (const ConnectionStream& place : read_scope_.streams) {
    const auto index = counted_by_index_.find(place.no);
    if (index == counted_by_index_.end()) continue;
    for (const auto& [value, group] : wanted) {
      LADDER_TRY(const auto rows, reader.index_page(index->second, store::entries_with(value), false, kMaxAttributedRecords));
      for (const store::IndexedRow& row : rows) {
        if (missing > 0) (void)look(place, row.record);  // fails when every record was found
      }
    }
  }
  if (missing == 0) return {};
  Status looked = each_match(reader, scanned, filter_, bounds_, look);
  return missing == 0 ? Status{} : looked;
}

Status AggregateRead::find_bucket_records(store::Reader& reader, const TimeBuckets& buckets, const ReadScope& scanned,
                                          const TimeAccumulator& accumulator, const api::AggregateResult& result) {
  if (access_.is_owner()) return {};
  std::map<std::string, std::size_t> shown;  // the group of each key
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    if (result.groups[i].key_json) shown.emplace(*result.groups[i].key_json, i);
  }
  std::map<std::int64_t, std::size_t> wanted;  // the group of each bucket
  for (const auto& [bucket, count] : accumulator.buckets()) {
    if (count == 0 || count > kMaxAttributedRecords) continue;
    const auto group = shown.find('"' + buckets.key_of(bucket) + '"');
    if (group != shown.end()) wanted.emplace(bucket, group->second);
  }
  const auto look = [&](const ConnectionStream& place, const store::RecordRow& row) -> Status {
    const auto value = json::member(json::value_of(row.body).text, request_.group_by_time);
    const auto time =
        value && value->kind == json::Kind::kString ? store::read_raw_time(json::raw_content(*value)) : std::nullopt;
    const auto group = time ? wanted.find(buckets.bucket_of(*time)) : wanted.end();
    if (group == wanted.end()) return {};
    // The key shows the leading characters of the time, possibly in another zone.
    shown_values_[group->second].add(place, row, request_.group_by_time, shown_chars(*result.groups[group->second].key_json));
    return {};
  };
  if (wanted.empty()) return {};
  LADDER_CHECK(each_match(reader, scanned, filter_, bounds_, look));
  ReadScope counted = read_scope_;
  std::erase_if(counted.streams, [&](const ConnectionStream& place) {
    return std::ranges::any_of(scanned.streams, [&](const ConnectionStream& other) { return other.no == place.no; });
  });
  for (const auto& [bucket, group] : wanted) {
    const auto stretch = counted_intervals_.find(bucket);
    if (stretch == counted_intervals_.end()) continue;
    const RecordFilter inside = filter_.in_time(request_.group_by_time, stretch->second.from, stretch->second.to);
    LADDER_CHECK(each_match(reader, counted, inside, bounds_, look));
  }
  return {};
}

// Uses day counters for days within one bucket; a day with a bucket boundary is split and counted separately.
Result<bool> AggregateRead::add_counted(store::Reader& reader, const ConnectionStream& place, const TimeBuckets& buckets,
                                        TimeAccumulator& accumulator) {
  const AccessPath access_path = choose_access_path(place, read_scope_.granted, filter_);
  const bool by_this_time = access_path.by == AccessPath::By::kAll || access_path.field == request_.group_by_time;
  auto counts = TimeCounts::of(reader, place, request_.group_by_time);
  const bool finer = request_.granularity == api::Granularity::kHour || request_.granularity == api::Granularity::kMinute;
  if (!access_path.exact || !by_this_time || !access_path.one_value.empty() || !counts || finer) return false;
  const TimeInterval stretch = access_path.by == AccessPath::By::kAll ? TimeInterval{} : interval_of(access_path);
  LADDER_TRY(const auto days, counts->days(stretch));
  std::int64_t timed = 0;
  for (const store::DayCount& day : days) {
    timed += day.records;
    const TimeInterval part{std::max(stretch.from, day.day * kDay), std::min(stretch.to, (day.day + 1) * kDay)};
    const auto runs = buckets.runs(part.from, part.to);
    for (const TimeBuckets::Run& run : runs) {
      TimeInterval& known = counted_intervals_.try_emplace(run.bucket, TimeInterval{run.from, run.to}).first->second;
      known = {std::min(known.from, run.from), std::max(known.to, run.to)};
    }
    std::int64_t rest = day.records;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      LADDER_TRY(const std::int64_t count, counts->count_singly({runs[i].from, runs[i].to}));
      accumulator.add(runs[i].bucket, count);
      rest -= count;
    }
    accumulator.add(runs.back().bucket, rest);
  }
  if (access_path.by == AccessPath::By::kAll) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    accumulator.add_untimed(counters.records - timed);
  }
  return true;
}

Status AggregateRead::group_by_time(store::Reader& reader, api::AggregateResult& result) {
  const TimeBuckets buckets(*zone_, *request_.granularity);
  TimeAccumulator accumulator;
  ReadScope left = read_scope_;
  left.streams.clear();
  for (const ConnectionStream& place : read_scope_.streams) {
    LADDER_TRY(const bool done, add_counted(reader, place, buckets, accumulator));
    if (!done) left.streams.push_back(place);
  }
  LADDER_CHECK(each_match(reader, left, filter_, bounds_, [&](const ConnectionStream&, const store::RecordRow& row) -> Status {
    const auto value = json::member(json::value_of(row.body).text, request_.group_by_time);
    const auto time =
        value && value->kind == json::Kind::kString ? store::read_raw_time(json::raw_content(*value)) : std::nullopt;
    if (time) {
      accumulator.add(buckets.bucket_of(*time), 1);
    } else {
      accumulator.add_untimed(1);
    }
    return {};
  }));
  accumulator.finish(buckets, result);
  LADDER_CHECK(shorten(result));
  return find_bucket_records(reader, buckets, left, accumulator, result);
}

Disclosure AggregateRead::disclosed(const api::AggregateResult& result) const {
  Disclosure shown{"aggregate", {}, {}};
  for (const ConnectionStream& place : read_scope_.streams) {
    ShownRecord& stream = shown.record({place.connection->row.connection_id, place.declared->name, ""});
    const auto count_over = [&](const std::string& field) {
      const std::string path = field.empty() ? "" : model::format_field_path(field);
      ShownField& counted = stream.field(path, Unit::kRecords, std::nullopt, result.filtered_record_count);
      add_range(counted.ranges, {0, result.filtered_record_count});
    };
    count_over("");
    for (const std::string* field : {&request_.field, &request_.group_by, &request_.group_by_time}) {
      if (!field->empty()) count_over(*field);
    }
    for (const api::Filter& filter : request_.filters) count_over(filter.field);
  }
  shown.counted.emplace();
  std::map<std::string, std::int64_t> unattributed;  // characters by field
  const auto show = [&](std::size_t group, const std::string& field, std::int64_t chars) {
    shown.counted->chars += chars;
    const auto values = shown_values_.find(group);
    if (values == shown_values_.end() || !values->second.disclose_into(shown)) unattributed[field] += chars;
  };
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    if (!result.groups[i].key_json) continue;
    show(i, request_.group_by.empty() ? request_.group_by_time : request_.group_by, shown_chars(*result.groups[i].key_json));
  }
  const bool is_text = request_.metric == Metric::kMin || request_.metric == Metric::kMax || request_.metric == Metric::kSum;
  if (is_text) show(0, request_.field, shown_chars(result.value_json));
  // The connection of such a value is unknown; it is recorded for the first one.
  for (const auto& [field, chars] : unattributed) {
    ShownField& values = shown.records.front().field(model::format_field_path(field), Unit::kChars, std::nullopt, chars);
    add_range(values.ranges, {0, chars});
  }
  return shown;
}

}  // namespace

Result<api::AggregateResult> Reads::aggregate(const Access& access, const api::AggregateRequest& request, std::stop_token stop) {
  AggregateRead read(shared_.store, shared_.clock, access, request, std::move(stop));
  return attempt<api::AggregateResult>(
      shared_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return hide_damage(access, read.read(catalog)); }, [&] { return read.held(); },
      [&](const api::AggregateResult& result) { return read.disclosed(result); });
}

}  // namespace ladder::server
