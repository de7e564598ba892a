#include "mcp/http/transport.h"

#include "base/mutex.h"
#include "base/text/format.h"
#include "mcp/http/posted_message.h"
#include "mcp/protocol/answer.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>

namespace ladder::mcp {
namespace {

using http::Response;

// The response to subscriptions/listen over HTTP: server-sent events, one per message, until the subscription ends or the
// client disconnects.
class EventStream final : public http::BodyStream {
 public:
  // `first` is the first message.
  EventStream(std::shared_ptr<Subscription> subscription, std::string first);
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

  const std::shared_ptr<Subscription> subscription_;
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

EventStream::EventStream(std::shared_ptr<Subscription> subscription, std::string first) : subscription_(std::move(subscription)) {
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

bool has_json_body(const http::Request& request) {
  return http::equal_without_case(http::media_type(header(request, "Content-Type").value_or("")), "application/json");
}

// Reports whether the client accepts this type. A client without an Accept header accepts any.
bool takes(const http::Request& request, std::string_view type, std::string_view subtype) {
  const auto accept = header(request, "Accept");
  if (!accept) return true;
  for (std::string_view left = *accept; !left.empty();) {
    const auto comma = left.find(',');
    const std::string_view taken = http::media_type(left.substr(0, comma));
    for (const std::string& fits : {format("{}/{}", type, subtype), format("{}/*", type), std::string("*/*")}) {
      if (http::equal_without_case(taken, fits)) return true;
    }
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

Response json_error(int status, std::string message) {
  return Response::json(status, error_body({}, {kInvalidRequest, std::move(message), {}, status, {}}));
}

}  // namespace

Envelope HttpTransport::envelope(const HttpCall& call) {
  Envelope envelope;
  envelope.http = true;
  envelope.protocol_version = header(call.request, "MCP-Protocol-Version");
  envelope.method = header(call.request, "Mcp-Method");
  envelope.name = header(call.request, "Mcp-Name");
  envelope.request_id = call.request.id;
  envelope.provider_url = call.provider_url;
  envelope.subscriptions = &subscriptions_;
  envelope.client = call.client;
  envelope.trace = call.span;
  envelope.spans = call.spans;
  return envelope;
}

Response HttpTransport::refuse(const HttpCall& call, const Error& error, std::vector<LogLine>& log) {
  if (!has_json_body(call.request)) return http::error_response(error, call.request.id);
  api::BusyPort port(error);
  Reply reply = server_.handle(message_of(call.request)->incoming(), envelope(call), port, {});
  log = std::move(reply.log);
  return Response::json(reply.http_status, std::move(reply.body));
}

Response HttpTransport::answer(const HttpCall& call, api::ResourcePort& port, std::vector<LogLine>& log) {
  const http::Request& request = call.request;
  if (!has_json_body(request)) return json_error(kUnsupportedMedia, "send the message as Content-Type: application/json");
  if (!takes(request, "application", "json"))
    return json_error(kNotAcceptable, "responses are application/json; the Accept header must allow it");
  Reply reply = server_.handle(message_of(request)->incoming(), envelope(call), port, request.gone);
  log = std::move(reply.log);
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

}  // namespace ladder::mcp
