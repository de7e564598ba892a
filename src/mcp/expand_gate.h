// Whether relations can be expanded, asked before the records are (contract mcp-adapter 1.4).
#pragma once

#include "base/result.h"
#include "mcp/tool.h"

#include <string>
#include <vector>

namespace ladder::mcp {

// kInvalidExpand naming the stream and its relations. Open when the schema cannot be had or does not know the stream: the
// resource server has the last word.
Status check_expand(const Context& context, const std::string& stream, const std::string& connection_id,
                    const std::vector<std::string>& relations);

}  // namespace ladder::mcp
