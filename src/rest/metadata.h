// The body of GET /v1/schema, for the route and for `ladder schema --json` alike.
#pragma once

#include "rest/arguments.h"
#include "server/owner/imports.h"
#include "server/resource_server.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

// An index of more streams than this is shown compact: in full, five hundred streams are megabytes.
inline constexpr std::int64_t kMaxFullStreams = 50;

// `imports` stand at the end of an answer in full; see server/owner/imports.h.
std::string schema_text(const api::SchemaView& view, const SchemaArguments& arguments,
                        const std::vector<server::ImportFacts>& imports, std::string_view self, Warnings warnings);

// Asks and answers. kAmbiguousSchemaDetail when full detail is asked for and several sources have the stream.
Result<std::string> schema_answer(server::ResourceServer& server, const server::Access& who, const SchemaArguments& arguments,
                                  std::string_view self, Warnings warnings);

}  // namespace ladder::rest
