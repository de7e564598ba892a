#include "store/postgres/engine/pool.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::store::postgres {

Lease::~Lease() {
  if (connection_) pool_->put_back(std::move(connection_));
}

Result<Lease> Pool::lease(Deadline deadline) {
  const Deadline wait_limit = Deadline::after(std::min(kCheckoutTimeout, deadline.left()));
  MutexLock lock(mutex_);
  if (unresponsive_) {
    lock.unlock();
    return probe(deadline);
  }
  if (waiters_.empty() && !idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return Lease(*this, std::move(connection));
  }
  if (waiters_.empty() && slots_used_ < max_connections_) {
    ++slots_used_;
    lock.unlock();
    return open_one(deadline);
  }
  Waiter waiter;
  waiters_.push_back(&waiter);
  while (!waiter.served && !wait_limit.passed()) waiter.wake.wait_for(lock, wait_limit.left());
  if (!waiter.served) {
    std::erase(waiters_, &waiter);
    return fail(Code::kStoreUnavailable,
                format("all {} connections to PostgreSQL are in use, and none became free in time: try again when there is less "
                       "to do",
                       max_connections_));
  }
  lock.unlock();
  if (waiter.connection) return Lease(*this, std::move(waiter.connection));
  return open_one(deadline);
}

Result<Lease> Pool::probe(Deadline deadline) {
  {
    const MutexLock lock(mutex_);
    if (probing_ || !next_probe_.passed() || slots_used_ >= max_connections_)
      return std::unexpected(unresponsive_server(address_, "refused at once"));
    probing_ = true;
    ++slots_used_;
  }
  auto lease = open_one(Deadline::after(std::min(kProbeTimeout, deadline.left())));
  const MutexLock lock(mutex_);
  probing_ = false;
  next_probe_ = Deadline::after(kProbePause);
  if (lease) unresponsive_ = false;
  return lease;
}

Result<Lease> Pool::open_one(Deadline deadline) {
  const Deadline soon = Deadline::after(kProbeTimeout);
  auto connection = Connection::open(address_, deadline);
  if (connection) return Lease(*this, *std::move(connection));
  const MutexLock lock(mutex_);
  if (soon.passed()) unresponsive_ = true;  // the server neither answered nor refused
  release_slot();
  return std::unexpected(std::move(connection).error());
}

void Pool::put_back(std::unique_ptr<Connection> connection) {
  connection->limit_waits(Deadline::after(kReadTimeout));
  const bool usable = connection->reset();
  std::vector<std::unique_ptr<Connection>> dropped;  // closed after the mutex is released
  const MutexLock lock(mutex_);
  if (connection->timed_out()) unresponsive_ = true;
  if (!usable) {
    // The failure of this connection has probably also broken the idle ones.
    if (connection->lost()) dropped.swap(idle_);
    slots_used_ -= dropped.size();
    dropped.push_back(std::move(connection));
    release_slot();
    return;
  }
  if (waiters_.empty()) {
    idle_.push_back(std::move(connection));
    return;
  }
  Waiter& next = *waiters_.front();
  waiters_.pop_front();
  next.connection = std::move(connection);
  next.served = true;
  next.wake.notify_one();
}

void Pool::release_slot() {
  if (waiters_.empty()) {
    --slots_used_;
    return;
  }
  Waiter& next = *waiters_.front();
  waiters_.pop_front();
  next.served = true;
  next.wake.notify_one();
}

std::size_t Pool::open_connections() const {
  const MutexLock lock(mutex_);
  return slots_used_;
}

Pool::Figures Pool::figures() const {
  const MutexLock lock(mutex_);
  return {slots_used_ - idle_.size(), idle_.size(), waiters_.size()};
}

}  // namespace ladder::store::postgres
