// Records in the API: lists, single records and changes. `data` is JSON text with the projected members, byte for
// byte from the store (design D20); cuts are always listed.
#pragma once

#include "api/answer_budget.h"
#include "api/preview.h"
#include "base/error/error.h"
#include "model/record_id.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::api {

struct Warning {
  std::string code;  // limit_clamped, deprecated_alias_used, partial_results, count_downgraded, …
  std::string message;
  std::string param;
  std::string detail;  // JSON object text, or empty
};

// One condition: field = value, or field OP value with OP gte, gt, lte or lt. Values are text; the declaration
// defines their type.
struct Filter {
  std::string field;
  std::string op;  // empty: equality
  std::string value;
};

struct Scope {
  std::string connection_id;  // empty: every granted connection of the single source that has the stream
  std::string connector_key;  // the owner's filter by source; empty: none
};

enum class CountKind : std::uint8_t { kNone, kEstimated, kExact };

struct RecordsRequest {
  Scope scope;
  std::string stream;
  std::optional<std::int64_t> limit;  // default 25; values over 100 are clamped with a warning
  std::string cursor;
  bool descending = true;
  bool undated = false;             // only records without a value of the cursor field, by key
  std::string sort_field;           // must be the cursor field if set
  std::vector<std::string> fields;  // empty: every granted field
  std::string view;                 // alternative to fields
  std::vector<Filter> filters;
  std::vector<std::string> expand;
  std::vector<std::pair<std::string, std::int64_t>> expand_limits;
  CountKind count = CountKind::kNone;
  bool window = false;                          // meta.window: total, earliest and latest of the matches
  std::optional<std::string> changes_since;     // "beginning" or a token
  std::optional<std::int64_t> max_field_chars;  // longer strings are cut in the store
  std::optional<std::int64_t> max_bytes;        // of `data` over the page; a longer page ends early with a cursor
  AnswerBudget* budget = nullptr;               // must outlive the call; null: no limit
};

struct RecordRequest {
  model::RecordRef record;
  std::string connector_key;
  std::vector<std::string> fields;
  std::string view;
  std::vector<std::string> expand;
  std::vector<std::pair<std::string, std::int64_t>> expand_limits;
  std::optional<std::int64_t> max_field_chars;
  std::optional<std::int64_t> max_bytes;
};

using api::CutField;

struct Record;

struct Expansion {
  std::string name;
  bool has_many = false;
  bool has_more = false;
  std::vector<Record> records;  // has_one: zero or one
};

struct Record {
  model::RecordRef ref;
  std::string connector_key;
  std::string display_name;  // empty if no name should be shown
  std::string data;          // JSON object text; empty for a tombstone
  std::string emitted_at;
  std::vector<CutField> cut;
  // The declared MIME types (contentMediaType) by field path; remote servers report them only in `cut`.
  std::vector<std::pair<std::string, std::string>> media_types = {};
  std::vector<Expansion> expanded;
  bool deleted = false;
  std::string deleted_at;
};

struct CountResult {
  CountKind kind = CountKind::kNone;
  std::int64_t value = 0;
};

struct CorpusWindow {
  std::int64_t total = 0;
  std::string earliest_at, latest_at;  // empty if unknown
};

struct RecordsPage {
  std::vector<Record> records;
  bool has_more = false;
  std::string next_cursor;
  std::string next_changes_since;  // in a changes session
  CountResult count;
  std::optional<CorpusWindow> window;
  std::vector<Warning> warnings;
  std::string request_id = {};  // from a remote server
  // The characters shown, if fewer than in `records`: a value that several records share is shown once.
  std::optional<std::int64_t> shown_chars = {};
};

// Aggregates in the API (PDPP "aggregates").
enum class Metric : std::uint8_t { kCount, kSum, kMin, kMax, kCountDistinct };
enum class Granularity : std::uint8_t { kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };

struct AggregateRequest {
  Scope scope;
  std::string stream;
  Metric metric = Metric::kCount;
  std::string field;     // empty for count
  std::string group_by;  // only one of group_by and group_by_time
  std::string group_by_time;
  std::optional<Granularity> granularity;
  std::string time_zone;              // IANA; empty: UTC
  std::optional<std::int64_t> limit;  // groups, 1…100, default 10
  std::vector<Filter> filters;
  AnswerBudget* budget = nullptr;  // must outlive the call; null: no limit
};

struct Group {
  std::optional<std::string> key_json;  // JSON text of the key; nullopt: records without a usable value
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
  std::string request_id = {};  // from a remote server
};

}  // namespace ladder::api
