// The message of a POST to /mcp, read once before it is served and passed on with the request.
#pragma once

#include "http/message/message.h"
#include "mcp/protocol/message.h"

#include <memory>
#include <optional>
#include <string>

namespace ladder::rest {

// Longer bodies are read where they are served, so that a stranger's megabytes hold up nobody's short reads.
inline constexpr std::size_t kMaxBytesReadAhead = 64 * 1024;

// The message of the body; `take_message` has read it already, unless it is long.
void take_message(http::Request& request);
std::shared_ptr<const mcp::Received> message_of(const http::Request& request);
// The message that take_message read; null for a long body.
const mcp::Incoming* known_message(const http::Request& request);

// One call of read_record_field that looks for nothing: a short read (design D21).
struct WindowCall {
  std::string cursor;  // empty when there is none; one may still look for something
};
std::optional<WindowCall> window_call(const mcp::Incoming& incoming);

// Says whether it reads records, and so may take long to answer.
bool reads_records(const mcp::Incoming& incoming);

}  // namespace ladder::rest
