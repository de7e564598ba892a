#include "rest/mcp.h"

#include "api/resource_port.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "mcp/protocol/answer.h"
#include "mcp/protocol/subscriptions.h"
#include "rest/service.h"
#include "server/resource_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace ladder::rest {
namespace {

// The response to subscriptions/listen over HTTP: server-sent events, one per message, until the subscription ends or the
// client disconnects.
class EventStream final : public http::BodyStream {
 public:
  // `first` is the first message.
  EventStream(std::shared_ptr<mcp::Subscription> subscription, std::string first);
  ~EventStream() override { subscription_->close(); }

  Result<bool> next(std::string& piece) override;
  bool is_ready() override;
  void finish_soon() override;

 private:
  // Shared with the notifying threads, which may outlive the stream. For a slow client, each message is queued only once.
  struct Queue {
    Mutex mutex;
    std::deque<std::string> messages LADDER_GUARDED_BY(mutex);

    bool empty();
    void put(std::string message);
    std::deque<std::string> take();
  };

  const std::shared_ptr<mcp::Subscription> subscription_;
  const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
  std::chrono::steady_clock::time_point last_said_ = std::chrono::steady_clock::now();
};

// Proxies close idle streams, many after 30 seconds.
constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr std::string_view kComment = ":\n\n";

bool EventStream::Queue::empty() {
  const MutexLock lock(mutex);
  return messages.empty();
}

void EventStream::Queue::put(std::string message) {
  const MutexLock lock(mutex);
  if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
}

std::deque<std::string> EventStream::Queue::take() {
  const MutexLock lock(mutex);
  return std::exchange(messages, {});
}

EventStream::EventStream(std::shared_ptr<mcp::Subscription> subscription, std::string first)
    : subscription_(std::move(subscription)) {
  queue_->put(std::move(first));
  subscription_->speak([queue = queue_](std::string message) {
    queue->put(std::move(message));
    return true;
  });
}

bool EventStream::is_ready() {
  return subscription_->is_over() || !queue_->empty() || std::chrono::steady_clock::now() - last_said_ >= kKeepAlive;
}

Result<bool> EventStream::next(std::string& piece) {
  piece.clear();
  const bool over = subscription_->is_over();  // checked first: messages sent before the end are still delivered below
  for (const std::string& message : queue_->take()) piece.append("event: message\ndata: ").append(message).append("\n\n");
  if (piece.empty() && over) return false;
  if (piece.empty()) piece = kComment;
  last_said_ = std::chrono::steady_clock::now();
  return true;
}

void EventStream::finish_soon() {
  if (subscription_->is_over()) return;
  subscription_->close();
  queue_->put(subscription_->final_message());
}

http::Response stream_events(std::unique_ptr<EventStream> stream) {
  http::Response response;
  response.headers.set("Content-Type", "text/event-stream");
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Accel-Buffering", "no");  // nginx would buffer events
  response.stream = std::move(stream);
  return response;
}

}  // namespace

void take_message(http::Request& request) {
  if (request.body.size() > kMaxBytesReadAhead) return;
  request.taken = std::make_shared<const mcp::Received>(std::move(request.body), mcp::kMaxHttpMessageBytes);
  request.body.clear();
}

std::shared_ptr<const mcp::Received> message_of(const http::Request& request) {
  if (request.taken) return std::static_pointer_cast<const mcp::Received>(request.taken);
  return std::make_shared<const mcp::Received>(request.body, mcp::kMaxHttpMessageBytes);
}

const mcp::Incoming* known_message(const http::Request& request) {
  return request.taken ? &std::static_pointer_cast<const mcp::Received>(request.taken)->incoming() : nullptr;
}

std::optional<WindowCall> window_call(const mcp::Incoming& incoming) {
  if (incoming.is_array || incoming.messages.size() != 1) return std::nullopt;
  const mcp::Message& message = incoming.messages.front();
  if (message.kind != mcp::MessageKind::kRequest || message.method != "tools/call") return std::nullopt;
  const auto call = mcp::pick<2>(message.params, {"name", "arguments"});
  const auto& [name, arguments] = call.values;
  if (call.twice || mcp::string_of(name) != "read_record_field") return std::nullopt;
  if (!arguments || arguments->kind != json::Kind::kObject) return std::nullopt;
  const auto given = mcp::pick<2>(arguments->text, {"q", "cursor"});
  const auto& [q, cursor] = given.values;
  if (given.twice || !mcp::is_null(q)) return std::nullopt;
  if (mcp::is_null(cursor)) return WindowCall{};
  auto text = mcp::string_of(cursor);
  if (!text || text->empty()) return std::nullopt;
  return WindowCall{*std::move(text)};
}

bool reads_records(const mcp::Incoming& incoming) {
  constexpr std::array<std::string_view, 3> kReads = {"tools/call", "resources/read", "completion/complete"};
  return std::ranges::any_of(
      incoming.messages, [&](const mcp::Message& message) { return std::ranges::find(kReads, message.method) != kReads.end(); });
}

// POST /mcp: the HTTP side of the Model Context Protocol. Checks the client's token, then the content types of the request and
// the response; mcp/ does the rest. Each request gets one JSON response, except subscriptions/listen. No state is kept between
// requests, so there is no session.

