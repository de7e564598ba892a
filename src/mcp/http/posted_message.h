// The message of a POST to /mcp, parsed once before the request is served and stored with it.
#pragma once

#include "http/message/message.h"
#include "mcp/protocol/message.h"

#include <memory>
#include <optional>
#include <string>

namespace ladder::mcp {

// Longer bodies are parsed by the worker, so that they do not delay short reads.
inline constexpr std::size_t kMaxBytesReadAhead = 64 * 1024;

// Parses the body's message, unless `take_message` already did. Skips long bodies.
void take_message(http::Request& request);
std::shared_ptr<const Received> message_of(const http::Request& request);
// Returns the message parsed by take_message; null for a long body.
const Incoming* known_message(const http::Request& request);

// A call of read_record_field without a search, which is a short read (design D21).
struct WindowCall {
  std::string cursor;  // empty if there is none; it may still continue a search
};
std::optional<WindowCall> window_call(const Incoming& incoming);

// Reports whether the request reads records and may therefore take long.
bool reads_records(const Incoming& incoming);

}  // namespace ladder::mcp
