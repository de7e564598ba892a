#include "mcp/protocol/server.h"

#include "base/text/format.h"
#include "http/trace/trace.h"
#include "mcp/protocol/answer.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/methods.h"
#include "mcp/protocol/routing.h"
#include "mcp/protocol/versions.h"
#include "model/quote.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

namespace ladder::mcp {
namespace {

// The span of a request, by the OpenTelemetry conventions for MCP. Its trace is that of params._meta.traceparent, else that of
// the transport, else a new one if spans are exported. Tools that call another server find it in http::Scope.
class CallSpan {
 public:
  CallSpan(const Message& request, Era era, const Envelope& envelope);
  ~CallSpan();  // the request failed if end() was not called
  CallSpan(const CallSpan&) = delete;
  CallSpan& operator=(const CallSpan&) = delete;

  void end(const Answer& answer);
  const std::string& trace_id() const { return span_.context.trace_id; }

 private:
  http::Span span_;
  http::SpanSink* sink_;
  std::optional<http::Scope> scope_;
};

http::SpanContext context_of(const Message& request, const Envelope& envelope) {
  const auto named = pick<2>(request.meta, {"traceparent", "tracestate"});
  const std::string text = named.twice ? std::string() : string_of(named.values[0]).value_or("");
  if (const auto parent = http::parse_traceparent(text)) {
    return http::continue_trace(parent, string_of(named.values[1]).value_or(""));
  }
  if (envelope.trace) return http::child_of(envelope.trace);
  return envelope.spans && envelope.spans->wants_spans() ? http::begin_trace() : http::SpanContext();
}

// Returns a supported version, never the client's text.
std::string_view version_of(Era era, const Envelope& envelope) {
  if (era == Era::kModern) return kModernVersion;
  if (!envelope.negotiated.empty()) return envelope.negotiated;
  if (envelope.protocol_version && is_legacy_version(*envelope.protocol_version)) return *envelope.protocol_version;
  return {};
}

bool is_number(std::string_view id) {
  return !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
}

CallSpan::CallSpan(const Message& request, Era era, const Envelope& envelope) : sink_(envelope.spans) {
  span_.context = context_of(request, envelope);
  if (!span_.context) return;
  scope_.emplace(span_.context, sink_);
  span_.begin = Clock::system().now();
  span_.failed = true;
  span_.name = request.method;  // a known method
  span_.texts = {{"mcp.method.name", request.method}, {"network.transport", envelope.http ? "tcp" : "pipe"}};
  if (const auto version = version_of(era, envelope); !version.empty()) span_.texts.emplace_back("mcp.protocol.version", version);
  // A client may choose any text as an id, so only numeric ids are recorded.
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
  // A tool error is a result in the protocol.
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

constexpr int kBadRequest = 400;
constexpr int kNoSuchMethod = 404;  // in the modern era
constexpr int kAccepted = 202;

LogLine log_of(const Message& message, std::string_view tool, std::string_view outcome) {
  const bool known = is_known_method(message.method);
  return {known ? message.method : "-", std::string(tool), std::string(message.id), std::string(outcome)};
}

Reply refused(const Message& message, const Fault& fault) {
  const std::string_view outcome = fault.outcome.empty() ? outcome_word(fault.code) : std::string_view(fault.outcome);
  return {error_body(message.id, fault), fault.http_status, {log_of(message, {}, outcome)}};
}

Fault no_such_method(const Message& request, Era era) {
  return {kMethodNotFound,
          format("unknown method {} in protocol version {}", model::in_quotes(request.method),
                 era == Era::kModern ? kModernVersion : kLegacyVersions.front()),
          {},
          era == Era::kModern ? kNoSuchMethod : 200,
          {}};
}

// Returns the called tool, or the method.
std::string name_of_call(const Message& request) {
  if (request.method != "tools/call") return request.method;
  return string_of(pick<1>(request.params, {"name"}).values[0]).value_or(request.method);
}

std::size_t max_bytes(const Envelope& envelope) { return envelope.http ? kMaxHttpMessageBytes : kMaxLineBytes; }

}  // namespace

Server::Server(Options options, ToolRegistry registry)
    : options_(std::move(options)), registry_(std::move(registry)), lists_(make_lists(options_, registry_)) {}

Reply Server::handle(std::string_view text, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const {
  return handle(read_incoming(text, max_bytes(envelope)), envelope, port, std::move(stop));
}

Reply Server::handle(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const {
  if (!incoming.fault.empty()) return refused({}, {kParseError, incoming.fault, {}, kBadRequest, {}});
  if (incoming.is_array) return answer_array(incoming, envelope, port, stop);
  return answer(incoming.messages.front(), envelope, port, std::move(stop));
}

Reply Server::answer_array(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port,
                           const std::stop_token& stop) const {
  if (const auto fault = check_array(incoming, envelope)) return refused({}, *fault);
  Reply all;
  for (const Message& message : incoming.messages) {
    Reply one = answer(message, envelope, port, stop);
    all.log.insert(all.log.end(), one.log.begin(), one.log.end());
    if (one.body.empty()) continue;
    all.body += (all.body.empty() ? "[" : ",") + one.body;
  }
  if (all.body.empty()) all.http_status = kAccepted;
  else all.body += "]";
  return all;
}

Reply Server::answer(const Message& message, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const {
  if (message.kind == MessageKind::kInvalid) {
    return refused(message, {kInvalidRequest, format("the message is malformed: {}", message.fault), {}, kBadRequest, {}});
  }
  const Routed routed = route(message, envelope);
  if (message.kind == MessageKind::kRequest) {
    return routed.fault ? refused(message, *routed.fault) : run(message, routed.era, envelope, port, std::move(stop));
  }
  // Over stdio these get no response; over HTTP the status reports the error.
  if (routed.fault && envelope.http) return refused(message, *routed.fault);
  return {{}, kAccepted, {}};
}

Reply Server::run(const Message& request, Era era, const Envelope& envelope, api::ResourcePort& port,
                  std::stop_token stop) const {
  const Method* const method = find_method(request.method, era, envelope);
  if (method == nullptr) return refused(request, no_such_method(request, era));
  Options own;
  if (!envelope.provider_url.empty()) {
    own = options_;
    own.provider_url = envelope.provider_url;
  }
  const std::unique_ptr<api::ResourcePort> named =
      port.for_call(name_of_call(request), envelope.request_id.empty() ? std::string_view(request.id) : envelope.request_id);
  const Context context{named ? *named : port, envelope.provider_url.empty() ? options_ : own, std::move(stop),
                        envelope.request_id};
  CallSpan span(request, era, envelope);
  try {
    const Answer answer = method->answer({request, era, registry_, lists_, context, envelope});
    span.end(answer);
    LogLine log = log_of(request, answer.tool, answer.outcome);
    log.trace_id = span.trace_id();
    if (const auto* const fault = std::get_if<Fault>(&answer.said)) {
      return {error_body(request.id, *fault), fault->http_status, {std::move(log)}};
    }
    if (answer.subscription) return {answer.acknowledgement, 200, {std::move(log)}, answer.subscription};
    const auto& success = std::get<Success>(answer.said);
    return {result_body(request.id, success, era == Era::kModern ? lists_.server_info : ""), 200, {std::move(log)}};
  } catch (const std::exception&) {
    return refused(request, {kInternalError, "an internal error; other requests are not affected", {}, 200, {}});
  }
}

Glance glance(const Incoming& incoming) {
  Glance seen;
  if (!incoming.fault.empty()) return seen;
  if (incoming.is_array) {
    seen.is_request = true;
    if (!incoming.messages.empty()) seen.settles = Era::kLegacy;
    return seen;
  }
  const Message& message = incoming.messages.front();
  if (message.kind == MessageKind::kRequest) {
    seen.is_request = true;
    seen.settles = era_of_first(message);
    if (is_known_method(message.method)) seen.method = message.method;
    seen.echo = message.id;
    // The handshake cannot be cancelled, since all further requests depend on it.
    if (message.method != "initialize") seen.cancelled_by = comparable_id(message.id);
    else seen.negotiates = negotiate(string_of(pick<1>(message.params, {"protocolVersion"}).values[0]).value_or(""));
  } else if (message.kind == MessageKind::kNotification && message.method == "notifications/cancelled") {
    const auto picked = pick<1>(message.params, {"requestId"});
    if (!is_null(picked.values[0]) && !picked.twice) seen.cancels = comparable_id(picked.values[0]->text);
  }
  return seen;
}

}  // namespace ladder::mcp
