// Request targets of PDPP "reads" and "search": the path and query whose GET asks for the same as a request to the port does. For
// the links of a body, and for whoever sends them.
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
std::string target_of(const BlobRequest& request);  // the range goes into a header
std::string target_of(const SchemaRequest& request, bool compact);

}  // namespace ladder::api
