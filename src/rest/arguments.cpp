#include "rest/arguments.h"

#include "api/wire_words.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/time/time.h"
#include "http/message/message.h"

namespace ladder::rest {
namespace {

using http::Parameter;
using http::Query;

Result<std::string> text_of(const Query& query, std::string_view name) {
  LADDER_TRY(auto text, query.one(name));
  return std::move(text).value_or("");
}

Result<std::vector<std::string>> names_of(const Query& query, std::string_view name, std::string_view otherwise) {
  LADDER_TRY(auto names, query.many(name, true));
  if (names.empty() && query.has(name)) {
    return fail(Code::kInvalidRequest, format("{} is empty; omit it to get {}", name, otherwise), std::string(name));
  }
  return names;
}

Result<api::Scope> scope_of(const Query& query, Warnings& warnings) {
  api::Scope scope;
  LADDER_TRY(scope.connection_id, connection_of(query, warnings));
  LADDER_TRY(scope.connector_key, text_of(query, "connector_id"));
  return scope;
}

// A limit that is not a positive integer selects the default, as the protocol requires.
std::optional<std::int64_t> page_limit_of(const Query& query) {
  const auto limit = integer_of(query, "limit");
  return limit && limit->value_or(0) > 0 ? *limit : std::nullopt;
}

Result<std::vector<api::Filter>> filters_of(const Query& query) {
  constexpr std::string_view kForm = "a filter is filter[field]=value or filter[field][gte]=value";
  std::vector<api::Filter> filters;
  for (const Parameter& parameter : query.all()) {
    if (parameter.name != "filter") continue;
    if (parameter.path.empty() || parameter.path.size() > 2 || parameter.list) {
      return fail(Code::kInvalidRequest, std::string(kForm), parameter.spelled());
    }
    filters.push_back({parameter.path[0], parameter.path.size() == 2 ? parameter.path[1] : "", parameter.value});
  }
  return filters;
}

using ExpandLimits = std::vector<std::pair<std::string, std::int64_t>>;
Result<ExpandLimits> expand_limits_of(const Query& query) {
  ExpandLimits limits;
  for (const Parameter& parameter : query.all()) {
    if (parameter.name != "expand_limit") continue;
    const auto number = parse_number(parameter.value);
    if (parameter.path.size() != 1 || parameter.list || !number) {
      return fail(Code::kInvalidExpand, "an expand_limit is expand_limit[relation]=N", parameter.spelled());
    }
    limits.emplace_back(parameter.path[0], *number);
  }
  return limits;
}

// `order` and `sort` must agree. Only the cursor field can be sorted by; server/ checks that.
struct Sorting {
  bool descending = true;
  std::string field;
};
Result<Sorting> sorting_of(const Query& query) {
  Sorting sorting;
  LADDER_TRY(const auto order, query.one("order"));
  LADDER_TRY(const auto sort, query.many("sort", true));
  if (order && *order != "asc" && *order != "desc") return fail(Code::kInvalidRequest, "order must be asc or desc", "order");
  if (order) sorting.descending = *order == "desc";
  if (sort.empty()) return sorting;
  if (sort.size() > 1) return fail(Code::kInvalidSort, "only the stream's cursor field can be sorted by: name one", "sort");
  const bool down = sort.front().starts_with('-');
  sorting.field = sort.front().substr(down ? 1 : 0);
  if (order && down != sorting.descending)
    return fail(Code::kInvalidSort, "sort and order disagree; use only one of them", "sort");
  sorting.descending = down;
  return sorting;
}

Result<bool> is_exact(const Query& query, std::string_view name, std::initializer_list<std::string_view> choices) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return false;
  std::string all;
  for (const std::string_view choice : choices) {
    if (choice == *text) return *text != "none";
    all += (all.empty() ? "" : ", ") + std::string(choice);
  }
  return fail(Code::kInvalidRequest, format("{} must be one of {}", name, all), std::string(name));
}

// A change feed has its own order and no total count (PDPP "changes").
Status check_changes(const Query& query) {
  LADDER_TRY(const auto since, query.one("changes_since"));
  if (!since) return {};
  for (const char* other : {"cursor", "order", "sort", "count", "window"}) {
    LADDER_TRY(const auto values, query.many(other));
    if (values.empty()) continue;
    return fail(Code::kInvalidRequest,
                std::string_view(other) == "cursor"
                    ? "changes_since starts a session and cursor continues one: use only one of them"
                    : format("changes_since excludes {}: changes are listed in the order in which they were made", other),
                other);
  }
  return {};
}

// REST clamps the length of a window with a warning (design section 4); the window's own validation rejects all other errors.
Result<model::WindowArguments> window_of(const Query& query, Warnings& warnings) {
  model::WindowArguments window;
  LADDER_TRY(window.cursor, query.one("cursor"));
  LADDER_TRY(window.q, query.one("q"));
  if (!window.q && query.has("q")) window.q = "";  // an empty q is rejected, not ignored
  for (const auto& [name, into] : {std::pair{"offset_chars", &window.offset_chars},
                                   {"limit_chars", &window.limit_chars},
                                   {"before_chars", &window.before_chars},
                                   {"after_chars", &window.after_chars}}) {
    LADDER_TRY(const auto text, query.one(name));
    if (!text) continue;
    LADDER_TRY(*into, model::parse_window_integer(*text, name));
  }
  if (window.limit_chars && *window.limit_chars > limits::kWindowMaxChars) {
    window.limit_chars = limits::kWindowMaxChars;
    warnings.push_back({"limit_clamped", format("limit_chars is at most {}", limits::kWindowMaxChars), "limit_chars", {}});
  }
  return window;
}

// Parses one of the words; returns nullopt if the parameter is absent.
template <class Words>
auto choice_of(const Query& query, std::string_view name, const Words& words)
    -> Result<std::optional<typename Words::value_type::second_type>> {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return std::nullopt;
  const auto value = api::value_of_word(words, *text);
  if (value) return value;
  std::string all;
  for (const auto& entry : words) all += (all.empty() ? "" : ", ") + std::string(entry.first);
  return fail(Code::kInvalidRequest, format("{} must be one of {}", name, all), std::string(name));
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kMatchWords = {{{"any", false}, {"all", true}}};

}  // namespace

Result<std::optional<Instant>> time_of(const Query& query, std::string_view name) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return std::nullopt;
  const auto time = parse_time(*text);
  if (!time)
    return fail(Code::kInvalidRequest, format("{} must be a date or a time, such as 2026-04-01 or 2026-04-01T12:30:00Z", name),
                std::string(name));
  return *time;
}

