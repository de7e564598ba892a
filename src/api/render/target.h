// Builds request targets of PDPP "reads" and "search": the path and query of the GET that is equivalent to an API
// request. Used for links in bodies and by HTTP clients.
#pragma once

#include "api/resource_port.h"

#include <string>
#include <string_view>

namespace ladder::api {

std::string records_path(std::string_view stream);                             // /v1/streams/{stream}/records
std::string record_path(std::string_view stream, std::string_view record_id);  // …/records/{record_id}

std::string target_of(const RecordsRequest& request);
std::string target_of(const RecordRequest& request);
std::string target_of(const AggregateRequest& request);
std::string target_of(const SearchRequest& request);
std::string target_of(const FieldWindowRequest& request);
std::string target_of(const BlobRequest& request);  // the range is sent in a header
std::string target_of(const SchemaRequest& request, bool compact);

}  // namespace ladder::api
