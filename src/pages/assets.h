// The stylesheet, script and icons of all pages, embedded in the program. Their names contain a digest of their content, so
// browsers may cache them forever.
#pragma once

#include "html/html.h"
#include "http/message/message.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

const std::string& style_name();       // "ladder-0123456789abcdef.css"
const std::string& icon_name();        // "ladder-0123456789abcdef.svg"
const std::string& touch_icon_name();  // "ladder-0123456789abcdef.png"
const std::string& script_name();      // "ladder-0123456789abcdef.js"

// Compressed if Accept-Encoding allows it.
std::optional<http::Response> asset(std::string_view name, std::string_view accepted_encodings);

// The manifest that lets a phone install the pages and share files to them.
http::Response manifest();
inline constexpr std::string_view kSharePath = "/import/share";

}  // namespace ladder::pages
