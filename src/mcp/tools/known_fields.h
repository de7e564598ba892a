// Hints for a caller that used a wrong field or value: the granted fields of the stream, and sample values. Everything is read
// under the same grant as any call.
#pragma once

#include "api/records.h"
#include "mcp/context.h"

#include <string>
#include <vector>

namespace ladder::mcp {

// Appends the granted fields to the message of an error about a missing or ungranted field.
void name_granted_fields(const Context& context, Error& error, const std::string& stream, const std::string& connection_id);

// Returns up to three short values of the field, those containing `like` first; empty if they are unavailable.
std::vector<std::string> sample_values(const Context& context, const api::Scope& scope, const std::string& stream,
                                       const std::string& field, std::string_view like);

// Returns a line with sample values of the filtered fields; empty if there are none.
std::string filter_hint(const Context& context, const api::RecordsRequest& request);

}  // namespace ladder::mcp
