// Computes an aggregate in one pass over the records. Values are compared as in the field index, so that 1 and 1.0
// are one group; the output shows the original text.
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "json/scan/scan.h"
#include "server/read/time_buckets.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ladder::server {

// sum, min, max or count_distinct of one field. Missing, null and mistyped values are ignored.
class ValueAccumulator {
 public:
  ValueAccumulator(api::Metric metric, store::IndexKind kind) : metric_(metric), kind_(kind) {}

  Status add(const json::Value& stored);  // kResourceLimit if there are too many distinct values
  // Returns JSON; null if there was no value. kResourceLimit if the sum exceeds the range of a number.
  Result<std::string> result() const;
  const std::string& extreme() const { return extreme_; }  // the current minimum or maximum, as in an index

 private:
  void add_to_sum(std::string_view number);

  api::Metric metric_;
  store::IndexKind kind_;
  std::string extreme_, extreme_text_;  // min and max: as in an index, and the original text
  std::int64_t whole_ = 0;              // sum; exact while all numbers are integers and the sum fits
  double fraction_ = 0;
  bool exact_ = true;
  bool any_ = false;
  std::unordered_set<std::string> distinct_;
};

// Counts records per value, largest groups first, ties by key. Records without a usable value have no key and come
// last.
class GroupAccumulator {
 public:
  explicit GroupAccumulator(store::IndexKind kind) : kind_(kind) {}

  Status add(const std::optional<json::Value>& stored);
  // Adds records that all have this value, as in an index, with its JSON text.
  void add(const std::string& value, std::string_view text, std::int64_t records);
  void add_without(std::int64_t records) { without_ += records; }
  void finish(api::AggregateResult& result) const;

 private:
  struct Counted {
    std::string text;  // the lexicographically smallest spelling
    std::int64_t count = 0;
  };
  store::IndexKind kind_;
  std::unordered_map<std::string, Counted> groups_;
  std::int64_t without_ = 0;
};

// Counts records per calendar bucket in time order; records without a usable time come last.
class TimeAccumulator {
 public:
  void add(std::int64_t bucket, std::int64_t records) { buckets_[bucket] += records; }
  void add_untimed(std::int64_t records) { untimed_ += records; }
  void finish(const TimeBuckets& buckets, api::AggregateResult& result) const;
  const std::map<std::int64_t, std::int64_t>& buckets() const { return buckets_; }

 private:
  std::map<std::int64_t, std::int64_t> buckets_;
  std::int64_t untimed_ = 0;
};

}  // namespace ladder::server
