// The accounts that Ladder reads by itself, as the console shows them. They are managed with `ladder sync`.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::console {

struct SyncedSource {
  enum class State : std::uint8_t { kNew, kCurrent, kFailing, kAsks, kPaused };
  State state = State::kNew;
  std::string name, account, connection;  // account: "ann at mail.example"
  std::int64_t messages = 0;
  Instant succeeded_at = 0, due_at = 0;  // 0: never
  std::int64_t failures = 0;             // in a row
  std::string error, error_code;         // of the last failure
  std::int64_t waiting_removals = 0;     // messages whose removal the owner has to confirm
};

class SyncedSources {
 public:
  virtual ~SyncedSources() = default;
  virtual Result<std::vector<SyncedSource>> list(const server::Access& owner) = 0;
};

}  // namespace ladder::console
