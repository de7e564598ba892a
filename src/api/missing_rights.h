// Names the rights that a refused read would need: the authorization_details (RFC 9396) that it, or
// its host, can ask the owner for. Made from what the client may know already, so that a refusal tells no more than the schema.
#pragma once

#include "api/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

// A JSON array; empty when nothing can be named. Of a stream that the client sees, those of `fields` that are declared and not
// granted; of one that it does not see, the stream in each of its sources, whether or not there is one.
std::string missing_rights(const SchemaView& view, std::string_view stream, const std::vector<std::string>& fields);

}  // namespace ladder::api
