// The console's settings: what the program knows of its surroundings, and the outcome of a change.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

// The program's facts about its surroundings. The command line shows the same with `ladder doctor`.
class Surroundings {
 public:
  virtual ~Surroundings() = default;

  enum class Health : std::uint8_t { kOk, kWarning, kProblem };
  struct Finding {
    Health health = Health::kOk;
    std::string thing;      // the address that was asked
    std::string text;       // how it is
    std::string mend = {};  // what to do
  };
  // Comes to the address as hosts do. Takes seconds where it does not answer.
  virtual std::vector<Finding> check_address(const std::string& base) = 0;

  struct Storage {
    std::string place;                              // fit to show
    std::optional<std::int64_t> bytes, free_bytes;  // of a store that is a file
  };
  virtual Storage storage() = 0;
};

// The outcome of a change, which the page of settings shows once beside the settings themselves.
struct SettingsResult {
  std::optional<Error> fault = {};  // why it was not done
  std::string at = {};              // the section that it belongs to
  std::string new_token = {};       // shown once
  std::optional<std::vector<Surroundings::Finding>> findings = {};
};

}  // namespace ladder::console
