// Caches the last value that was read completely. One call of the port may read several windows of it, and the server would
// send the record again for each. Thread-safe.
#pragma once

#include "api/resource_port.h"
#include "api/schema.h"
#include "base/mutex.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ladder::remote {

struct WholeValue {
  model::RecordRef record;
  std::string type;  // "string", "object" or "array"
  std::shared_ptr<const std::string> text;
  std::int64_t size_chars = 0;
  std::string digest;
};

class ValueMemory {
 public:
  // Keeps the value while it exists.
  class Call {
   public:
    explicit Call(ValueMemory& memory) : memory_(memory) { memory_.forget(); }
    ~Call() { memory_.forget(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    ValueMemory& memory_;
  };

  std::optional<WholeValue> find(const api::FieldWindowRequest& request) {
    const MutexLock lock(mutex_);
    if (!held_ || record_ != request.record || path_ != request.field_path) return std::nullopt;
    return held_;
  }
  void keep(const api::FieldWindowRequest& request, WholeValue value) {
    const MutexLock lock(mutex_);
    record_ = request.record;
    path_ = request.field_path;
    held_ = std::move(value);
  }

 private:
  void forget() {
    const MutexLock lock(mutex_);
    held_.reset();
  }

  Mutex mutex_;
  model::RecordRef record_ LADDER_GUARDED_BY(mutex_);
  std::string path_ LADDER_GUARDED_BY(mutex_);
  std::optional<WholeValue> held_ LADDER_GUARDED_BY(mutex_);
};

// Caches for a minute what a stream declares. Every document and every expansion needs it in addition to the record (design
// D22), and it rarely changes. It is not used for requests for the schema itself. Thread-safe.
class SchemaMemory {
 public:
  static constexpr auto kTime = std::chrono::minutes(1);
  static constexpr std::size_t kMaxStreams = 64;

  static bool concerns(const api::SchemaRequest& request) {
    return !request.stream.empty() && !request.counted && !request.full_detail;
  }

  std::optional<api::SchemaView> find(const api::SchemaRequest& request) {
    if (!concerns(request)) return std::nullopt;
    const MutexLock lock(mutex_);
    const auto found = views_.find({request.stream, request.connection_id});
    if (found == views_.end() || Clock::now() - found->second.first > kTime) return std::nullopt;
    return found->second.second;
  }

  void keep(const api::SchemaRequest& request, const api::SchemaView& view) {
    if (!concerns(request)) return;
    const MutexLock lock(mutex_);
    if (views_.size() >= kMaxStreams) views_.clear();
    views_.insert_or_assign({request.stream, request.connection_id}, std::pair(Clock::now(), view));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::pair<Clock::time_point, api::SchemaView>> views_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
