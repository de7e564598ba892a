#include "console/erasures.h"

namespace ladder::console {

class Erasures::Watcher final : public server::ErasureObserver {
 public:
  Watcher(Erasures& erasures, const Key& key, const std::stop_token& stop) : erasures_(erasures), key_(key), stop_(stop) {}

  void erased(std::int64_t records) override {
    const MutexLock lock(erasures_.mutex_);
    erasures_.states_[key_].erased = records;
  }
  void compacting() override {
    const MutexLock lock(erasures_.mutex_);
    erasures_.states_[key_].compacting = true;
  }
  bool wants_stop() override { return stop_.stop_requested(); }

 private:
  Erasures& erasures_;
  const Key& key_;
  const std::stop_token& stop_;
};

Erasures::~Erasures() {
  std::jthread ending;
  {
    const MutexLock lock(mutex_);
    ending = std::move(thread_);
  }
  ending.request_stop();
}

Status Erasures::start(const server::Access& owner, const server::ConnectionSummary& connection, std::string name) {
  const MutexLock lock(mutex_);
  const Key key{owner.owner(), connection.connection_id};
  if (running_) {
    const auto same = states_.find(key);
    if (same != states_.end() && !same->second.ended) return {};
    return fail(Code::kConflict, "another source is being erased; wait until it is done");
  }
  State state;
  state.connection_id = connection.connection_id;
  state.name = std::move(name);
  for (const auto& stream : connection.streams) state.records += stream.records;
  states_[key] = std::move(state);
  running_ = true;
  thread_ = std::jthread([this, owner, key](const std::stop_token& stop) { run(owner, key, stop); });
  return {};
}

void Erasures::run(const server::Access& owner, const Key& key, const std::stop_token& stop) {
  Watcher watcher(*this, key, stop);
  auto outcome = erasures_.erase_connection(owner, key.second, watcher);
  const MutexLock lock(mutex_);
  State& state = states_[key];
  state.ended = true;
  if (outcome) state.outcome = *std::move(outcome);
  else state.problem = outcome.error().message;
  running_ = false;
}

std::optional<Erasures::State> Erasures::find(const server::Access& owner, std::string_view connection_id) const {
  const MutexLock lock(mutex_);
  const auto found = states_.find({owner.owner(), std::string(connection_id)});
  return found == states_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ladder::console
