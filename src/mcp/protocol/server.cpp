#include "mcp/protocol/server.h"

#include "base/text/format.h"
#include "mcp/protocol/answer.h"
#include "mcp/protocol/call_span.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/methods.h"
#include "mcp/protocol/routing.h"
#include "model/quote.h"

#include <exception>

namespace ladder::mcp {
namespace {

constexpr int kBadRequest = 400;
constexpr int kNoSuchMethod = 404;  // of the modern era
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
          format("there is no method {} here in protocol version {}", model::in_quotes(request.method),
                 era == Era::kModern ? kModernVersion : kLegacyVersions.front()),
          {},
          era == Era::kModern ? kNoSuchMethod : 200,
          {}};
}

// The tool that is called, or else the method.
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
  // Over stdio nobody waits for an answer to these; over HTTP the status tells.
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
                        envelope.request_id, reads_resources(request)};
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
    return refused(request, {kInternalError, "a fault of the program; other requests are not affected", {}, 200, {}});
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
    // A handshake can't be cancelled, since nothing goes on without it.
    if (message.method != "initialize") seen.cancelled_by = comparable_id(message.id);
    else seen.negotiates = negotiate(string_of(pick<1>(message.params, {"protocolVersion"}).values[0]).value_or(""));
  } else if (message.kind == MessageKind::kNotification && message.method == "notifications/cancelled") {
    const auto picked = pick<1>(message.params, {"requestId"});
    if (!is_null(picked.values[0]) && !picked.twice) seen.cancels = comparable_id(picked.values[0]->text);
  }
  return seen;
}

}  // namespace ladder::mcp
