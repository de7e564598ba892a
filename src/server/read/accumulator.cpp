#include "server/read/accumulator.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "store/index/field_index.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ladder::server {
namespace {

constexpr std::size_t kMaxDistinct = 1'000'000;  // values kept in memory

Status too_many() {
  return fail(Code::kResourceLimit, format("the field has more than {} different values; filter to fewer", kMaxDistinct),
              "field");
}

// Returns infinity on overflow and 0 on underflow; from_chars does not distinguish them.
double nearest_double(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc::result_out_of_range ? std::strtod(std::string(number).c_str(), nullptr) : value;
}

// Keeps the first `limit` groups and adds up the rest.
void cut_groups(std::vector<api::Group> groups, api::AggregateResult& result) {
  const auto kept = std::min(groups.size(), static_cast<std::size_t>(result.limit));
  for (std::size_t i = kept; i < groups.size(); ++i) result.other_count += groups[i].count;
  groups.resize(kept);
  result.groups = std::move(groups);
}

}  // namespace

Status ValueAccumulator::add(const json::Value& stored) {
  const auto value = store::index_value(kind_, stored);
  if (!value) return {};
  if (metric_ == api::Metric::kCountDistinct) {
    if (distinct_.size() >= kMaxDistinct && !distinct_.contains(*value)) return too_many();
    distinct_.insert(*value);
    return {};
  }
  if (metric_ == api::Metric::kSum) {
    add_to_sum(stored.text);
  } else if (!any_ || (metric_ == api::Metric::kMin ? *value < extreme_ : *value > extreme_)) {
    extreme_ = *value;
    extreme_text_ = stored.text;
  }
  any_ = true;
  return {};
}

void ValueAccumulator::add_to_sum(std::string_view number) {
  const auto whole = parse_number(number);
  fraction_ += nearest_double(number);
  exact_ = exact_ && whole && !__builtin_add_overflow(whole_, *whole, &whole_);
}

Result<std::string> ValueAccumulator::result() const {
  if (metric_ == api::Metric::kCountDistinct) return std::to_string(distinct_.size());
  if (metric_ == api::Metric::kSum && exact_) return std::to_string(whole_);
  if (metric_ == api::Metric::kSum && !std::isfinite(fraction_)) {
    return fail(Code::kResourceLimit, "the sum is larger than a number can be; filter to fewer records", "field");
  }
  if (metric_ == api::Metric::kSum) return format("{}", fraction_);
  return any_ ? extreme_text_ : "null";
}

Status GroupAccumulator::add(const std::optional<json::Value>& stored) {
  const auto value = stored ? store::index_value(kind_, *stored) : std::nullopt;
  // A text stored outside its row is too long for a group key.
  if (!value || stored->kind == json::Kind::kReference) {
    ++without_;
    return {};
  }
  if (groups_.size() >= kMaxDistinct && !groups_.contains(*value)) return too_many();
  Counted& group = groups_[*value];
  if (group.count++ == 0 || stored->text < group.text) group.text = stored->text;
  return {};
}

void GroupAccumulator::add(const std::string& value, std::string_view text, std::int64_t records) {
  Counted& group = groups_[value];
  if (group.count == 0 || text < group.text) group.text = text;
  group.count += records;
}

void GroupAccumulator::finish(api::AggregateResult& result) const {
  std::vector<api::Group> groups;
  groups.reserve(groups_.size() + 1);
  for (const auto& [value, counted] : groups_) groups.push_back({counted.text, counted.count});
  std::ranges::sort(groups, [](const api::Group& a, const api::Group& b) {
    return a.count != b.count ? a.count > b.count : *a.key_json < *b.key_json;
  });
  if (without_ > 0) groups.push_back({std::nullopt, without_});
  cut_groups(std::move(groups), result);
}

void TimeAccumulator::finish(const TimeBuckets& buckets, api::AggregateResult& result) const {
  std::vector<api::Group> groups;
  groups.reserve(buckets_.size() + 1);
  for (const auto& [bucket, count] : buckets_) {
    if (count == 0) continue;
    groups.push_back({'"' + buckets.key_of(bucket) + '"', count});
    result.filtered_record_count += count;
  }
  if (untimed_ > 0) groups.push_back({std::nullopt, untimed_});
  result.filtered_record_count += untimed_;
  cut_groups(std::move(groups), result);
}

}  // namespace ladder::server
