#include "http/middleware/trace_context.h"

#include "base/text/format.h"
#include "http/middleware/access_log.h"

namespace ladder::http {
namespace {

constexpr int kServerError = 500;

}  // namespace

trace::SpanContext span_of(const Request& request, const trace::SpanSink* sink) {
  if (request.headers.count("traceparent") == 1) {
    const auto parent = trace::parse_traceparent(*request.headers.get("traceparent"));
    const bool has_state = request.headers.count("tracestate") == 1;
    if (parent) return trace::continue_trace(parent, has_state ? *request.headers.get("tracestate") : std::string_view());
  }
  return sink != nullptr && sink->wants_spans() ? trace::begin_trace() : trace::SpanContext();
}

trace::Span server_span(const trace::SpanContext& context, const AnsweredRequest& answered) {
  const std::string_view known = known_method(answered.request.method);
  const std::string method(known == "-" ? "_OTHER" : known);
  trace::Span span;
  span.context = context;
  span.name = answered.route.empty() ? method : format("{} {}", method, answered.route);
  span.begin = answered.begin;
  span.end = answered.end;
  span.failed = answered.status >= kServerError;
  span.texts = {{"http.request.method", method}, {"url.scheme", answered.request.over_tls ? "https" : "http"}};
  if (!answered.route.empty()) span.texts.emplace_back("http.route", answered.route);
  if (span.failed) span.texts.emplace_back("error.type", std::to_string(answered.status));
  span.numbers = {{"http.response.status_code", answered.status}};
  return span;
}

}  // namespace ladder::http
