// Values that HTTP headers mirror from a message (Mcp-Method, Mcp-Name). What a header can't carry as it is travels as
// =?base64?…?=.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

// The text a header stands for, without the spaces around it; nullopt when it is encoded and the encoding is not strict base64 of
// UTF-8.
std::optional<std::string> header_text(std::string_view value);

}  // namespace ladder::mcp
