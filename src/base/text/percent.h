// Percent-encoding (RFC 3986). The caller validates the decoded bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder {

// Encodes all except the unreserved characters.
std::string percent_encode(std::string_view bytes);
// Returns nullopt if a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode_bytes(std::string_view text);

}  // namespace ladder
