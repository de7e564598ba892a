// Tells whether the file at a path is still the one that was opened. A file that was moved away, removed or restored from a
// backup while a process has it open lives on for that process alone: what it writes there is lost, and a token that another
// process has ended still opens it. Safe from any thread.
#pragma once

#include "base/error/error.h"

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ladder::store::sqlite {

class FileIdentity {
 public:
  explicit FileIdentity(std::string path);  // of the file that is there now; when there is none, nothing is compared

  Status check() const;         // kStoreUnavailable when it is another one or gone
  Status check_now_and_then();  // the same with a look a few times a second, for those who ask often

 private:
  const std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::atomic<std::int64_t> next_look_ = 0;  // on the steady clock
};

}  // namespace ladder::store::sqlite
