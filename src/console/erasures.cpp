#include "console/erasures.h"

namespace ladder::console {

class Erasures::Watcher final : public server::MergeObserver {
 public:
  Watcher(Erasures& erasures, const Key& key, const std::stop_token& stop) : erasures_(erasures), key_(key), stop_(stop) {}

  void copied(std::int64_t records) override {
    change([&](State& state) { state.copied = records; });
  }
  void erased(std::int64_t records) override {
    change([&](State& state) {
      state.is_copying = false;
      state.erased = records;
    });
  }
  void compacting() override {
    change([](State& state) {
      state.is_copying = false;
      state.compacting = true;
    });
  }
  bool wants_stop() override { return stop_.stop_requested(); }

 private:
  template <class Change>
  void change(const Change& change) {
    const MutexLock lock(erasures_.mutex_);
    change(erasures_.states_[key_]);
  }

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

Status Erasures::start_merge(const server::Access& owner, const server::ConnectionSummary& connection, std::string name,
                             MergeTarget into) {
  const MutexLock lock(mutex_);
  const Key key{owner.owner(), connection.connection_id};
  if (running_) {
    const auto same = states_.find(key);
    if (same != states_.end() && !same->second.ended && same->second.into == into.connection_id) return {};
    return fail(Code::kConflict, "another source is being erased or merged; wait until it is done");
  }
  State state;
  state.connection_id = connection.connection_id;
  state.name = std::move(name);
  state.into = into.connection_id;
  state.into_name = std::move(into.name);
  state.is_copying = !state.into.empty();
  for (const auto& stream : connection.streams) state.records += stream.records;
  states_[key] = std::move(state);
  running_ = true;
  thread_ = std::jthread(
      [this, owner, key, target = std::move(into.connection_id)](const std::stop_token& stop) { run(owner, key, target, stop); });
  return {};
}

void Erasures::run(const server::Access& owner, const Key& key, const std::string& into, const std::stop_token& stop) {
  Watcher watcher(*this, key, stop);
  server::Merged merged;
  Status done;
  if (into.empty()) {
    auto erased = erasures_.erase_connection(owner, key.second, watcher);
    if (erased) merged.erasure = *std::move(erased);
    else done = std::unexpected(std::move(erased).error());
  } else {
    auto outcome = merges_.merge(owner, key.second, into, watcher);
    if (outcome) merged = *std::move(outcome);
    else done = std::unexpected(std::move(outcome).error());
  }
  const MutexLock lock(mutex_);
  State& state = states_[key];
  state.ended = true;
  if (done) state.outcome = merged.erasure;
  else state.problem = done.error().message;
  state.merged = std::move(merged);
  running_ = false;
}

std::optional<Erasures::State> Erasures::find(const server::Access& owner, std::string_view connection_id) const {
  const MutexLock lock(mutex_);
  const auto found = states_.find({owner.owner(), std::string(connection_id)});
  return found == states_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ladder::console
