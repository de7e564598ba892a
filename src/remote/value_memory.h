// The value that was read last as a whole: one call of the port may look at several windows of it, and the server would send the
// record again for each. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "port/resource_port.h"

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
  // While it lives, the value is kept.
  class Call {
   public:
    explicit Call(ValueMemory& memory) : memory_(memory) { memory_.forget(); }
    ~Call() { memory_.forget(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    ValueMemory& memory_;
  };

  std::optional<WholeValue> find(const port::FieldWindowRequest& request) {
    const MutexLock lock(mutex_);
    if (!held_ || record_ != request.record || path_ != request.field_path) return std::nullopt;
    return held_;
  }
  void keep(const port::FieldWindowRequest& request, WholeValue value) {
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

}  // namespace ladder::remote
