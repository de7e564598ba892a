// Help for a caller who named a wrong field or value: the granted fields of the stream, and what their values look like.
// All of it is read under the same grant as any call.
#pragma once

#include "api/records.h"
#include "mcp/tools/tools.h"

#include <string>
#include <vector>

namespace ladder::mcp {

// If the error is about a field that is not there or not granted, the message goes on with the granted ones.
void name_granted_fields(const Context& context, Error& error, const std::string& stream, const std::string& connection_id);

// Up to three short values of the field, those that hold `like` first; none when they cannot be had.
std::vector<std::string> sample_values(const Context& context, const api::Scope& scope, const std::string& stream,
                                       const std::string& field, std::string_view like);

// A line that says what the values of the filtered fields look like; empty when there is nothing to say.
std::string filter_hint(const Context& context, const api::RecordsRequest& request);

}  // namespace ladder::mcp
