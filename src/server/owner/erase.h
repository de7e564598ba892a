// Permanently erases a connection and all its records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::server {

// The status of a connection during erasure. No client can read from it or write to it. An interrupted erasure is
// resumed by the same call.
inline constexpr const char* kErasing = "erasing";

struct Erasure {
  std::int64_t records = 0;
  std::vector<std::string> revoked_grants;   // grants for this connection only
  std::vector<std::string> narrowed_grants;  // grants that continue for other connections
  std::int64_t bytes_freed = 0;              // returned to the file system
  std::string space_kept;                    // why no space was returned; empty if it was
  bool swept = true;                         // no data remains in the files; otherwise a later sweep removes it
};

// Receives progress on the erasing thread.
class ErasureObserver {
 public:
  virtual ~ErasureObserver() = default;
  virtual void erased(std::int64_t /*records*/) {}
  virtual void compacting() {}
  virtual bool wants_stop() { return false; }
};

}  // namespace ladder::server
