// Erasing a connection for good: everything that came in through it, and itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::server {

// The status of a connection from the moment its erasure begins. Nobody reads from it or writes to it any more; whatever stopped
// the erasure, the same again goes on.
inline constexpr const char* kErasing = "erasing";

struct Erasure {
  std::int64_t records = 0;
  std::vector<std::string> revoked_grants;   // that named no other connection
  std::vector<std::string> narrowed_grants;  // that named others too, and go on with those
  std::int64_t bytes_freed = 0;              // that the file system has back
  std::string space_kept;                    // why it has none back; empty when it has
  bool swept = true;                         // nothing is left in the files; else the next sweep takes the rest
};

// Told how it goes on. From the thread that erases.
class ErasureObserver {
 public:
  virtual ~ErasureObserver() = default;
  virtual void erased(std::int64_t /*records*/) {}
  virtual void compacting() {}
  virtual bool wants_stop() { return false; }
};

}  // namespace ladder::server
