#include "rest/routes.h"

#include "base/limits.h"
#include "json/writer.h"

namespace ladder::rest {
namespace {

using http::ParameterPlace;
using http::Placement;
using http::Route;
using http::RouteParameter;

constexpr std::size_t kMaxIngestBody = 50 * limits::kMiB;  // contract 10.1

int number(Handler handler) { return static_cast<int>(handler); }

RouteParameter path(std::string_view name, std::string_view summary) {
  return {.name = name, .place = ParameterPlace::kPath, .summary = summary, .required = true};
}
RouteParameter text(std::string_view name, std::string_view summary) { return {.name = name, .summary = summary}; }
RouteParameter list(std::string_view name, std::string_view summary) {
  return {.name = name, .type = "array", .summary = summary};
}
RouteParameter integer(std::string_view name, std::string_view summary, std::int64_t low, std::optional<std::int64_t> high = {}) {
  return {.name = name, .type = "integer", .summary = summary, .minimum = low, .maximum = high};
}
RouteParameter choice(std::string_view name, std::string_view summary, std::vector<std::string_view> choices) {
  return {.name = name, .summary = summary, .choices = std::move(choices)};
}

const RouteParameter kConnection = text("connection_id", "one connection; needed when several have the stream or the record");
const RouteParameter kAlias = text("connector_instance_id", "the old name of connection_id");
const RouteParameter kConnector = text("connector_id", "accepted for compatibility; connection_id narrows");
const RouteParameter kSubject = text("subject_id", "accepted for compatibility");
const RouteParameter kFields = list("fields", "the fields to return, comma-separated or repeated; all granted ones when absent");
const RouteParameter kView = text("view", "a declared view, instead of fields");
const RouteParameter kFieldChars = integer("max_field_chars", "longer strings are cut there and listed in truncated_fields", 0);
const RouteParameter kMaxBytes = integer("max_bytes", "of data over the answer; a page ends early with a cursor", 1);

}  // namespace

std::vector<Route> routes(Placement reads) {
  const RouteParameter stream = path("stream", "the stream's name");
  const RouteParameter id = path("id", "the record's key, percent-encoded");
  std::vector<Route> rows;
  const auto add = [&](std::string_view method, std::string_view pattern, Handler handler, std::string_view name,
                       std::string_view summary, std::vector<RouteParameter> parameters, Placement placement,
                       std::size_t max_body = 0) {
    rows.push_back({method, pattern, number(handler), name, summary, std::move(parameters), placement, max_body});
  };
  add("GET", "/", Handler::kIndex, "index", "where things are", {}, Placement::kHere);
  add("GET", "/healthz", Handler::kHealth, "health", "the process answers", {}, Placement::kHere);
  add("GET", "/readyz", Handler::kReady, "ready", "the store answers", {}, Placement::kWorker);
  add("GET", "/metrics", Handler::kMetrics, "metrics", "Prometheus text", {}, Placement::kHere);
  add("GET", "/openapi.json", Handler::kOpenApi, "openapi", "this table as OpenAPI 3.1", {}, Placement::kHere);
  add("GET", "/.well-known/oauth-protected-resource", Handler::kResourceMetadata, "resource_metadata",
      "protected-resource metadata (RFC 9728)", {}, Placement::kHere);
  add("GET", "/v1/schema", Handler::kSchema, "schema", "what the token may read",
      {choice("detail", "full: one stream in every detail", {"full"}), text("stream", "only this stream"), kConnection}, reads);
  add("GET", "/v1/streams", Handler::kStreams, "list_streams", "the streams, one entry per connection",
      {kConnection, kAlias, kConnector, kSubject}, reads);
  add("GET", "/v1/streams/{stream}", Handler::kStream, "get_stream", "one stream's metadata",
      {stream, kConnection, kAlias, kConnector, kSubject}, reads);
  add("GET", "/v1/streams/{stream}/records", Handler::kRecords, "list_records", "a page of records",
      {stream,
       {.name = "limit", .type = "integer", .summary = "records a page", .default_value = "25", .minimum = 1, .maximum = 100},
       text("cursor", "from next_cursor of the page before"),
       choice("order", "by cursor field and key", {"asc", "desc"}),
       text("sort", "the cursor field, with - for descending"),
       kFields,
       kView,
       {.name = "filter", .type = "object", .summary = "filter[field]=value, filter[field][gte]=value"},
       choice("count", "how many match", {"none", "estimated", "exact"}),
       kFieldChars,
       kMaxBytes,
       kConnection,
       kAlias,
       kConnector,
       kSubject},
      Placement::kWorker);
  add("GET", "/v1/streams/{stream}/records/{id}", Handler::kRecord, "get_record", "one record",
      {stream, id, kFields, kView, kFieldChars, kMaxBytes, kConnection, kAlias, kConnector, kSubject}, reads);
  add("DELETE", "/v1/streams/{stream}/records/{id}", Handler::kDeleteRecord, "delete_record", "erases a record for good (owner)",
      {stream, id, kConnection, kAlias, kConnector, kSubject}, Placement::kWorker);
  add("GET", "/v1/streams/{stream}/records/{id}/field-window", Handler::kFieldWindow, "read_field_window",
      "a bounded window of one field",
      {stream,
       id,
       {.name = "field", .summary = "a field's name, or a JSON Pointer", .required = true},
       text("cursor", "from next_cursor, previous_cursor or next_match_cursor"),
       integer("offset_chars", "where it starts", 0),
       {.name = "limit_chars",
        .type = "integer",
        .summary = "how long it is; more than the maximum clamps",
        .default_value = "4096",
        .minimum = 1,
        .maximum = limits::kWindowMaxChars},
       text("q", "text to find; the window lies around its first match"),
       integer("before_chars", "context before the match", 0, limits::kContextMaxChars),
       integer("after_chars", "context after the match", 0, limits::kContextMaxChars),
       kConnection,
       kAlias,
       kConnector,
       kSubject},
      Placement::kWorker);
  add("POST", "/v1/ingest/{stream}", Handler::kIngest, "ingest", "RECORD lines (NDJSON) from the owner",
      {stream, kConnection, kAlias, kConnector}, Placement::kWorker, kMaxIngestBody);
  add("POST", "/grants/{grant}/revoke", Handler::kRevokeGrant, "revoke_grant", "ends a grant at once (owner)",
      {path("grant", "the grant's id")}, Placement::kWorker, 4 * limits::kKiB);
  return rows;
}

std::string openapi(const std::vector<Route>& routes, std::string_view version) {
  json::Writer out;
  out.begin_object().member("openapi", "3.1.0");
  out.key("info").begin_object().member("title", "Ladder").member("version", version).end_object();
  out.key("paths").begin_object();
  std::string_view open;
  for (const Route& route : routes) {
    if (route.pattern != open) {  // rows of one path stand together in the table
      if (!open.empty()) out.end_object();
      out.key(route.pattern).begin_object();
      open = route.pattern;
    }
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    out.key(method).begin_object().member("operationId", route.name).member("summary", route.summary);
    out.key("parameters").begin_array();
    for (const RouteParameter& parameter : route.parameters) {
      const std::string_view place = parameter.place == ParameterPlace::kPath     ? "path"
                                     : parameter.place == ParameterPlace::kHeader ? "header"
                                                                                  : "query";
      out.begin_object().member("name", parameter.name).member("in", place).member("description", parameter.summary);
      out.member("required", parameter.required);
      out.key("schema").begin_object().member("type", parameter.type);
      if (parameter.minimum) out.member("minimum", *parameter.minimum);
      if (parameter.maximum) out.member("maximum", *parameter.maximum);
      if (!parameter.choices.empty()) {
        out.key("enum").begin_array();
        for (std::string_view one : parameter.choices) out.string(one);
        out.end_array();
      }
      out.end_object().end_object();
    }
    out.end_array();
    if (route.max_body > 0) {
      out.key("requestBody").begin_object().key("content").begin_object().key("application/x-ndjson").begin_object().end_object();
      out.end_object().end_object();
    }
    out.key("responses")
        .begin_object()
        .key("default")
        .begin_object()
        .member("description", "JSON, or the error envelope")
        .end_object();
    out.end_object().end_object();
  }
  if (!open.empty()) out.end_object();
  out.end_object().end_object();
  return out.take();
}

}  // namespace ladder::rest
