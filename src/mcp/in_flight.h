// The requests that are being worked on over stdio, so that notifications/cancelled can stop one: its work ends, and nothing more
// is said about it. Writing is done under the same lock, so that no reply follows a cancellation. Thread-safe.
#pragma once

#include "base/mutex.h"

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::mcp {

class InFlight {
 public:
  struct Request {
    std::optional<std::string> id;  // comparable; none: can't be cancelled by a client
    std::stop_source stop;
    bool cancelled = false;
  };
  using Ticket = std::list<Request>::iterator;

  Ticket begin(std::optional<std::string> id);
  void cancel(std::string_view id);  // every request of that id
  void cancel_all();
  // Ends the request; `say` runs, unless it was cancelled, while no cancellation can come in between. False when it was.
  bool finish(Ticket request, const std::function<void()>& say);
  // Runs while no other reply is being written.
  void alone(const std::function<void()>& say);

 private:
  Mutex mutex_;
  std::list<Request> requests_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::mcp
