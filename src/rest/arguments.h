// From a query string to a request of the port. Only what can be told from the words themselves is refused here; what a stream
// declares and a grant allows is server/'s business. `ladder records`, `ladder search` and `ladder schema` come this way too.
#pragma once

#include "api/records.h"
#include "api/resource_port.h"
#include "api/schema.h"
#include "api/search.h"
#include "base/error/error.h"
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

// Parameters that many routes take: the connection a request names, under its new or its old name (PDPP "identity"), and numbers.

// kInvalidArgument when both names are given and differ.
Result<std::string> connection_of(const http::Query& query, std::vector<api::Warning>& warnings);

std::optional<std::int64_t> whole_number(std::string_view text);  // decimal, with a minus at most

// An integer parameter; nullopt when absent or empty. kInvalidRequest otherwise.
Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name);

}  // namespace ladder::rest
