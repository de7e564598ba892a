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

std::optional<http::Response> asset(std::string_view name);

}  // namespace ladder::pages
