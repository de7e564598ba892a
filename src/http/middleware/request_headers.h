// Headers shared by all routes: the token, the PDPP version, the request id, the trace, and cross-origin sharing. Each is read
// from the request, and most are returned in the response.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"
#include "http/trace/trace.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

// The access token of a request: "Authorization: Bearer TOKEN". It is read from nowhere else, and never included in a response.

// Returns kAuthentication if there is not exactly one token, or it is empty, too long or contains invalid characters.
Result<std::string> bearer_token(const Request& request);

// PDPP-Version: one version is supported. An absent header means that one; any other is rejected first.

inline constexpr std::string_view kPdppVersion = "2026-04-06";

Status check_version(const Request& request);  // kUnsupportedVersion
void send_version(Response& response);

// Every request has an id: a valid one from the caller, or a new one. It is in every response, error and log line.

inline constexpr std::size_t kMaxRequestIdBytes = 128;  // a UUID, a trace id or a prefix with one; keeps log lines short

bool is_request_id(std::string_view text);  // 1 to 128 of [A-Za-z0-9._-]
std::string new_request_id();               // req_<16 hex>

// Sets request.id from its Request-Id header, or creates one.
void take_request_id(Request& request);
void send_request_id(std::string_view id, Response& response);  // Request-Id and x-request-id

// The trace of a request: the one named by the caller (W3C Trace Context), or a new one if spans are exported.

// Returns an empty context if the caller sent no valid one and `sink` is null or disabled.
SpanContext span_of(const Request& request, const SpanSink* sink);

// A served request, by the OpenTelemetry conventions for HTTP servers. The path is omitted, since it contains record ids.
struct AnsweredRequest {
  const Request& request;
  std::string_view route;  // the pattern; empty if none matched
  int status = 0;
  Instant begin = 0, end = 0;
};
Span server_span(const SpanContext& context, const AnsweredRequest& answered);

// Cross-origin resource sharing (the Fetch standard): pages of origins that the operator allowed may call this server from a
// browser and read its responses. Other origins get no CORS headers. Cookies are not allowed; the page sends its own token.

// Returns the response to a preflight (OPTIONS with Access-Control-Request-Method) of an allowed origin. It is the same for
// every path, so that it does not reveal which paths exist. Returns nullopt for any other request.
std::optional<Response> preflight_answer(const std::vector<std::string>& allowed, const Request& request);

// Lets an allowed origin read the response and the headers that its client needs.
void send_cors(const std::vector<std::string>& allowed, const Request& request, Response& response);

}  // namespace ladder::http
