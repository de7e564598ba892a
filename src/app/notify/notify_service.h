// Sends the owner's notifications inside `ladder serve`: one thread looks for events, stores a message for each, and sends what
// is due. Messages are stored, so they survive a restart.
#pragma once

#include "notify/access_watch.h"
#include "notify/delivery.h"
#include "notify/notify_store.h"

#include <atomic>
#include <cstdint>
#include <functional>
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
  NotifyService(auth::AuthorizationServer& authorization, notify::NotifyStore& store, server::Access owner,
                std::vector<Watch> watches, std::string base);
  ~NotifyService();  // cancels the attempt that runs now
  NotifyService(const NotifyService&) = delete;
  NotifyService& operator=(const NotifyService&) = delete;

  NotifyFigures figures() const;

 private:
  void work(const std::stop_token& stop);
  Status look(const std::vector<notify::Channel>& channels);
  Status send_due(const std::vector<notify::Channel>& channels, const std::stop_token& stop);
  Status send(notify::Waiting& waiting, const notify::Channel& channel, const std::stop_token& stop);

  notify::NotifyStore& store_;
  notify::AccessWatch access_watch_;
  const server::Access owner_;
  const std::vector<Watch> watches_;
  const std::string base_;
  std::atomic<std::int64_t> sent_ = 0, failed_ = 0, given_up_ = 0, waiting_ = 0, failing_ = 0;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace ladder::app
