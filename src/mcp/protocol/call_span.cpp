#include "mcp/protocol/call_span.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

trace::SpanContext context_of(const Message& request, const Envelope& envelope) {
  const auto named = pick<2>(request.meta, {"traceparent", "tracestate"});
  const std::string text = named.twice ? std::string() : string_of(named.values[0]).value_or("");
  if (const auto parent = trace::parse_traceparent(text)) {
    return trace::continue_trace(parent, string_of(named.values[1]).value_or(""));
  }
  if (envelope.trace) return trace::child_of(envelope.trace);
  return envelope.spans && envelope.spans->wants_spans() ? trace::begin_trace() : trace::SpanContext();
}

// A version that we speak, never the client's own text.
std::string_view version_of(Era era, const Envelope& envelope) {
  if (era == Era::kModern) return kModernVersion;
  if (!envelope.negotiated.empty()) return envelope.negotiated;
  if (envelope.protocol_version && is_legacy_version(*envelope.protocol_version)) return *envelope.protocol_version;
  return {};
}

bool is_number(std::string_view id) {
  return !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

CallSpan::CallSpan(const Message& request, Era era, const Envelope& envelope) : sink_(envelope.spans) {
  span_.context = context_of(request, envelope);
  if (!span_.context) return;
  scope_.emplace(span_.context, sink_);
  span_.begin = Clock::system().now();
  span_.failed = true;
  span_.name = request.method;  // of a method that there is
  span_.texts = {{"mcp.method.name", request.method}, {"network.transport", envelope.http ? "tcp" : "pipe"}};
  if (const auto version = version_of(era, envelope); !version.empty()) span_.texts.emplace_back("mcp.protocol.version", version);
  // A client may write anything as its id but into a number.
  if (is_number(request.id)) span_.texts.emplace_back("jsonrpc.request.id", request.id);
}

void CallSpan::end(const Answer& answer) {
  const auto* const fault = std::get_if<Fault>(&answer.said);
  span_.failed = fault != nullptr || (!answer.tool.empty() && answer.outcome != "ok");
  if (!answer.tool.empty()) {
    span_.name += " " + answer.tool;
    span_.texts.emplace_back("gen_ai.operation.name", "execute_tool");
    span_.texts.emplace_back("gen_ai.tool.name", answer.tool);
  }
  if (!span_.failed) return;
  // A tool's error is a result as the protocol sees it.
  span_.texts.emplace_back("error.type", fault ? answer.outcome : "tool_error");
  if (fault) span_.texts.emplace_back("rpc.response.status_code", std::to_string(fault->code));
  else span_.texts.emplace_back("ladder.outcome", answer.outcome);
}

CallSpan::~CallSpan() {
  scope_.reset();
  if (!sink_ || !span_.context) return;
  span_.end = Clock::system().now();
  sink_->add(std::move(span_));
}

}  // namespace ladder::mcp
