#include "cli/app/use_keeper.h"

#include <chrono>

namespace ladder::cli {
namespace {

constexpr auto kBetween = std::chrono::seconds(1);

}  // namespace

UseKeeper::UseKeeper(server::ResourceServer& server, const server::Access& access)
    : server_(server), access_(access), thread_([this](const std::stop_token& stop) { run(stop); }) {}

UseKeeper::~UseKeeper() {
  thread_.request_stop();
  wake_.notify_all();
}

void UseKeeper::answered() {
  {
    const MutexLock lock(mutex_);
    used_ = true;
  }
  wake_.notify_all();
}

void UseKeeper::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  for (;;) {
    const bool used = wake_.wait(lock, stop, [this]() LADDER_REQUIRES(mutex_) { return used_; });
    if (!used) return;  // stopped
    used_ = false;
    lock.unlock();
    server_.note_use(access_);
    (void)server_.keep_uses();  // what fails is tried again with the next request
    (void)server_.sweep_ledger();
    lock.lock();
    wake_.wait_for(lock, stop, kBetween, []() { return false; });  // what comes in that time is written together
  }
}

}  // namespace ladder::cli
