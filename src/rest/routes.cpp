#include "rest/routes.h"

#include "base/limits.h"
#include "mcp/protocol/message.h"
#include "rest/handlers.h"

#include <initializer_list>

namespace ladder::rest {
namespace {

using http::ParameterPlace;
using http::Placement;
using http::Route;
using http::RouteParameter;
using http::Weight;

constexpr std::size_t kMaxUpload = 50 * limits::kMiB;  // PDPP "reads" and "ingest"
constexpr std::size_t kMaxForm = 4 * limits::kKiB;

RouteParameter path(std::string_view name, std::string_view summary) {
  return {.name = name, .place = ParameterPlace::kPath, .summary = summary, .required = true};
}
RouteParameter text(std::string_view name, std::string_view summary) { return {.name = name, .summary = summary}; }
RouteParameter list(std::string_view name, std::string_view summary) {
  return {.name = name, .type = "array", .summary = summary};
}
RouteParameter object(std::string_view name, std::string_view summary) {
  return {.name = name, .type = "object", .summary = summary};
}
RouteParameter header(std::string_view name, std::string_view summary) {
  return {.name = name, .place = ParameterPlace::kHeader, .summary = summary};
}
RouteParameter integer(std::string_view name, std::string_view summary, std::int64_t low, std::optional<std::int64_t> high = {},
                       std::string_view otherwise = {}) {
  return {.name = name, .type = "integer", .summary = summary, .default_value = otherwise, .minimum = low, .maximum = high};
}
RouteParameter choice(std::string_view name, std::string_view summary, std::vector<std::string_view> choices,
                      std::string_view otherwise = {}) {
  return {.name = name, .summary = summary, .default_value = otherwise, .choices = std::move(choices)};
}
RouteParameter required(RouteParameter parameter) {
  parameter.required = true;
  return parameter;
}

const RouteParameter kStream = path("stream", "the stream's name");
const RouteParameter kId = path("id", "the record's key, percent-encoded");
const RouteParameter kConnection = text("connection_id", "one connection; required if several have the stream or the record");
const RouteParameter kAlias = text("connector_instance_id", "the old name of connection_id; the response contains a warning");
const RouteParameter kConnector = text("connector_id", "one source, by its key");
const RouteParameter kSubject = text("subject_id", "accepted for compatibility");
const RouteParameter kFields = list("fields", "the fields to return, comma-separated or repeated; all granted ones when absent");
const RouteParameter kView = text("view", "a declared view, instead of fields");
const RouteParameter kFilter = object("filter", "filter[field]=value; filter[field][gte]=value with gte, gt, lte or lt");
const RouteParameter kExpand = list("expand", "declared relations to follow, one step");
const RouteParameter kExpandLimit =
    object("expand_limit", "expand_limit[relation]=N: how many related records; 10 and at most 50 unless declared otherwise");
const RouteParameter kFieldChars = integer("max_field_chars", "longer strings are truncated and listed in truncated_fields", 0);
const RouteParameter kMaxBytes =
    integer("max_bytes", "bytes of data in the response; a page that is too large ends early with a cursor", 1);

// Returns the parameters, followed by those that select the source or connection.
std::vector<RouteParameter> scoped(std::vector<RouteParameter> parameters) {
  for (const RouteParameter& one : {kConnection, kAlias, kConnector, kSubject}) parameters.push_back(one);
  return parameters;
}

class Table {
 public:
  explicit Table(Placement reads) : reads_(reads) {}

  std::vector<RouteRow> take() && { return std::move(rows_); }
  void add_open_routes();
  void add_metadata();
  void add_records();
  void add_search();
  void add_aggregate_and_blobs();
  void add_owner_routes();
  void add_ledger();
  void add_mcp();

 private:
  RouteRow& add(Caller caller, Handler handler, std::string_view method, std::string_view pattern, std::string_view name,
                std::string_view summary, std::vector<RouteParameter> parameters = {}, Placement placement = Placement::kWorker) {
    RouteRow& row = rows_.emplace_back();
    row.route = {method, pattern, 0, name, summary, std::move(parameters), placement};
    row.handler = handler;
    row.caller = caller;
    return row;
  }

