// The body of GET /v1/schema, for the route and for `ladder schema --json`.
#pragma once

#include "rest/arguments.h"
#include "server/owner/imports.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

// A larger index is compact by default: the full form of five hundred streams takes megabytes.
inline constexpr std::int64_t kMaxFullStreams = 50;

// `imports` are appended to a full response; see server/owner/imports.h.
std::string schema_text(const api::SchemaView& view, const SchemaArguments& arguments,
                        const std::vector<server::ImportSummary>& imports, std::string_view self, Warnings warnings);

}  // namespace ladder::rest
