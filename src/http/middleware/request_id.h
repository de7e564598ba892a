// Every request has an id: the caller's, when it sent a harmless one, or our own. It is in every answer, error and log line.
#pragma once

#include "http/message/message.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::http {

inline constexpr std::size_t kMaxRequestIdBytes = 128;  // a UUID, a trace id or a prefix with one; log lines stay short

bool is_request_id(std::string_view text);  // 1 to 128 of [A-Za-z0-9._-]
std::string new_request_id();               // req_<16 hex>

// Fills request.id from its Request-Id header, or makes one.
void take_request_id(Request& request);
void send_request_id(std::string_view id, Response& response);  // Request-Id and x-request-id

}  // namespace ladder::http
