// Sends the notifications of all owners inside `ladder serve`: one thread looks for events, stores a message for each, and sends
// what is due. Messages are stored, so they survive a restart.
#pragma once

#include "notify/access_watch.h"
#include "notify/delivery.h"
#include "notify/notify_store.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ladder::app {

// Counters since the start, for operators.
struct NotifyFigures {
  std::int64_t sent = 0, failed = 0, given_up = 0;  // attempts, attempts, messages
  std::int64_t waiting = 0, failing = 0;            // messages now; channels whose last attempt failed
};

class NotifyService {
 public:
  // Returns a message for everything that is the case now.
  using Watch = std::function<Result<std::vector<notify::Notice>>(const server::Access& owner)>;

  // `base` is the address of this server, for links in messages.
  NotifyService(auth::AuthorizationServer& authorization, notify::NotifyStore& store, std::vector<Watch> watches,
                std::string base);
  ~NotifyService();  // cancels the attempt that runs now
  NotifyService(const NotifyService&) = delete;
  NotifyService& operator=(const NotifyService&) = delete;

  NotifyFigures figures() const;

 private:
  // An owner with channels.
  struct Told {
    server::Access owner;
    notify::AccessWatch access_watch;
    std::chrono::steady_clock::time_point looked_at = {};
    std::int64_t waiting = 0, failing = 0;
  };

  void work(const std::stop_token& stop);
  Status update_owners();
  void tell(Told& told, const std::stop_token& stop);
  Status look(Told& told, const std::vector<notify::Channel>& channels);
  Status send_due(Told& told, const std::vector<notify::Channel>& channels, const std::stop_token& stop);
  Status send(const server::Access& owner, notify::Waiting& waiting, const notify::Channel& channel, const std::stop_token& stop);

  auth::AuthorizationServer& authorization_;
  notify::NotifyStore& store_;
  std::map<store::OwnerNo, Told> told_;  // used by the thread
  const std::vector<Watch> watches_;
  const std::string base_;
  std::atomic<std::int64_t> sent_ = 0, failed_ = 0, given_up_ = 0, waiting_ = 0, failing_ = 0;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace ladder::app
