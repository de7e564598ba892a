#include "rest/event_stream.h"

#include <algorithm>
#include <utility>

namespace ladder::rest {
namespace {

// Proxies take a stream that stands still for broken; many wait for 30 seconds.
constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr std::string_view kComment = ":\n\n";

}  // namespace

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
  const bool over = subscription_->is_over();  // asked first: what was said before it ended is still taken below
  for (const std::string& message : queue_->take()) piece.append("event: message\ndata: ").append(message).append("\n\n");
  if (piece.empty() && over) return false;
  if (piece.empty()) piece = kComment;
  last_said_ = std::chrono::steady_clock::now();
  return true;
}

void EventStream::wind_up() {
  if (subscription_->is_over()) return;
  subscription_->close();
  queue_->put(subscription_->last_words());
}

http::Response stream_events(std::unique_ptr<EventStream> stream) {
  http::Response response;
  response.headers.set("Content-Type", "text/event-stream");
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Accel-Buffering", "no");  // nginx would hold events back
  response.stream = std::move(stream);
  return response;
}

}  // namespace ladder::rest
