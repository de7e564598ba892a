#include "remote/remote_port.h"

#include "api/render/target.h"
#include "remote/bounds.h"
#include "remote/readers.h"

#include <algorithm>

namespace ladder::remote {

Result<std::unique_ptr<RemotePort>> RemotePort::create(const RemoteOptions& options) {
  http::ClientOptions client_options;
  client_options.timeout = options.timeout;
  client_options.max_body_bytes = options.max_body_bytes;
  client_options.ca_file = options.ca_file;
  LADDER_TRY(Exchange exchange, Exchange::create(options.endpoint, std::move(client_options), options.credentials));
  auto key = options.cursor_key ? options.cursor_key : std::make_shared<PassingKey>();
  return std::unique_ptr<RemotePort>(new RemotePort(std::move(exchange), std::move(key)));
}

RemotePort::RemotePort(Exchange exchange, std::shared_ptr<CursorKey> key)
    : exchange_(std::move(exchange)),
      key_(std::move(key)),
      cursors_(*key_, exchange_.endpoint().url, exchange_.credentials().grant_id()) {}

// GET /v1/streams/{stream}/aggregate

Result<api::AggregateResult> RemotePort::aggregate(const api::AggregateRequest& request, std::stop_token stop) {
  LADDER_TRY(Reply reply, exchange_.get("aggregate", api::target_of(request), stop));
  LADDER_TRY(auto result, understood(exchange_, "aggregate", reply.body, read_aggregate));
  result.request_id = std::move(reply.request_id);
  return result;
}

// GET /v1/streams/{stream}/records/{record_id}

namespace {

constexpr std::string_view kRecordOperation = "record";

}  // namespace

Result<api::Record> RemotePort::record(const api::RecordRequest& request, std::stop_token stop) {
  auto record = ask_bounded<api::Record>(request, refuses_bounds_, [&](const api::RecordRequest& asked) -> Result<api::Record> {
    LADDER_TRY(const Reply reply, exchange_.get(kRecordOperation, api::target_of(asked), stop));
    return understood(exchange_, kRecordOperation, reply.body, [&](Answer& answer) { return read_record(answer, asked.record); });
  });
  if (record && request.max_field_chars) truncate_long_values(*record, *request.max_field_chars);
  return record;
}

// GET /v1/streams/{stream}/records. If the server does not support bounds, requests fewer rows and truncates long values here.

namespace {

constexpr std::string_view kRecordsOperation = "records";
constexpr std::int64_t kDefaultLimit = 25;

}  // namespace

Result<api::RecordsPage> RemotePort::records(const api::RecordsRequest& request, std::stop_token stop) {
  auto page = ask_bounded<api::RecordsPage>(request, refuses_bounds_, [&](const api::RecordsRequest& asked) {
    return request.max_bytes && !asked.max_bytes ? fewer_records(asked, stop) : records_page(asked, stop);
  });
  if (!page || !request.max_field_chars) return page;
  for (api::Record& record : page->records) truncate_long_values(record, *request.max_field_chars);
  return page;
}

Result<api::RecordsPage> RemotePort::fewer_records(api::RecordsRequest request, const std::stop_token& stop) {
  request.limit = std::min(request.limit.value_or(kDefaultLimit), kRowsWithoutBounds);
  auto page = records_page(request, stop);
  if (page || page.error().code != Code::kResourceLimit || request.limit == 1) return page;
  request.limit = 1;  // ten rows are too large
  return records_page(request, stop);
}

Result<api::RecordsPage> RemotePort::records_page(const api::RecordsRequest& request, const std::stop_token& stop) {
  LADDER_TRY(Reply reply, exchange_.get(kRecordsOperation, api::target_of(request), stop));
  LADDER_TRY(auto page, understood(exchange_, kRecordsOperation, reply.body, [&](Answer& answer) {
               return read_records(answer, {request.scope.connection_id, request.stream, {}});
             }));
  page.request_id = std::move(reply.request_id);
  return page;
}

// GET /v1/search

Result<api::SearchPage> RemotePort::search(const api::SearchRequest& request, std::stop_token stop) {
  LADDER_TRY(Reply reply, exchange_.get("search", api::target_of(request), stop));
  LADDER_TRY(auto page, understood(exchange_, "search", reply.body, read_search));
  page.request_id = std::move(reply.request_id);
  return page;
}

// GET /v1/schema: compact for an index of everything, full for one stream. A server without a compact view is queried again
// without it (PDPP "tools").

namespace {

constexpr std::string_view kSchemaOperation = "schema";

bool knows_no_views(const Error& error) {
  if (error.code == Code::kInvalidRequest) return error.param.empty() || error.param == "view";
  return false;
}

// Removes counts that the caller did not request.
void remove_counts(api::SchemaView& view) {
  for (api::SourceView& source : view.sources) {
    for (api::StreamView& stream : source.streams) {
      stream.record_count.reset();
      for (api::ConnectionView& connection : stream.connections) {
        connection.record_count = -1;
        connection.last_updated.clear();
      }
    }
  }
}

}  // namespace

Result<api::SchemaView> RemotePort::schema(const api::SchemaRequest& request, std::stop_token stop) {
  if (auto known = schemas_.find(request)) return *std::move(known);
  const bool compact = request.stream.empty() && !request.full_detail;
  auto reply = exchange_.get_schema(api::target_of(request, compact), stop);
  if (!reply && compact && knows_no_views(reply.error())) {
    reply = exchange_.get_schema(api::target_of(request, false), stop);
  }
  if (!reply) return std::unexpected(std::move(reply).error());
  LADDER_TRY(auto view, understood(exchange_, kSchemaOperation, reply->body, read_schema));
  view.request_id = std::move(reply->request_id);
  if (!request.counted) remove_counts(view);
  schemas_.keep(request, view);
  return view;
}

}  // namespace ladder::remote
