// Percent coding of RFC 3986. What the bytes have to be is the business of whoever decodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder {

std::string percent_encode(std::string_view bytes);                      // all but the unreserved characters
std::optional<std::string> percent_decode_bytes(std::string_view text);  // nullopt when a % lacks its two hexadecimal digits

}  // namespace ladder
