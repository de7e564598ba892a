// Writes down, from a thread of its own, that the grants of one access are in use: when a request was answered, and then at most
// once an hour. It also brings this process's journal of the ledger into the store, at most once a second. No request waits for
// it, and a process that answers nothing writes nothing.
#pragma once

#include "base/mutex.h"
#include "server/resource_server.h"

#include <condition_variable>
#include <thread>

namespace ladder::cli {

class UseKeeper {
 public:
  // Both must outlive it.
  UseKeeper(server::ResourceServer& server, const server::Access& access);
  ~UseKeeper();  // waits for a write that has begun
  UseKeeper(const UseKeeper&) = delete;
  UseKeeper& operator=(const UseKeeper&) = delete;

  void answered();  // from any thread

 private:
  void run(const std::stop_token& stop);

  server::ResourceServer& server_;
  const server::Access& access_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  bool used_ LADDER_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace ladder::cli
