// The trace that a request belongs to: the one that its caller names (W3C Trace Context), or a new one when spans are wanted.
#pragma once

#include "http/message/message.h"
#include "trace/trace.h"

namespace ladder::http {

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

}  // namespace ladder::http
