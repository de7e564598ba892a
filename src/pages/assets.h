// The stylesheet and the script of all pages, inside the program. Their addresses carry a digest of their bytes, so that they may
// be kept for ever.
#pragma once

#include "html/html.h"
#include "http/message/message.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

const std::string& style_name();   // "ladder-0123456789abcdef.css"
const std::string& script_name();  // "ladder-0123456789abcdef.js"

// Compressed where the request's Accept-Encoding takes that.
std::optional<http::Response> asset(std::string_view name, std::string_view accepted_encodings);

}  // namespace ladder::pages