  Placement reads_;
  std::vector<RouteRow> rows_;
};

void Table::add_open_routes() {
  add(Caller::kAnyone, handle<&DiscoveryHandlers::index>, "GET", "/", "index",
      "links to the endpoints; in a browser, the owner's console");
  add(Caller::kAnyone, handle<&DiscoveryHandlers::health>, "GET", "/healthz", "health", "reports whether the process is running",
      {}, Placement::kHere);
  RouteRow& ready = add(Caller::kAnyone, handle<&DiscoveryHandlers::ready>, "GET", "/readyz", "ready",
                        "reports whether the store is available", {}, Placement::kUrgent);
  ready.weight = Weight::kLight;
  ready.codes = {Code::kStoreUnavailable};
  RouteRow& metrics = add(Caller::kAnyone, handle<&DiscoveryHandlers::metrics_text>, "GET", "/metrics", "metrics",
                          "metrics for Prometheus; requires the owner's token, except from this computer", {}, reads_);
  metrics.answer_type = "text/plain";
  metrics.codes = {Code::kAuthentication, Code::kPermission};
  add(Caller::kAnyone, handle<&DiscoveryHandlers::openapi_text>, "GET", "/openapi.json", "openapi", "this table as OpenAPI 3.1",
      {}, Placement::kHere);
  add(Caller::kAnyone, handle<&DiscoveryHandlers::resource_metadata>, "GET", "/.well-known/oauth-protected-resource",
      "resource_metadata", "protected-resource metadata (RFC 9728): how to get a token", {}, Placement::kHere)
      .any_origin = true;
  add(Caller::kAnyone, handle<&DiscoveryHandlers::mcp_metadata>, "GET", "/.well-known/oauth-protected-resource/mcp",
      "mcp_resource_metadata", "the same for /mcp", {}, Placement::kHere)
      .any_origin = true;
}

void Table::add_metadata() {
  RouteRow& schema = add(Caller::kToken, handle<&SchemaHandlers::schema>, "GET", "/v1/schema", "schema",
                         "the readable sources, streams and fields, and their allowed uses",
                         {choice("view", "compact: one line per field", {"compact"}),
                          choice("detail", "full: one stream in full detail; requires stream", {"full"}),
                          text("stream", "only this stream"), kConnection, kAlias});
  schema.limits =
      "compact for more than 50 streams, unless one is named; unknown parameters are ignored; "
      "the owner's full answer also has imports[]: the imports by connection and stream (docs/use/import.md)";
  schema.any_parameters = true;
  schema.codes = {Code::kAmbiguousSchemaDetail};
  add(Caller::kToken, handle<&SchemaHandlers::connectors>, "GET", "/v1/connectors", "list_connectors",
      "the sources and the capabilities of their streams", scoped({}))
      .codes = {Code::kNotFound, Code::kConnectionNotFound};
  add(Caller::kToken, handle<&SchemaHandlers::streams>, "GET", "/v1/streams", "list_streams",
      "the streams, one entry per connection", scoped({}))
      .codes = {Code::kNotFound, Code::kConnectionNotFound};
  add(Caller::kToken, handle<&SchemaHandlers::stream>, "GET", "/v1/streams/{stream}", "get_stream", "one stream's metadata",
      scoped({kStream}))
      .codes = {Code::kStreamNotAllowed, Code::kNotFound, Code::kConnectionNotFound, Code::kAmbiguousConnection};
}

void Table::add_records() {
  const std::vector<Code> access_codes = {Code::kStreamNotAllowed, Code::kStreamNotDeclared, Code::kConnectionNotFound,
                                          Code::kAmbiguousConnection};
  const auto with = [&](std::vector<Code> codes) {
    codes.insert(codes.begin(), access_codes.begin(), access_codes.end());
    return codes;
  };
  add(Caller::kToken, handle<&ReadHandlers::records>, "GET", "/v1/streams/{stream}/records", "list_records",
      "a page of records in one order over all granted connections, or of their changes",
      scoped({kStream, integer("limit", "records per page; larger values are reduced with a warning", 1, 100, "25"),
              text("cursor", "from next_cursor of the page before"),
              choice("order", "by cursor field and key", {"desc", "asc"}, "desc"),
              text("sort", "the cursor field, with - for descending"), kFields, kView, kFilter, kExpand, kExpandLimit,
              choice("count", "the number of matches, in meta.count", {"none", "estimated", "exact"}, "none"),
              choice("window", "exact: total, earliest and latest of what matches, in meta.window", {"none", "exact"}, "none"),
              text("changes_since",
                   "beginning, or next_changes_since of an earlier session; excludes cursor, order, sort, count, "
                   "window and expand"),
              kFieldChars, kMaxBytes}))
      .codes =
      with({Code::kNotFound, Code::kUnknownField, Code::kFieldNotGranted, Code::kInvalidSort, Code::kInvalidExpand,
            Code::kInsufficientScope, Code::kInvalidCursor, Code::kCursorMismatch, Code::kCursorExpired, Code::kInvalidArgument});
  RouteRow& record =
      add(Caller::kToken, handle<&ReadHandlers::record>, "GET", "/v1/streams/{stream}/records/{id}", "get_record", "one record",
          scoped({kStream, kId, kFields, kView, kExpand, kExpandLimit, kFieldChars, kMaxBytes}), reads_);
  record.weight = Weight::kLight;
  record.codes = with({Code::kNotFound, Code::kUnknownField, Code::kFieldNotGranted, Code::kInvalidExpand,
                       Code::kInsufficientScope, Code::kInvalidArgument});
  RouteRow& window = add(Caller::kToken, handle<&ReadHandlers::field_window>, "GET",
                         "/v1/streams/{stream}/records/{id}/field-window", "read_field_window", "a bounded window of one field",
                         scoped({kStream, kId, required(text("field", "a field's name, or a JSON Pointer")),
                                 text("cursor", "from next_cursor, previous_cursor or next_match_cursor"),
                                 integer("offset_chars", "the start of the window", 0, {}, "0"),
                                 integer("limit_chars", "the length of the window; larger values are reduced with a warning", 1,
                                         limits::kWindowMaxChars, "4096"),
                                 text("q", "text to find; the window is around its first match"),
                                 integer("before_chars", "context before the match", 0, limits::kContextMaxChars, "2048"),
                                 integer("after_chars", "context after the match", 0, limits::kContextMaxChars, "2048")}));
  window.peek = Peek::kWindow;
  window.codes = with({Code::kNotFound, Code::kFieldNotFound, Code::kQueryNotFound, Code::kUnknownField, Code::kFieldNotGranted,
                       Code::kInvalidFieldPath, Code::kInvalidWindow, Code::kFieldNotText, Code::kInvalidCursor,
                       Code::kCursorMismatch, Code::kStaleCursor, Code::kCursorExpired, Code::kInvalidArgument});
}

void Table::add_search() {
  RouteRow& search = add(
      Caller::kToken, handle<&ReadHandlers::search>, "GET", "/v1/search", "search",
      "records whose searchable text contains words of the query, best first, with the matching text",
      {required(text("q",
                     "words, at least one of which must occur; \"a phrase\" and +word must occur, -word must not; prefix*, "
                     "field:word, field:\"a phrase\"")),
       list("also", "up to four further wordings or translations of q, searched together; repeated"),
       choice("match", "any: at least one word must occur; all: every word must occur", {"any", "all"}, "any"),
       text("since", "only records from this time on, by the declared time of their stream"),
       text("until", "only records before this time"),
       choice("order", "best first, or by the declared time", {"relevance", "newest", "oldest"}, "relevance"),
       text("group", "from the group of a hit: only the hits of that conversation, thread or wording"),
       integer("limit", "hits per page; larger values are reduced with a warning", 1, 100, "25"),
       text("cursor", "from next_cursor of the page before"),
       list("streams", "only these streams, repeated or with brackets; everything granted when absent"), kFilter,
       text("connection_id", "only this connection"), kAlias, choice("mode", "lexical, the only mode", {"lexical"}, "lexical")});
  search.limits = "up to three match windows of about 240 chars a hit; a filter needs exactly one stream";
  search.codes = {Code::kStreamNotAllowed, Code::kConnectionNotFound, Code::kUnknownField,  Code::kFieldNotGranted,
                  Code::kInvalidCursor,    Code::kCursorMismatch,     Code::kCursorExpired, Code::kInvalidArgument};
}

void Table::add_aggregate_and_blobs() {
  add(Caller::kToken, handle<&ReadHandlers::aggregate>, "GET", "/v1/streams/{stream}/aggregate", "aggregate",
      "a count, sum, minimum, maximum or number of distinct values, or counts by group",
      scoped({kStream, required(choice("metric", "the metric to compute", {"count", "sum", "min", "max", "count_distinct"})),
              text("field", "the field to aggregate; none for count"), text("group_by", "counts by this field's values"),
              text("group_by_time", "counts by this field's time"),
              choice("granularity", "for group_by_time", {"minute", "hour", "day", "week", "month", "quarter", "year"}),
              text("time_zone", "for group_by_time: an IANA name (default: UTC)"),
              integer("limit", "groups per page", 1, 100, "10"), kFilter}))
      .codes = {Code::kStreamNotAllowed,    Code::kStreamNotDeclared, Code::kConnectionNotFound,
                Code::kAmbiguousConnection, Code::kNotFound,          Code::kUnknownField,
                Code::kFieldNotGranted,     Code::kInvalidArgument,   Code::kResourceLimit};
  RouteRow& blob =
      add(Caller::kToken, handle<&BlobHandlers::blob>, "GET", "/v1/blobs/{blob}", "get_blob",
          "the bytes of a blob that a readable record names in its blob_ref",
          scoped({path("blob", "the blob's id"), header("Range", "one range of bytes: bytes=0-99, bytes=100-, bytes=-50"),
                  header("If-Range", "the ETag the range belongs to"),
                  header("If-None-Match", "known ETags; the response is 304 if one matches")}));
  blob.answer_type = "*/*";
  blob.weight = Weight::kLight;
  blob.also = {{206, "the requested range"}, {304, "not modified"}, {416, "the range is outside the blob"}};
  blob.limits = "sent as it is read, 1 MiB at a time; at most 1 GiB";
  blob.codes = {Code::kBlobNotFound, Code::kConnectionNotFound, Code::kAmbiguousConnection, Code::kInvalidArgument};
}

void Table::add_ledger() {
  const std::vector<RouteParameter> asked = {text("client_id", "only this client"), text("since", "only responses since then"),
                                             text("record", "only this record, by its id")};
  std::vector<RouteParameter> entries = asked;
  entries.push_back(text("until", "only responses before then"));
  entries.push_back(integer("limit", "entries per page", 1, 1000, "100"));
  entries.push_back(text("cursor", "continue after an earlier page"));
  entries.push_back(choice("format", "ndjson and csv: all entries, as a download", {"json", "ndjson", "csv"}));
  RouteRow& list = add(Caller::kOwner, handle<&LedgerHandlers::entries>, "GET", "/v1/ledger", "list_disclosures",
                       "every response sent to a client: when, to whom, and the ranges it contained (docs/reference/ledger.md)",
                       std::move(entries));
  list.codes = {Code::kInvalidCursor, Code::kInvalidId, Code::kInvalidHandle};
  RouteRow& seen = add(Caller::kOwner, handle<&LedgerHandlers::seen>, "GET", "/v1/ledger/seen", "list_seen",
                       "what each client has ever read of each record, as merged ranges", asked);
  seen.codes = {Code::kInvalidId, Code::kInvalidHandle};
  add(Caller::kOwner, handle<&LedgerHandlers::use>, "GET", "/v1/ledger/use", "list_ledger_use",
      "how much was read by day, client and grant", {integer("days", "the number of days up to today", 1, 3660, "30")});
  add(Caller::kOwner, handle<&LedgerHandlers::state>, "GET", "/v1/ledger/state", "ledger_state",
      "the retention of the ledger, the digest of every day, and how many seen records were erased");
  RouteRow& settings =
      add(Caller::kOwner, handle<&LedgerHandlers::set_retention>, "PATCH", "/v1/ledger/settings", "set_ledger",
          "sets the retention of the ledger: detail_days, seen_days, keeps_queries, as in `ladder ledger`; absent members stay "
          "unchanged");
  settings.takes("application/json", kMaxForm);
  RouteRow& budget =
      add(Caller::kOwner, handle<&LedgerHandlers::set_budget>, "PUT", "/v1/grants/{grant}/budget", "set_budget",
          "sets how much can be read per day under a grant: chars_a_day, or null for no limit, and bytes_a_day of non-text "
          "files, by default a hundred times as many",
          {path("grant", "the grant's id")});
  budget.takes("application/json", kMaxForm);
  budget.codes = {Code::kNotFound};
}

void Table::add_owner_routes() {
  const std::vector<Code> access_codes = {Code::kConnectionNotFound, Code::kStreamNotDeclared, Code::kAmbiguousConnection,
                                          Code::kInvalidArgument};
  RouteRow& ingest = add(Caller::kOwner, handle<&WriteHandlers::add_records>, "POST", "/v1/ingest/{stream}", "ingest",
                         "RECORD lines (NDJSON); the receipt of `ladder ingest --json`", scoped({kStream}));
  ingest.weight = Weight::kWrite;
  ingest.takes("application/x-ndjson", kMaxUpload);
  ingest.codes = access_codes;
  for (const Code code : {Code::kConnectionNotWritable, Code::kResourceLimit, Code::kIngestStorage}) ingest.codes.push_back(code);
  RouteRow& blob = add(Caller::kOwner, handle<&WriteHandlers::add_blob>, "POST", "/v1/blobs", "put_blob",
                       "stores bytes; a record that names the blob_id in its blob_ref makes them readable",
                       scoped({text("mime_type", "the type of the bytes (default: the Content-Type)"),
                               text("stream", "the record's stream, checked"), text("record_key", "accepted for compatibility"),
                               text("json_path", "@record, or a JSON Pointer, checked")}));
  blob.weight = Weight::kWrite;
  blob.takes("*/*", kMaxUpload);
  blob.codes = access_codes;
  blob.codes.push_back(Code::kResourceLimit);
  RouteRow& one = add(Caller::kOwner, handle<&WriteHandlers::erase_record>, "DELETE", "/v1/streams/{stream}/records/{id}",
                      "delete_record", "permanently erases a record; succeeds if it does not exist", scoped({kStream, kId}));
  one.success = 204;
  one.weight = Weight::kWrite;
  one.also = {{202,
               "it is no longer readable, but bytes of it remain in the store's files; `GET /v1/erasures` reports when they are "
               "removed"}};
  one.codes = access_codes;
  RouteRow& all = add(Caller::kOwner, handle<&WriteHandlers::erase_stream>, "DELETE", "/v1/streams/{stream}/records",
                      "delete_records", "permanently erases every record of a stream in one connection", scoped({kStream}));
  all.success = 204;
  all.weight = Weight::kWrite;
  all.also = one.also;
  all.codes = access_codes;
  add(Caller::kOwner, handle<&WriteHandlers::erasure_state>, "GET", "/v1/erasures", "erasures",
      "whether all erased bytes are removed from the store's files")
      .weight = Weight::kWrite;
  add(Caller::kOwner, handle<&GrantHandlers::list>, "GET", "/grants", "list_grants",
      "every grant: client, status, last use, and per stream the named and the added fields");
  add(Caller::kOwner, handle<&GrantHandlers::find>, "GET", "/grants/{grant}", "get_grant", "one grant",
      {path("grant", "the grant's id")})
      .codes = {Code::kNotFound};
  RouteRow& revoke = add(Caller::kOwner, handle<&GrantHandlers::revoke>, "POST", "/grants/{grant}/revoke", "revoke_grant",
                         "revokes a grant immediately, in every process", {path("grant", "the grant's id")}, Placement::kUrgent);
  revoke.also = {{202, "this server refuses the grant from now on, but the store could not save that yet; it is retried"}};
  revoke.weight = Weight::kLight;
  revoke.limits = "has priority over all other requests";
  revoke.route.max_body = kMaxForm;
  revoke.codes = {Code::kNotFound};
  add_ledger();
  RouteRow& introspect = add(Caller::kOwner, handle<&GrantHandlers::introspect>, "POST", "/introspect", "introspect",
                             "introspects a token of the owner (RFC 7662): token=… as a form");
  introspect.weight = Weight::kLight;
  introspect.takes("application/x-www-form-urlencoded", kMaxForm);
}

// GET and DELETE have no rows: the protocol requires 405 for them, and a caller without a token gets 401 first.
void Table::add_mcp() {
  RouteRow& mcp = add(Caller::kClient, handle<&McpHandlers::mcp>, "POST", "/mcp", "mcp",
                      "one message of the Model Context Protocol (docs/reference/mcp.md): JSON-RPC in, JSON-RPC out",
                      {header("MCP-Protocol-Version", "the protocol version (default: 2025-03-26)"),
                       header("Mcp-Method", "version 2026-07-28: the message's method"),
                       header("Mcp-Name", "version 2026-07-28: the tool or URI that it names")});
  mcp.weight = Weight::kLight;  // a message that reads records counts more
  mcp.peek = Peek::kMcp;
  mcp.any_parameters = true;
  mcp.takes("application/json", mcp::kMaxHttpMessageBytes);
  mcp.also = {{202, "a notification was accepted"},
              {404, "version 2026-07-28: unknown method"},
              {405, "GET and DELETE: no stream is kept open, no session to end"},
              {406, "the Accept header does not take application/json"},
              {415, "the body is not application/json"}};
  mcp.limits = "protocol errors are JSON-RPC errors; unknown parameters are ignored";
}

}  // namespace

std::vector<Code> RouteRow::all_codes() const {
  std::vector<Code> all = {Code::kInvalidRequest, Code::kUnsupportedVersion};
  if (caller == Caller::kSession) return all;  // errors are pages
  const auto append = [&](std::initializer_list<Code> more) { all.insert(all.end(), more); };
  if (caller != Caller::kAnyone) append({Code::kAuthentication});
  if (caller == Caller::kToken || caller == Caller::kClient) {
    append({Code::kGrantRevoked, Code::kGrantExpired, Code::kGrantInvalid});
  }
  if (caller != Caller::kAnyone) append({Code::kRateLimited});
  if (caller == Caller::kOwner || caller == Caller::kClient) append({Code::kPermission});
  all.insert(all.end(), codes.begin(), codes.end());
  if (caller != Caller::kAnyone) append({Code::kStoreUnavailable, Code::kDeadline, Code::kDamagedData, Code::kInternal});
  return all;
}

std::vector<RouteRow> routes(Placement reads) {
  Table table(reads);
  table.add_open_routes();
  table.add_metadata();
  table.add_records();
  table.add_search();
  table.add_aggregate_and_blobs();
  table.add_owner_routes();
  table.add_mcp();
  std::vector<RouteRow> rows = std::move(table).take();
  add_authorization_routes(rows);
  return rows;
}

std::vector<Route> http_routes(const std::vector<RouteRow>& rows) {
  std::vector<Route> made;
  made.reserve(rows.size());
  for (const RouteRow& row : rows) {
    Route& route = made.emplace_back(row.route);
    route.handler = static_cast<int>(made.size()) - 1;
  }
  return made;
}

}  // namespace ladder::rest
