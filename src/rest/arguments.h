// Converts a query string to a request of the resource port. Only syntax is checked here; server/ checks the stream's
// declaration and the grant. `ladder records`, `ladder search` and `ladder schema` also use this code.
#pragma once

#include "api/records.h"
#include "api/resource_port.h"
#include "api/schema.h"
#include "api/search.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "http/message/query.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

using Warnings = std::vector<api::Warning>;

struct SchemaArguments {
  api::SchemaRequest request;
  bool compact = false;

  bool is_narrowed() const { return !request.stream.empty() || !request.connection_id.empty(); }
};

Result<SchemaArguments> schema_arguments(const http::Query& query, Warnings& warnings);
Result<api::RecordsRequest> records_request(const http::Query& query, std::string_view stream, Warnings& warnings);
Result<api::RecordRequest> record_request(const http::Query& query, std::string_view stream, std::string_view id,
                                          Warnings& warnings);
Result<api::FieldWindowRequest> window_request(const http::Query& query, std::string_view stream, std::string_view id,
                                               Warnings& warnings);
Result<api::AggregateRequest> aggregate_request(const http::Query& query, std::string_view stream, Warnings& warnings);
Result<api::SearchRequest> search_request(const http::Query& query, Warnings& warnings);

// Parameters shared by many routes: the connection, by its new or old name (PDPP "identity"), and numbers.

// Returns kInvalidArgument if both names are given and differ.
Result<std::string> connection_of(const http::Query& query, std::vector<api::Warning>& warnings);

// Parses an integer parameter. Returns nullopt if it is absent or empty, kInvalidRequest if it is invalid.
Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name);
Result<std::optional<Instant>> time_of(const http::Query& query, std::string_view name);  // a date or a time; otherwise the same

}  // namespace ladder::rest