Result<SchemaArguments> schema_arguments(const Query& query, Warnings& warnings) {
  SchemaArguments made;
  LADDER_TRY(const auto view, query.one("view"));
  LADDER_TRY(const auto detail, query.one("detail"));
  LADDER_TRY(made.request.stream, text_of(query, "stream"));
  LADDER_TRY(made.request.connection_id, connection_of(query, warnings));
  made.compact = view && http::equal_without_case(*view, "compact");
  made.request.full_detail = !made.compact && detail && *detail == "full";
  return made;
}

Result<api::RecordsRequest> records_request(const Query& query, std::string_view stream, Warnings& warnings) {
  LADDER_CHECK(check_changes(query));
  api::RecordsRequest request;
  request.stream = stream;
  LADDER_TRY(request.scope, scope_of(query, warnings));
  request.limit = page_limit_of(query);
  LADDER_TRY(request.cursor, text_of(query, "cursor"));
  LADDER_TRY(const Sorting sorting, sorting_of(query));
  request.descending = sorting.descending;
  request.sort_field = sorting.field;
  LADDER_TRY(request.fields, names_of(query, "fields", "every granted field"));
  LADDER_TRY(request.view, text_of(query, "view"));
  LADDER_TRY(request.filters, filters_of(query));
  LADDER_TRY(request.expand, names_of(query, "expand", "the records alone"));
  LADDER_TRY(request.expand_limits, expand_limits_of(query));
  LADDER_TRY(const bool counted, is_exact(query, "count", {"none", "estimated", "exact"}));
  if (counted) request.count = api::CountKind::kExact;  // an exact count also serves requests for an estimate
  LADDER_TRY(request.window, is_exact(query, "window", {"none", "exact"}));
  LADDER_TRY(request.changes_since, query.one("changes_since"));
  LADDER_TRY(request.max_field_chars, integer_of(query, "max_field_chars"));
  LADDER_TRY(request.max_bytes, integer_of(query, "max_bytes"));
  return request;
}

