// From a query string to a request of the port. Only what can be told from the words themselves is refused here; what a stream
// declares and a grant allows is rs/'s business. `ladder records`, `ladder search` and `ladder schema` come this way too.
#pragma once

#include "base/result.h"
#include "http/query.h"
#include "port/aggregate.h"
#include "port/records.h"
#include "port/resource_port.h"
#include "port/schema.h"
#include "port/search.h"

#include <string_view>
#include <vector>

namespace ladder::rest {

using Warnings = std::vector<port::Warning>;

struct SchemaArguments {
  port::SchemaRequest request;
  bool compact = false;

  bool is_narrowed() const { return !request.stream.empty() || !request.connection_id.empty(); }
};

Result<SchemaArguments> schema_arguments(const http::Query& query, Warnings& warnings);
Result<port::RecordsRequest> records_request(const http::Query& query, std::string_view stream, Warnings& warnings);
Result<port::RecordRequest> record_request(const http::Query& query, std::string_view stream, std::string_view id,
                                           Warnings& warnings);
Result<port::FieldWindowRequest> window_request(const http::Query& query, std::string_view stream, std::string_view id,
                                                Warnings& warnings);
Result<port::AggregateRequest> aggregate_request(const http::Query& query, std::string_view stream, Warnings& warnings);
Result<port::SearchRequest> search_request(const http::Query& query, Warnings& warnings);

}  // namespace ladder::rest