namespace {

using http::Response;

constexpr int kAccepted = 202;
constexpr int kNotAcceptable = 406;
constexpr int kUnsupportedMedia = 415;

// Returns all values of a header, joined with commas. A repeated single-valued header then matches nothing.
std::optional<std::string> header(const http::Request& request, std::string_view name) {
  std::optional<std::string> joined;
  for (const auto& [field, value] : request.headers.all()) {
    if (!http::equal_without_case(field, name)) continue;
    joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

// Returns the type of "application/json; charset=utf-8" without parameters.
std::string_view media_type(std::string_view value) { return http::trimmed(value.substr(0, value.find(';'))); }

bool has_json_body(const http::Request& request) {
  return http::equal_without_case(media_type(header(request, "Content-Type").value_or("")), "application/json");
}

// Reports whether the client accepts this type. A client without an Accept header accepts any.
bool takes(const http::Request& request, std::string_view type, std::string_view subtype) {
  const auto accept = header(request, "Accept");
  if (!accept) return true;
  for (std::string_view left = *accept; !left.empty();) {
    const auto comma = left.find(',');
    const std::string_view taken = media_type(left.substr(0, comma));
    for (const std::string& fits : {format("{}/{}", type, subtype), format("{}/*", type), std::string("*/*")}) {
      if (http::equal_without_case(taken, fits)) return true;
    }
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

Response json_error(int status, std::string message) {
  return Response::json(status, mcp::error_body({}, {mcp::kInvalidRequest, std::move(message), {}, status, {}}));
}

}  // namespace

// Owner credentials are not allowed for MCP (design D16).
Result<server::Access> Service::mcp_access(const http::Request& request, Trace& trace) {
  LADDER_TRY(auto who, access(request, trace));
  if (who.is_owner()) {
    return fail(Code::kPermission,
                "owner tokens are not accepted here; `ladder grant create` creates a token for a client with limited access");
  }
  return who;
}

bool Service::is_short_mcp_call(const http::Request& request) const {
  const mcp::Incoming* const known = known_message(request);
  const auto call = known ? window_call(*known) : std::nullopt;
  if (!call) return false;
  model::WindowArguments window;
  if (!call->cursor.empty()) window.cursor = call->cursor;
  return !server_.may_search(window);
}

mcp::Envelope Service::mcp_envelope(const http::Request& request, const Trace& trace) {
  mcp::Envelope envelope;
  envelope.http = true;
  envelope.protocol_version = header(request, "MCP-Protocol-Version");
  envelope.method = header(request, "Mcp-Method");
  envelope.name = header(request, "Mcp-Name");
  envelope.request_id = request.id;
  envelope.provider_url = public_url(request);
  envelope.subscriptions = &subscriptions_;
  envelope.trace = trace.span;
  envelope.spans = options_.spans;
  return envelope;
}

// Hosts show a tool's result to the model, but not an HTTP status. So this is reported as a tool error.
http::Response Service::mcp_too_many_requests(const http::Request& request, const Error& error, Trace& trace) {
  if (!has_json_body(request)) return http::error_response(error, request.id);
  api::BusyPort port(error);
  mcp::Reply reply = mcp_.handle(message_of(request)->incoming(), mcp_envelope(request, trace), port, {});
  trace.calls = std::move(reply.log);
  return Response::json(reply.http_status, std::move(reply.body));
}

Result<Response> Service::mcp(const Call& call) {
  const http::Request& request = call.request;
  LADDER_TRY(const auto who, mcp_access(request, call.trace));
  if (!has_json_body(request)) return json_error(kUnsupportedMedia, "send the message as Content-Type: application/json");
  if (!takes(request, "application", "json"))
    return json_error(kNotAcceptable, "responses are application/json; the Accept header must allow it");
  mcp::Envelope envelope = mcp_envelope(request, call.trace);
  envelope.client = format("{}/{}", who.owner(), who.client_id());
  server::LocalPort port(server_, who);
  mcp::Reply reply = mcp_.handle(message_of(request)->incoming(), envelope, port, request.gone);
  call.trace.calls = std::move(reply.log);
  if (reply.subscription) {
    auto stream = std::make_unique<EventStream>(reply.subscription, std::move(reply.body));
    if (takes(request, "text", "event-stream")) return stream_events(std::move(stream));
    return json_error(kNotAcceptable,
                      "the response to subscriptions/listen is text/event-stream; the Accept header must allow it");
  }
  if (!reply.body.empty()) return Response::json(reply.http_status, std::move(reply.body));
  Response silent;
  silent.status = kAccepted;
  return silent;
}

Result<Response> Service::mcp_metadata(const Call& call) const {
  const std::string url = public_url(call.request);
  json::Writer out;
  out.begin_object().member("resource", url + "/mcp").member("resource_name", "Ladder MCP Server");
  write_authorization(out, call.request);
  out.key("bearer_methods_supported").begin_array().string("header").end_array();
  out.key("pdpp_token_kinds_supported").begin_array().string("client").end_array();
  out.key("pdpp_agent_discovery").begin_object().key("mcp").begin_object().member("endpoint", url + "/mcp").end_object();
  out.end_object().end_object();
  return Response::json(200, out.take());
}

}  // namespace ladder::rest