Result<api::RecordRequest> record_request(const Query& query, std::string_view stream, std::string_view id, Warnings& warnings) {
  api::RecordRequest request;
  LADDER_TRY(const api::Scope scope, scope_of(query, warnings));
  request.record = {scope.connection_id, std::string(stream), std::string(id)};
  request.connector_key = scope.connector_key;
  LADDER_TRY(request.fields, names_of(query, "fields", "every granted field"));
  LADDER_TRY(request.view, text_of(query, "view"));
  LADDER_TRY(request.expand, names_of(query, "expand", "the record alone"));
  LADDER_TRY(request.expand_limits, expand_limits_of(query));
  LADDER_TRY(request.max_field_chars, integer_of(query, "max_field_chars"));
  LADDER_TRY(request.max_bytes, integer_of(query, "max_bytes"));
  return request;
}

Result<api::FieldWindowRequest> window_request(const Query& query, std::string_view stream, std::string_view id,
                                               Warnings& warnings) {
  api::FieldWindowRequest request;
  LADDER_TRY(const api::Scope scope, scope_of(query, warnings));
  request.record = {scope.connection_id, std::string(stream), std::string(id)};
  request.connector_key = scope.connector_key;
  LADDER_TRY(request.field_path, text_of(query, "field"));
  if (request.field_path.empty()) {
    return fail(Code::kInvalidFieldPath, "say which field: field=NAME, or a JSON Pointer into one", "field");
  }
  LADDER_TRY(request.window, window_of(query, warnings));
  return request;
}

Result<api::AggregateRequest> aggregate_request(const Query& query, std::string_view stream, Warnings& warnings) {
  api::AggregateRequest request;
  request.stream = stream;
  LADDER_TRY(request.scope, scope_of(query, warnings));
  LADDER_TRY(const auto metric, choice_of(query, "metric", api::kMetricWords));
  if (!metric) return fail(Code::kInvalidRequest, "say what to compute: metric=count, sum, min, max or count_distinct", "metric");
  request.metric = *metric;
  LADDER_TRY(request.field, text_of(query, "field"));
  LADDER_TRY(request.group_by, text_of(query, "group_by"));
  LADDER_TRY(request.group_by_time, text_of(query, "group_by_time"));
  LADDER_TRY(request.granularity, choice_of(query, "granularity", api::kGranularityWords));
  LADDER_TRY(request.time_zone, text_of(query, "time_zone"));
  LADDER_TRY(request.limit, integer_of(query, "limit"));
  LADDER_TRY(request.filters, filters_of(query));
  return request;
}

Result<api::SearchRequest> search_request(const Query& query, Warnings& warnings) {
  api::SearchRequest request;
  LADDER_TRY(const auto mode, query.one("mode"));
  if (mode && *mode != "lexical") {
    return fail(Code::kInvalidRequest, "only lexical search is supported: use mode=lexical or omit mode", "mode");
  }
  LADDER_TRY(request.q, text_of(query, "q"));
  LADDER_TRY(request.also, query.many("also"));
  LADDER_TRY(request.scope.connection_id, connection_of(query, warnings));
  LADDER_TRY(const auto streams, query.many("streams"));
  for (const std::string& stream : streams) {
    const auto begin = stream.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    request.streams.push_back(stream.substr(begin, stream.find_last_not_of(" \t") - begin + 1));
  }
  LADDER_TRY(request.filters, filters_of(query));
  LADDER_TRY(request.since, time_of(query, "since"));
  LADDER_TRY(request.until, time_of(query, "until"));
  LADDER_TRY(const auto order, choice_of(query, "order", api::kSearchOrderWords));
  request.order = order.value_or(api::SearchOrder::kRelevance);
  LADDER_TRY(const auto match, choice_of(query, "match", kMatchWords));
  request.match_all = match.value_or(false);
  LADDER_TRY(request.group, text_of(query, "group"));
  request.limit = page_limit_of(query);
  LADDER_TRY(request.cursor, text_of(query, "cursor"));
  return request;
}

Result<std::string> connection_of(const http::Query& query, std::vector<api::Warning>& warnings) {
  LADDER_TRY(const auto connection, query.one("connection_id"));
  LADDER_TRY(const auto alias, query.one("connector_instance_id"));
  if (!alias) return connection.value_or("");
  warnings.push_back(
      {"deprecated_alias_used", "connector_instance_id is the old name of connection_id", "connector_instance_id", {}});
  if (connection && *connection != *alias) {
    return fail(Code::kInvalidArgument, "connection_id and connector_instance_id name different connections; use only one",
                "connector_instance_id");
  }
  return *alias;
}

Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name) {
  LADDER_TRY(const auto text, query.one(name));
  if (!text) return std::nullopt;
  const auto value = parse_number(*text);
  if (!value) return fail(Code::kInvalidRequest, format("{} must be an integer", name), std::string(name));
  return value;
}

}  // namespace ladder::rest
