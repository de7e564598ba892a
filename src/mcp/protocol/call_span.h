// The span of one request, by the OpenTelemetry conventions for MCP. The trace is the one that params._meta.traceparent names,
// else that of the transport, else a new one when spans are wanted. Tools that call another server find it as trace::Scope.
#pragma once

#include "mcp/protocol/methods.h"
#include "mcp/protocol/options.h"
#include "trace/trace.h"

#include <optional>
#include <string>

namespace ladder::mcp {

class CallSpan {
 public:
  CallSpan(const Message& request, Era era, const Envelope& envelope);
  ~CallSpan();  // without an end() the request has failed
  CallSpan(const CallSpan&) = delete;
  CallSpan& operator=(const CallSpan&) = delete;

  void end(const Answer& answer);
  const std::string& trace_id() const { return span_.context.trace_id; }

 private:
  trace::Span span_;
  trace::SpanSink* sink_;
  std::optional<trace::Scope> scope_;
};

}  // namespace ladder::mcp
