// What a stream declares, remembered for a minute: every document and every expansion asks for it beside its record (design D22),
// and it hardly ever changes. Never for what a person or an agent asks about the schema itself. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "port/schema.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ladder::remote {

class SchemaMemory {
 public:
  static constexpr auto kTime = std::chrono::minutes(1);
  static constexpr std::size_t kMostStreams = 64;

  static bool concerns(const port::SchemaRequest& request) {
    return !request.stream.empty() && !request.counted && !request.full_detail;
  }

  std::optional<port::SchemaView> find(const port::SchemaRequest& request) {
    if (!concerns(request)) return std::nullopt;
    const MutexLock lock(mutex_);
    const auto found = views_.find({request.stream, request.connection_id});
    if (found == views_.end() || Clock::now() - found->second.first > kTime) return std::nullopt;
    return found->second.second;
  }

  void keep(const port::SchemaRequest& request, const port::SchemaView& view) {
    if (!concerns(request)) return;
    const MutexLock lock(mutex_);
    if (views_.size() >= kMostStreams) views_.clear();
    views_.insert_or_assign({request.stream, request.connection_id}, std::pair(Clock::now(), view));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::pair<Clock::time_point, port::SchemaView>> views_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
