// Aggregates through the port (contract 6.9).
#pragma once

#include "port/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::port {

enum class Metric : std::uint8_t { kCount, kSum, kMin, kMax, kCountDistinct };
enum class Granularity : std::uint8_t { kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };

struct AggregateRequest {
  Scope scope;
  std::string stream;
  Metric metric = Metric::kCount;
  std::string field;     // empty for count
  std::string group_by;  // at most one of the two
  std::string group_by_time;
  std::optional<Granularity> granularity;
  std::string time_zone;              // IANA; empty: UTC
  std::optional<std::int64_t> limit;  // groups, 1…100, default 10
  std::vector<Filter> filters;
};

struct Group {
  std::optional<std::string> key_json;  // JSON text of the key; nullopt: the records without a usable value
  std::int64_t count = 0;
};

struct AggregateResult {
  std::int64_t filtered_record_count = 0;
  std::string value_json;  // ungrouped: the value as JSON text
  std::vector<Group> groups;
  std::int64_t other_count = 0;
  std::int64_t limit = 0;
  bool approximate = false;
  std::vector<Warning> warnings;
  std::string request_id = {};  // of a server elsewhere
};

}  // namespace ladder::port
