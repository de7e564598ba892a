// The environment of the server, as the settings page shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

// Information about the environment of the server. `ladder doctor` shows the same.
class ServerEnvironment {
 public:
  virtual ~ServerEnvironment() = default;

  enum class Health : std::uint8_t { kOk, kWarning, kProblem };
  struct Finding {
    Health health = Health::kOk;
    std::string thing;     // the checked address
    std::string text;      // the result
    std::string fix = {};  // what to do
  };
  // Connects to the address as a host does. Blocks for seconds if it does not respond.
  virtual std::vector<Finding> check_address(const std::string& base) = 0;

  struct Storage {
    std::string location;                           // without secrets
    std::optional<std::int64_t> bytes, free_bytes;  // only for file stores
  };
  virtual Storage storage() = 0;
};

}  // namespace ladder::console
