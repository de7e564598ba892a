#include "store/postgres/engine/pool.h"

#include "base/text/format.h"

#include <algorithm>

namespace ladder::store::postgres {
namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

Lease::~Lease() {
  if (connection_) pool_->put_back(std::move(connection_));
}

Result<Lease> Pool::lease(Deadline deadline) {
  const Deadline wait_limit = Deadline::after(std::min(kCheckoutTimeout, deadline.left()));
  Dropped dropped;
  MutexLock lock(mutex_);
  close_unused(dropped);
  if (unresponsive_) {
    lock.unlock();
    return probe(deadline);
  }
  for (;;) {
    Waiter turn;  // a connection, or else the right to open one
    if (waiters_.empty() && !idle_.empty()) {
      turn.connection = std::move(idle_.back().connection);
      idle_.pop_back();
    } else if (waiters_.empty() && slots_used_ < room()) {
      ++slots_used_;
    } else {
      LADDER_CHECK(wait_for_turn(lock, turn, wait_limit));
    }
    lock.unlock();
    if (turn.connection) return Lease(*this, std::move(turn.connection));
    bool full = false;
    auto opened = open_one(deadline, full);
    if (opened || !full || wait_limit.passed()) return opened;
    lock.lock();
  }
}

Status Pool::wait_for_turn(MutexLock& lock, Waiter& waiter, Deadline wait_limit) {
  const auto begin = SteadyClock::now();
  waiters_.push_back(&waiter);
  while (!waiter.served && !wait_limit.passed()) waiter.wake.wait_for(lock, wait_limit.left());
  ++waits_;
  waited_ += std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begin);
  if (waiter.served) return {};
  ++failed_waits_;
  std::erase(waiters_, &waiter);
  return fail(Code::kStoreUnavailable,
              format("all {} connections {} are in use, and none became free in time: try again when there is less to do, or let "
                     "the operator {}",
                     room(), room() < limits_.connections ? "that PostgreSQL or its pooler gives" : "to PostgreSQL",
                     room() < limits_.connections ? "enlarge the pool" : "raise db_connections"));
}

std::size_t Pool::room() {
  if (grows_at_.passed()) {
    room_ = limits_.connections;
    grows_at_ = Deadline::never();
  }
  return room_;
}

Result<Lease> Pool::probe(Deadline deadline) {
  {
    const MutexLock lock(mutex_);
    if (probing_ || !next_probe_.passed() || slots_used_ >= limits_.connections)
      return std::unexpected(unresponsive_server(address_, "refused at once"));
    probing_ = true;
    ++slots_used_;
  }
  bool full = false;
  auto lease = open_one(Deadline::after(std::min(kProbeTimeout, deadline.left())), full);
  const MutexLock lock(mutex_);
  probing_ = false;
  next_probe_ = Deadline::after(kProbePause);
  if (lease) unresponsive_ = false;
  return lease;
}

Result<Lease> Pool::open_one(Deadline deadline, bool& full) {
  const auto begin = SteadyClock::now();
  std::string state;
  auto connection = Connection::open(address_, deadline, &state);
  if (connection) return Lease(*this, *std::move(connection));
  const MutexLock lock(mutex_);
  const bool slow = SteadyClock::now() - begin >= kProbeTimeout;  // the server neither answered nor refused
  // A pooler without a free connection lets its clients wait, while the other connections work.
  full = slots_used_ > 1 && (state == sqlstate::kTooMany || (slow && last_good_ > begin));
  if (full) {
    room_ = slots_used_ - 1;
    grows_at_ = Deadline::after(kGrowPause);
    --slots_used_;  // its waiters wait for another connection
  } else {
    if (slow) unresponsive_ = true;
    release_slot();
  }
  return std::unexpected(std::move(connection).error());
}

void Pool::put_back(std::unique_ptr<Connection> connection) {
  connection->limit_waits(Deadline::after(kReadTimeout));
  const bool usable = connection->reset();
  Dropped dropped;
  const MutexLock lock(mutex_);
  if (connection->timed_out()) unresponsive_ = true;
  if (!usable) {
    // The failure of this connection has probably also broken the idle ones.
    if (connection->lost()) drop_idle(dropped);
    dropped.push_back(std::move(connection));
    return release_slot();
  }
  last_good_ = SteadyClock::now();
  unresponsive_ = false;
  if (connection->is_older_than(limits_.age)) {
    dropped.push_back(std::move(connection));
    return release_slot();
  }
  if (waiters_.empty()) {
    idle_.push_back({std::move(connection), last_good_});
    return;
  }
  Waiter& next = *waiters_.front();
  waiters_.pop_front();
  next.connection = std::move(connection);
  next.served = true;
  next.wake.notify_one();
}

// The least recently used connections are first.
void Pool::close_unused(Dropped& dropped) {
  const auto now = SteadyClock::now();
  const auto first_used = std::ranges::find_if(idle_, [&](const Idle& each) { return now - each.since < limits_.idle; });
  for (auto each = idle_.begin(); each != first_used; ++each) dropped.push_back(std::move(each->connection));
  slots_used_ -= static_cast<std::size_t>(first_used - idle_.begin());
  idle_.erase(idle_.begin(), first_used);
}

void Pool::drop_idle(Dropped& dropped) {
  for (Idle& each : idle_) dropped.push_back(std::move(each.connection));
  slots_used_ -= idle_.size();
  idle_.clear();
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
  return {.in_use = slots_used_ - idle_.size(),
          .idle = idle_.size(),
          .waiting = waiters_.size(),
          .max = limits_.connections,
          .waits = waits_,
          .failed_waits = failed_waits_,
          .waited = waited_};
}

}  // namespace ladder::store::postgres
