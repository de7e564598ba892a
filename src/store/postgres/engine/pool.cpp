#include "store/postgres/engine/pool.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::store::postgres {

Lease::~Lease() {
  if (connection_) pool_->give_back(std::move(connection_));
}

Result<Lease> Pool::lease(Deadline deadline) {
  MutexLock lock(mutex_);
  if (waiters_.empty() && !idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return Lease(*this, std::move(connection));
  }
  if (waiters_.empty() && places_taken_ < most_) {
    ++places_taken_;
    lock.unlock();
    return open_one();
  }
  Waiter waiter;
  waiters_.push_back(&waiter);
  while (!waiter.served && !deadline.passed()) waiter.wake.wait_for(lock, deadline.left());
  if (!waiter.served) {
    std::erase(waiters_, &waiter);
    return fail(Code::kStoreUnavailable,
                format("all {} connections to PostgreSQL have been in use for {} seconds: try again when there is less to do",
                       most_, std::chrono::duration_cast<std::chrono::seconds>(kCheckoutTimeout).count()));
  }
  lock.unlock();
  if (waiter.connection) return Lease(*this, std::move(waiter.connection));
  return open_one();
}

Result<Lease> Pool::open_one() {
  auto connection = Connection::open(address_);
  if (connection) return Lease(*this, *std::move(connection));
  const MutexLock lock(mutex_);
  give_up_place();
  return std::unexpected(std::move(connection).error());
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  const bool usable = connection->reset();
  std::vector<std::unique_ptr<Connection>> dropped;  // closed after the mutex is released
  const MutexLock lock(mutex_);
  if (!usable) {
    // The fault that cut this connection off has most likely cut off the idle ones too.
    if (connection->lost()) dropped.swap(idle_);
    places_taken_ -= dropped.size();
    dropped.push_back(std::move(connection));
    give_up_place();
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

void Pool::give_up_place() {
  if (waiters_.empty()) {
    --places_taken_;
    return;
  }
  Waiter& next = *waiters_.front();
  waiters_.pop_front();
  next.served = true;
  next.wake.notify_one();
}

std::size_t Pool::open_connections() const {
  const MutexLock lock(mutex_);
  return places_taken_;
}

Pool::Figures Pool::figures() const {
  const MutexLock lock(mutex_);
  return {places_taken_ - idle_.size(), idle_.size(), waiters_.size()};
}

}  // namespace ladder::store::postgres
