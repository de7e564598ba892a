#include "api/render/target.h"

#include "api/blob.h"
#include "api/wire_words.h"
#include "base/time/time.h"
#include "model/handle.h"

namespace ladder::api {
namespace {

class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}

  Target& text(std::string_view name, std::string_view value) {
    text_ += separator_;
    text_ += percent_encode(name);
    text_ += '=';
    text_ += percent_encode(value);
    separator_ = '&';
    return *this;
  }
  Target& text_if_any(std::string_view name, std::string_view value) { return value.empty() ? *this : text(name, value); }
  Target& text_if_given(std::string_view name, const std::optional<std::string>& value) {
    return value ? text(name, *value) : *this;
  }
  Target& number_if_given(std::string_view name, const std::optional<std::int64_t>& value) {
    return value ? text(name, std::to_string(*value)) : *this;
  }
  Target& texts(std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& value : values) text(name, value);
    return *this;
  }
  Target& scope(const std::string& connection_id, const std::string& connector_key) {
    return text_if_any("connection_id", connection_id).text_if_any("connector_id", connector_key);
  }
  Target& filters(const std::vector<Filter>& filters) {
    for (const Filter& filter : filters) {
      text("filter[" + filter.field + "]" + (filter.op.empty() ? "" : "[" + filter.op + "]"), filter.value);
    }
    return *this;
  }
  Target& expansion(const std::vector<std::string>& names, const std::vector<std::pair<std::string, std::int64_t>>& limits) {
    texts("expand", names);
    for (const auto& [name, limit] : limits) text("expand_limit[" + name + "]", std::to_string(limit));
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  char separator_ = '?';
};

}  // namespace

std::string records_path(std::string_view stream) { return "/v1/streams/" + percent_encode(stream) + "/records"; }

std::string record_path(std::string_view stream, std::string_view record_id) {
  return records_path(stream) + "/" + percent_encode(record_id);
}

std::string target_of(const RecordsRequest& request) {
  Target target(records_path(request.stream));
  target.scope(request.scope.connection_id, request.scope.connector_key).number_if_given("limit", request.limit);
  target.text_if_any("cursor", request.cursor);
  if (!request.sort_field.empty()) target.text("sort", (request.descending ? "-" : "") + request.sort_field);
  else if (!request.descending) target.text("order", "asc");
  target.texts("fields", request.fields).text_if_any("view", request.view).filters(request.filters);
  target.expansion(request.expand, request.expand_limits);
  if (request.count != CountKind::kNone) target.text("count", request.count == CountKind::kExact ? "exact" : "estimated");
  if (request.window) target.text("window", "exact");
  target.text_if_given("changes_since", request.changes_since).number_if_given("max_field_chars", request.max_field_chars);
  return target.number_if_given("max_bytes", request.max_bytes).take();
}

std::string target_of(const RecordRequest& request) {
  Target target(record_path(request.record.stream, request.record.record_id));
  target.scope(request.record.connection_id, request.connector_key).texts("fields", request.fields);
  target.text_if_any("view", request.view).expansion(request.expand, request.expand_limits);
  target.number_if_given("max_field_chars", request.max_field_chars);
  return target.number_if_given("max_bytes", request.max_bytes).take();
}

std::string target_of(const AggregateRequest& request) {
  Target target("/v1/streams/" + percent_encode(request.stream) + "/aggregate");
  target.scope(request.scope.connection_id, request.scope.connector_key);
  target.text("metric", word_of(kMetricWords, request.metric)).text_if_any("field", request.field);
  target.text_if_any("group_by", request.group_by).text_if_any("group_by_time", request.group_by_time);
  if (request.granularity) target.text("granularity", word_of(kGranularityWords, *request.granularity));
  target.text_if_any("time_zone", request.time_zone).number_if_given("limit", request.limit);
  return target.filters(request.filters).take();
}

std::string target_of(const SearchRequest& request) {
  Target target("/v1/search");
  target.text("q", request.q)
      .texts("also", request.also)
      .texts("streams", request.streams)
      .number_if_given("limit", request.limit);
  target.text_if_any("cursor", request.cursor).text_if_any("connection_id", request.scope.connection_id);
  if (request.match_all) target.text("match", "all");
  if (request.since) target.text("since", format_time(*request.since));
  if (request.until) target.text("until", format_time(*request.until));
  if (request.order != SearchOrder::kRelevance) target.text("order", word_of(kSearchOrderWords, request.order));
  target.text_if_any("group", request.group);
  return target.filters(request.filters).take();
}

std::string target_of(const FieldWindowRequest& request) {
  Target target(record_path(request.record.stream, request.record.record_id) + "/field-window");
  target.scope(request.record.connection_id, request.connector_key).text("field", request.field_path);
  const model::WindowArguments& window = request.window;
  target.text_if_given("cursor", window.cursor).number_if_given("offset_chars", window.offset_chars);
  target.number_if_given("limit_chars", window.limit_chars).text_if_given("q", window.q);
  target.number_if_given("before_chars", window.before_chars).number_if_given("after_chars", window.after_chars);
  return target.take();
}

std::string target_of(const BlobRequest& request) {
  return Target(blob_path(request.blob_id)).scope(request.scope.connection_id, request.scope.connector_key).take();
}

std::string target_of(const SchemaRequest& request, bool compact) {
  Target target("/v1/schema");
  if (compact) target.text("view", "compact");
  else if (request.full_detail) target.text("detail", "full");
  return target.text_if_any("stream", request.stream).text_if_any("connection_id", request.connection_id).take();
}

}  // namespace ladder::api
