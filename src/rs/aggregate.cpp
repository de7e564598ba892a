// Aggregates under an Access (contract 6.9), exact over all the connections that a request reaches. Counts by time come from the
// days that are counted at write time wherever the grant and the conditions leave whole days; everything else looks at the
// records that match, within a deadline.
#include "base/format.h"
#include "base/limits.h"
#include "json/writer.h"
#include "rs/attempt.h"
#include "rs/counting.h"
#include "rs/indexing.h"
#include "rs/resource_server.h"
#include "rs/tally.h"
#include "rs/time_buckets.h"
#include "rs/time_counts.h"
#include "store/field_index.h"
#include "store/sort_bytes.h"

#include <algorithm>
#include <map>

namespace ladder::rs {
namespace {

using port::Metric;

constexpr std::int64_t kDefaultGroups = 10;
constexpr std::int64_t kMaxGroups = 100;
constexpr std::int64_t kMaxScannedRecords = 5'000'000;  // visible records that no index leads to

std::unexpected<Error> invalid(std::string message, std::string_view param) {
  return fail(Code::kInvalidRequest, std::move(message), std::string(param));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class AggregateRead {
 public:
  AggregateRead(store::Store& store, const Clock& clock, const Access& access, const port::AggregateRequest& request,
                std::stop_token stop)
      : store_(store),
        clock_(clock),
        access_(access),
        request_(request),
        bounds_{std::move(stop), access.deadline(limits::kScanDeadlineMs), kMaxScannedRecords} {}

  Status aim(const OwnerCatalog& catalog);
  Result<std::optional<port::AggregateResult>> read(const OwnerCatalog& catalog);
  const HeldGrant* held() const { return reach_.held.get(); }

 private:
  Status check_shape() const;
  Status check_field(const model::Stream& declared, const std::string& field, const std::vector<std::string>& capable,
                     std::string_view capability, std::string_view param) const;
  Status check_capabilities(const model::Stream& declared) const;

  Status count(store::Reader& reader, port::AggregateResult& result);
  Status single(store::Reader& reader, port::AggregateResult& result);
  Status group_by_value(store::Reader& reader, port::AggregateResult& result);
  Status group_by_time(store::Reader& reader, port::AggregateResult& result);
  // Adds the place's records bucket by bucket; false when its counters do not know.
  Result<bool> add_counted(store::Reader& reader, const StreamPlace& place, const TimeBuckets& buckets, TimeTally& tally);

  store::Store& store_;
  const Clock& clock_;
  const Access& access_;
  const port::AggregateRequest& request_;
  const ScanBounds bounds_;

  Reach reach_;
  RecordFilter filter_;
  std::optional<TimeZone> zone_;
};

Status AggregateRead::check_shape() const {
  const bool grouped = !request_.group_by.empty() || !request_.group_by_time.empty();
  if (request_.metric == Metric::kCount && !request_.field.empty()) return invalid("count takes no field", "field");
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

Status AggregateRead::check_field(const model::Stream& declared, const std::string& field,
                                  const std::vector<std::string>& capable, std::string_view capability,
                                  std::string_view param) const {
  if (!declared.field(field)) {
    return fail(Code::kUnknownField, format("stream \"{}\" declares no field \"{}\"", declared.name, field), std::string(param));
  }
  if (reach_.granted) LADDER_CHECK(grant::check_field(*reach_.granted, declared, field));
  if (contains(capable, field)) return {};
  return invalid(
      format("stream \"{}\" does not declare {} of \"{}\"; schema lists what it declares", declared.name, capability, field),
      param);
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
  LADDER_TRY(reach_, reach(access_, catalog, request_.scope, request_.stream));
  const model::Stream& declared = *reach_.places.front().declared;
  LADDER_CHECK(check_capabilities(declared));
  LADDER_TRY(filter_, RecordFilter::compile(declared, reach_.granted, request_.filters));
  if (!request_.group_by_time.empty()) {
    LADDER_TRY(zone_, request_.time_zone.empty() ? TimeZone::utc() : TimeZone::load(request_.time_zone));
  }
  return {};
}

Result<std::optional<port::AggregateResult>> AggregateRead::read(const OwnerCatalog& catalog) {
  LADDER_TRY(const auto reader, open_reader(store_, clock_, access_, reach_, catalog));
  if (!reader) return std::nullopt;
  port::AggregateResult result;
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

Status AggregateRead::count(store::Reader& reader, port::AggregateResult& result) {
  LADDER_TRY(result.filtered_record_count, count_matches(reader, reach_, filter_, bounds_));
  result.value_json = std::to_string(result.filtered_record_count);
  return {};
}

Status AggregateRead::single(store::Reader& reader, port::AggregateResult& result) {
  const model::Field& field = *reach_.places.front().declared->field(request_.field);
  ValueTally tally(request_.metric, *index_kind(field));
  LADDER_CHECK(each_match(reader, reach_, filter_, bounds_, [&](const StreamPlace&, const store::RecordRow& row) -> Status {
    ++result.filtered_record_count;
    const auto value = json::member(json::value_of(row.body).text, request_.field);
    return value ? tally.add(*value) : Status{};
  }));
  LADDER_TRY(result.value_json, tally.result());
  return {};
}

Status AggregateRead::group_by_value(store::Reader& reader, port::AggregateResult& result) {
  const model::Field& field = *reach_.places.front().declared->field(request_.group_by);
  GroupTally tally(*index_kind(field));
  LADDER_CHECK(each_match(reader, reach_, filter_, bounds_, [&](const StreamPlace&, const store::RecordRow& row) -> Status {
    ++result.filtered_record_count;
    return tally.add(json::member(json::value_of(row.body).text, request_.group_by));
  }));
  tally.finish(result);
  return {};
}

// Whole days where a day lies in one bucket; where a bucket ends inside a day, its parts are counted apart.
Result<bool> AggregateRead::add_counted(store::Reader& reader, const StreamPlace& place, const TimeBuckets& buckets,
                                        TimeTally& tally) {
  const Narrowing narrowing = narrow(place, reach_.granted, filter_);
  const bool by_this_time = narrowing.by == Narrowing::By::kAll || narrowing.field == request_.group_by_time;
  auto counts = TimeCounts::of(reader, place, request_.group_by_time);
  const bool finer = request_.granularity == port::Granularity::kHour || request_.granularity == port::Granularity::kMinute;
  if (!narrowing.exact || !by_this_time || !narrowing.one_value.empty() || !counts || finer) return false;
  const TimeStretch stretch = narrowing.by == Narrowing::By::kAll ? TimeStretch{} : stretch_of(narrowing);
  LADDER_TRY(const auto days, counts->days(stretch));
  std::int64_t timed = 0;
  for (const store::DayCount& day : days) {
    timed += day.records;
    const TimeStretch part{std::max(stretch.from, day.day * kDay), std::min(stretch.to, (day.day + 1) * kDay)};
    const auto runs = buckets.runs(part.from, part.to);
    std::int64_t rest = day.records;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      LADDER_TRY(const std::int64_t count, counts->count_singly({runs[i].from, runs[i].to}));
      tally.add(runs[i].bucket, count);
      rest -= count;
    }
    tally.add(runs.back().bucket, rest);
  }
  if (narrowing.by == Narrowing::By::kAll) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    tally.add_untimed(counters.records - timed);
  }
  return true;
}

Status AggregateRead::group_by_time(store::Reader& reader, port::AggregateResult& result) {
  const TimeBuckets buckets(*zone_, *request_.granularity);
  TimeTally tally;
  Reach left = reach_;
  left.places.clear();
  for (const StreamPlace& place : reach_.places) {
    LADDER_TRY(const bool done, add_counted(reader, place, buckets, tally));
    if (!done) left.places.push_back(place);
  }
  LADDER_CHECK(each_match(reader, left, filter_, bounds_, [&](const StreamPlace&, const store::RecordRow& row) -> Status {
    const auto value = json::member(json::value_of(row.body).text, request_.group_by_time);
    const auto time =
        value && value->kind == json::Kind::kString ? store::read_raw_time(json::raw_content(*value)) : std::nullopt;
    if (time) {
      tally.add(buckets.bucket_of(*time), 1);
    } else {
      tally.add_untimed(1);
    }
    return {};
  }));
  tally.finish(buckets, result);
  return {};
}

}  // namespace

Result<port::AggregateResult> ResourceServer::aggregate(const Access& access, const port::AggregateRequest& request,
                                                        std::stop_token stop) {
  AggregateRead read(store_, clock_, access, request, std::move(stop));
  return attempt<port::AggregateResult>(
      store_, clock_, catalogs_, access, [&](const OwnerCatalog& catalog) { return read.aim(catalog); },
      [&](const OwnerCatalog& catalog) { return told_to(access, read.read(catalog)); }, [&] { return read.held(); });
}

}  // namespace ladder::rs
