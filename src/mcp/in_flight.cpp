#include "mcp/in_flight.h"

namespace ladder::mcp {

InFlight::Ticket InFlight::begin(std::optional<std::string> id) {
  const MutexLock lock(mutex_);
  return requests_.insert(requests_.end(), Request{std::move(id), {}, false});
}

void InFlight::cancel(std::string_view id) {
  const MutexLock lock(mutex_);
  for (Request& request : requests_) {
    if (request.id != id) continue;
    request.cancelled = true;
    request.stop.request_stop();
  }
}

void InFlight::cancel_all() {
  const MutexLock lock(mutex_);
  for (Request& request : requests_) {
    request.cancelled = true;
    request.stop.request_stop();
  }
}

bool InFlight::finish(Ticket request, const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  const bool wanted = !request->cancelled;
  if (wanted) say();
  requests_.erase(request);
  return wanted;
}

void InFlight::alone(const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  say();
}

}  // namespace ladder::mcp
