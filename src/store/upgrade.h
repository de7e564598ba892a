// The plan of an upgrade: the steps that opening a store with OpenMode::kCreate would run on it, told before they are run.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::int64_t kOldestSchema = 8;  // the first that was released
Error unreleased_schema(std::int64_t schema);     // of a store of an older one

// A store as it was found.
struct FoundStore {
  std::int64_t schema = 0;    // 0: nothing is there yet
  bool current_words = true;  // its word index was made by the rules of this program
};

struct UpgradeStep {
  std::int64_t schema = 0;  // that the store has when it is done
  std::string_view what;
  std::string_view wait;  // how long others wait for it
};

struct UpgradePlan {
  std::int64_t from = 0, to = 0;   // from 0: the store is made, there is nothing to upgrade
  std::vector<UpgradeStep> steps;  // each is a transaction of its own: an interrupted upgrade goes on where it stopped
  bool makes_words_anew = false;   // from the records, in short steps

  bool anything() const { return !steps.empty() || makes_words_anew; }
};

// Only looks. Errors as open_store's, kNotSetUp for a store of a newer program among them.
Result<UpgradePlan> plan_upgrade(const std::string& location);

}  // namespace ladder::store
