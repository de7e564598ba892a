// Computes the access that a rejected read needs: the authorization_details (RFC 9396) that the client or its host
// can request from the owner. Based on what the client may already know, so an error reveals no more than the schema.
#pragma once

#include "api/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

// Returns a JSON array; empty if there is nothing to request. For a visible stream, lists those of `fields` that are
// declared but not granted. For other streams, lists the stream for each source, whether it exists or not.
std::string missing_rights(const SchemaView& view, std::string_view stream, const std::vector<std::string>& fields);

}  // namespace ladder::api
