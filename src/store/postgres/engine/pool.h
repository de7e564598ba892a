// The connections of one store: at most db_connections, opened on demand, assigned first come first served, and closed
// when they are unused or old. When a connection is lost, it and all idle ones are dropped, so that the next use
// reconnects once the server is back. After a timeout, callers fail immediately except for one at a time that tries to
// reconnect, so that a hanging server does not block every request in turn. If the server, or a pooler before it, has no
// connection left, callers share those that are open. Thread-safe; a Lease belongs to one thread.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "store/postgres/engine/connection.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

class Pool;

// Holds a connection. The destructor returns it to the pool and rolls back if necessary.
class Lease {
 public:
  Lease(Pool& pool, std::unique_ptr<Connection> connection) : pool_(&pool), connection_(std::move(connection)) {}
  ~Lease();
  Lease(Lease&& other) noexcept : pool_(other.pool_), connection_(std::move(other.connection_)) {}
  Lease& operator=(Lease&&) = delete;

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }

 private:
  Pool* pool_;
  std::unique_ptr<Connection> connection_;
};

struct PoolLimits {
  std::size_t connections = kMaxConnections;
  milliseconds idle = kIdleTimeout, age = kConnectionAge;
};

class Pool {
 public:
  explicit Pool(Address address, const PoolLimits& limits = {})
      : address_(std::move(address)), limits_(limits), room_(limits.connections) {}

  // kStoreUnavailable when all are in use until the deadline or for kCheckoutTimeout, or when a new one can't be opened.
  Result<Lease> lease(Deadline deadline = Deadline::never());

  // Runs a read of a request. The wait is bounded, so that it fails within the request's deadline when the server hangs.
  template <class Work>
  auto read(OwnerNo owner, const Work& work) -> decltype(work(std::declval<Connection&>())) {
    return run(owner, work, Deadline::after(kReadTimeout));
  }
  template <class Work>
  auto read(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    return read(0, work);
  }

  // Runs work(connection). If it failed without changing anything, runs it once more: on a new connection if the old
  // one was lost, in a new transaction after a conflict with other writers. The connection works for the owner, or for
  // none.
  template <class Work>
  auto run(const Work& work, Deadline deadline = Deadline::never()) -> decltype(work(std::declval<Connection&>())) {
    return run(0, work, deadline);
  }
  template <class Work>
  auto run(OwnerNo owner, const Work& work, Deadline deadline = Deadline::never())
      -> decltype(work(std::declval<Connection&>())) {
    for (bool again = false;; again = true) {
      LADDER_TRY(Lease lease, this->lease(deadline));
      lease->set_owner(owner);
      lease->set_crossing(Crossing::kNone);
      lease->limit_waits(deadline);
      auto result = work(*lease);
      if (result || again || !lease->may_retry()) return result;
    }
  }
  // Runs work that looks for owners who need it.
  template <class Work>
  auto run_across(Crossing crossing, const Work& work) -> decltype(work(std::declval<Connection&>())) {
    return run([&](Connection& connection) {
      connection.set_crossing(crossing);
      return work(connection);
    });
  }

  const Address& address() const { return address_; }
  std::size_t open_connections() const;
  struct Figures {
    std::size_t in_use = 0, idle = 0, waiting = 0, max = 0;  // in use: also those being opened
    std::int64_t waits = 0, failed_waits = 0;                // since the start
    std::chrono::microseconds waited{};
  };
  Figures figures() const;

 private:
  friend class Lease;

  struct Waiter {
    Condition wake;
    bool served = false;
    std::unique_ptr<Connection> connection;  // null: may open one
  };

  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };
  using Dropped = std::vector<std::unique_ptr<Connection>>;  // closed after the mutex is released

  void put_back(std::unique_ptr<Connection> connection);
  void close_unused(Dropped& dropped) LADDER_REQUIRES(mutex_);
  void drop_idle(Dropped& dropped) LADDER_REQUIRES(mutex_);
  std::size_t room() LADDER_REQUIRES(mutex_);
  void release_slot() LADDER_REQUIRES(mutex_);
  Status wait_for_turn(MutexLock& lock, Waiter& waiter, Deadline wait_limit) LADDER_REQUIRES(mutex_);
  // `full`: it failed because the server, or a pooler before it, has no connection left besides those that are open.
  Result<Lease> open_one(Deadline deadline, bool& full);
  Result<Lease> probe(Deadline deadline);

  const Address address_;
  const PoolLimits limits_;
  mutable Mutex mutex_;
  std::vector<Idle> idle_ LADDER_GUARDED_BY(mutex_);  // most recently used last
  std::deque<Waiter*> waiters_ LADDER_GUARDED_BY(mutex_);
  std::size_t slots_used_ LADDER_GUARDED_BY(mutex_) = 0;  // idle, leased and being opened
  bool unresponsive_ LADDER_GUARDED_BY(mutex_) = false;   // a request timed out, and no connection succeeded since
  Deadline next_probe_ LADDER_GUARDED_BY(mutex_) = Deadline::after(milliseconds(0));
  bool probing_ LADDER_GUARDED_BY(mutex_) = false;  // a caller tries to connect
  // How many connections the server gives; lowered for kGrowPause when it has no more.
  std::size_t room_ LADDER_GUARDED_BY(mutex_);
  Deadline grows_at_ LADDER_GUARDED_BY(mutex_) = Deadline::never();
  std::chrono::steady_clock::time_point last_good_ LADDER_GUARDED_BY(mutex_);  // the last return of a usable connection
  std::int64_t waits_ LADDER_GUARDED_BY(mutex_) = 0, failed_waits_ LADDER_GUARDED_BY(mutex_) = 0;
  std::chrono::microseconds waited_ LADDER_GUARDED_BY(mutex_){};
};

}  // namespace ladder::store::postgres
