#include "rest/request_log.h"

namespace ladder::rest {
namespace {

double seconds(std::chrono::microseconds took) { return static_cast<double>(took.count()) / 1e6; }

std::string route_label(std::string_view route) { return route.empty() ? "-" : std::string(route); }

}  // namespace

void RequestLog::add(const http::Request& request, const http::Response& response, const Trace& trace,
                     std::optional<std::chrono::steady_clock::time_point> begin) {
  std::chrono::microseconds took{0};
  if (begin) took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - *begin);
  std::optional<std::uint64_t> bytes = response.body.size();
  if (response.stream) bytes = response.content_length;
  http::AccessEntry entry{request.id, request.method, trace.route, response.status, bytes, took, request.remote_address};
  entry.owner = trace.owner;
  entry.client = trace.client;
  entry.grants = trace.grants;
  entry.trace_id = trace.span.trace_id;
  const Instant now = clock_.now();
  const http::LogFormat form = addresses_.options()->log_format;
  if (spans_ && trace.span && begin) {
    spans_->add(http::server_span(trace.span, {request, trace.route, response.status, now - took.count(), now}));
  }
  if (trace.calls.empty()) log_.write(http::access_entry(form, entry, now));
  for (const mcp::LogLine& call : trace.calls) {  // a JSON array of messages gets a line each
    entry.call = call.method;
    entry.tool = call.tool;
    entry.call_id = call.id;
    entry.outcome = call.outcome;
    entry.trace_id = call.trace_id.empty() ? trace.span.trace_id : call.trace_id;
    log_.write(http::access_entry(form, entry, now));
    count_call(call, took);
  }
  count(trace.route, response.status);
  if (begin) measure(trace.route, took);
}

// Tools and outcomes are constants of this program, so the number of series is small.
void RequestLog::count_call(const mcp::LogLine& call, std::chrono::microseconds took) {
  if (call.tool.empty()) return;
  const MutexLock lock(mutex_);
  ToolMetrics& of_tool = tools_[call.tool];
  http::Counter*& calls = of_tool.calls[call.outcome];
  if (!calls) {
    calls = &metrics_.counter("ladder_tool_calls_total", "Calls of MCP tools", {{"tool", call.tool}, {"outcome", call.outcome}});
  }
  calls->add();
  if (!of_tool.durations) {
    of_tool.durations = &metrics_.histogram("ladder_tool_seconds", "Time to handle a call of an MCP tool", http::kDurationBounds,
                                            {{"tool", call.tool}});
  }
  of_tool.durations->observe(seconds(took));
}

void RequestLog::count(std::string_view route, int status) {
  const MutexLock lock(mutex_);
  http::Counter*& found = counters_[{route, status}];
  if (!found) {
    found = &metrics_.counter("ladder_requests_total", "Requests answered",
                              {{"route", route_label(route)}, {"status", std::to_string(status)}});
  }
  found->add();
}

void RequestLog::measure(std::string_view route, std::chrono::microseconds took) {
  const MutexLock lock(mutex_);
  http::Histogram*& durations = durations_[route];
  if (!durations) {
    durations = &metrics_.histogram("ladder_request_seconds", "Time to produce a response", http::kDurationBounds,
                                    {{"route", route_label(route)}});
  }
  durations->observe(seconds(took));
}

}  // namespace ladder::rest
