// The head of an answer as bytes. Which framing and which connection header it gets is the server's business; an application's
// own Content-Length, Transfer-Encoding, Connection and Date are left out.
#pragma once

#include "http/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::http {

enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilClose };
enum class Persistence : std::uint8_t { kKeepAlive, kKeepAliveSaid, kClose };  // "said": HTTP/1.0 has to be told

struct HeadShape {
  Framing framing = Framing::kLength;
  std::uint64_t length = 0;  // of kLength
  Persistence persistence = Persistence::kKeepAlive;
};

std::string_view reason_phrase(int status);

// Whether every name and value may be written: a CR or LF in one would let its author write the rest of the answer.
bool headers_are_sound(const Headers& headers);

// Leaves unsound fields out, so that the result is well-formed in any case.
std::string response_head(int status, const Headers& headers, const HeadShape& shape, std::string_view date);

std::string http_date(std::int64_t unix_seconds);  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace ladder::http
