// base64 with padding (RFC 4648 section 4), strict: whole groups of four, padding only at the end, no white space, no stray bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder::base64 {

std::string encode(std::string_view bytes);
std::optional<std::string> decode(std::string_view text);

}  // namespace ladder::base64

// base64url without padding (RFC 4648 section 5), strict: no padding, no whitespace, no stray bits.

namespace ladder::base64url {

std::string encode(std::string_view bytes);
std::optional<std::string> decode(std::string_view text);

}  // namespace ladder::base64url
