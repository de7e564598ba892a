// The answer to subscriptions/listen over HTTP: server-sent events, one a message, for as long as the subscription is open and
// the client is there.
#pragma once

#include "base/mutex.h"
#include "http/message/message.h"
#include "mcp/protocol/subscriptions.h"

#include <chrono>
#include <deque>
#include <memory>
#include <string>

namespace ladder::rest {

class EventStream final : public http::BodyStream {
 public:
  // `first` is the message that it begins with.
  EventStream(std::shared_ptr<mcp::Subscription> subscription, std::string first);
  ~EventStream() override { subscription_->close(); }

  Result<bool> next(std::string& piece) override;
  bool is_ready() override;
  void wind_up() override;

 private:
  // Shared with whoever speaks, which may outlive the stream. A client that reads slowly has each message waiting once.
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

http::Response stream_events(std::unique_ptr<EventStream> stream);

}  // namespace ladder::rest
