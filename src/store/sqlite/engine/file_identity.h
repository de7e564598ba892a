// Checks that a path still names the file that was opened. If the file is moved, removed or replaced by a backup while
// a process has it open, writes of that process are lost, and it still accepts tokens that were revoked elsewhere. Thread-safe.
#pragma once

#include "base/error/error.h"

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ladder::store::sqlite {

class FileIdentity {
 public:
  explicit FileIdentity(std::string path);  // remembers the file now at `path`; if there is none, checks always succeed

  Status check() const;      // kStoreUnavailable when the file was replaced or is gone
  Status check_throttled();  // the same, but looks only a few times a second

 private:
  const std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::atomic<std::int64_t> next_check_ = 0;  // on the steady clock
};

}  // namespace ladder::store::sqlite
