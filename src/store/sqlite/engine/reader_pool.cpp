#include "store/sqlite/engine/reader_pool.h"

namespace ladder::store::sqlite {
namespace {

// A search that sorts a thousand records reads about as many pages, so a reader may cache up to 16 MB. The most
// recently used readers are reused first; the pages of those that are idle longest are released.
constexpr std::size_t kMaxIdle = 16, kMaxIdleWithPages = 4;

}  // namespace

Result<ReaderPool::Lease> ReaderPool::take(OwnerNo owner) {
  LADDER_CHECK(identity_.check_throttled());
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return lend(std::move(connection), owner);
    }
  }
  LADDER_TRY(std::unique_ptr<Connection> opened, Connection::open(path_, Connection::Access::kRead));
  return lend(std::move(opened), owner);
}

ReaderPool::Lease ReaderPool::lend(std::unique_ptr<Connection> connection, OwnerNo owner) {
  connection->set_owner(owner);
  in_use_.fetch_add(1, std::memory_order_relaxed);
  return Lease(this, std::move(connection));
}

void ReaderPool::end_lease(std::unique_ptr<Connection> connection) {
  in_use_.fetch_sub(1, std::memory_order_relaxed);
  put_back(std::move(connection));
}

ReaderPool::Figures ReaderPool::figures() const {
  const MutexLock lock(mutex_);
  return {in_use_.load(std::memory_order_relaxed), idle_.size()};
}

void ReaderPool::put_back(std::unique_ptr<Connection> connection) {
  if (connection->in_transaction()) return;  // it failed to end its transaction; closing it does
  const MutexLock lock(mutex_);
  if (idle_.size() >= kMaxIdle) return;
  idle_.push_back(std::move(connection));
  if (idle_.size() > kMaxIdleWithPages) idle_[idle_.size() - 1 - kMaxIdleWithPages]->drop_cache();
}

void ReaderPool::close_idle() {
  std::vector<std::unique_ptr<Connection>> closing;
  const MutexLock lock(mutex_);
  closing.swap(idle_);
}

void ReaderPool::drop_idle_caches() {
  const MutexLock lock(mutex_);
  for (const auto& connection : idle_) connection->drop_cache();
}

void ReadTransaction::end(Connection& connection) {
  if (!connection.in_transaction()) return;
  if (!connection.use(Sql::kCommit).run()) connection.roll_back();
}

}  // namespace ladder::store::sqlite
