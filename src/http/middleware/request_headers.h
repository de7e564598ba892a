// Headers that every route shares: the token, PDPP's version, the request's id, its trace, and cross-origin sharing. Each is read
// from the request, and most are sent back with the answer.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"
#include "trace/trace.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

// The access token of a request: "Authorization: Bearer TOKEN". Nowhere else is one looked for, and none is ever repeated in an
// answer.

// kAuthentication when there is none, or more than one, or it is empty, too long or has characters no token has.
Result<std::string> bearer_token(const Request& request);

// PDPP-Version: one version is spoken here. Absent means that one; any other is refused before anything is read.

inline constexpr std::string_view kPdppVersion = "2026-04-06";

Status check_version(const Request& request);  // kUnsupportedVersion
void send_version(Response& response);

// Every request has an id: the caller's, when it sent a harmless one, or our own. It is in every answer, error and log line.

inline constexpr std::size_t kMaxRequestIdBytes = 128;  // a UUID, a trace id or a prefix with one; log lines stay short

bool is_request_id(std::string_view text);  // 1 to 128 of [A-Za-z0-9._-]
std::string new_request_id();               // req_<16 hex>

// Fills request.id from its Request-Id header, or makes one.
void take_request_id(Request& request);
void send_request_id(std::string_view id, Response& response);  // Request-Id and x-request-id

// The trace that a request belongs to: the one that its caller names (W3C Trace Context), or a new one when spans are wanted.

// In no trace when the caller named none that is valid and `sink` is null or wants no spans.
trace::SpanContext span_of(const Request& request, const trace::SpanSink* sink);

// One answered request, by the OpenTelemetry conventions for HTTP servers; the path stays out, since it names records.
struct AnsweredRequest {
  const Request& request;
  std::string_view route;  // the pattern; empty when none matched
  int status = 0;
  Instant begin = 0, end = 0;
};
trace::Span server_span(const trace::SpanContext& context, const AnsweredRequest& answered);

// Cross-origin resource sharing (the Fetch standard): pages of an origin that the operator allowed may call this server from a
// browser, read its answers, and are told so when the browser asks beforehand. Nobody else is told anything. No credentials but
// the token that the page itself sends take part.

// The answer to a preflight (OPTIONS with Access-Control-Request-Method) of an allowed origin; the same for every path, so that
// it says nothing of what exists. nullopt for any other request.
std::optional<Response> preflight_answer(const std::vector<std::string>& allowed, const Request& request);

// Lets an allowed origin read the answer and the headers that its client needs.
void send_cors(const std::vector<std::string>& allowed, const Request& request, Response& response);

}  // namespace ladder::http
