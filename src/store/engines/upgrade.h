// Plans an upgrade: the steps that opening a store with OpenMode::kCreate would run, so they can be shown first.
#pragma once

#include "store/found_store.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

struct UpgradeStep {
  std::int64_t schema = 0;  // schema version after the step
  std::string_view what;
  std::string_view wait;  // how long it blocks other users
};

struct UpgradePlan {
  std::int64_t from = 0, to = 0;     // from 0: the store is created, nothing to upgrade
  std::vector<UpgradeStep> steps;    // each is its own transaction: an interrupted upgrade continues where it stopped
  bool rebuilds_word_index = false;  // from the records, in short steps

  bool anything() const { return !steps.empty() || rebuilds_word_index; }
};

// Read-only. Errors as in open_store, including kNotSetUp for a store of a newer version.
Result<UpgradePlan> plan_upgrade(const std::string& location);

}  // namespace ladder::store
