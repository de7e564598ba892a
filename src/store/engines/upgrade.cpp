#include "store/engines/upgrade.h"

#include "store/engines/open_store.h"
#include "store/postgres/engine/migrations.h"
#include "store/sqlite/engine/migrations.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ladder::store {
namespace {

// The steps of both engines have the same numbers. No schema before kOldestSchema was released.
constexpr std::array<UpgradeStep, 0> kSteps = {};

static_assert(kOldestSchema + kSteps.size() == postgres::kSchemaVersion);

}  // namespace

Result<UpgradePlan> plan_upgrade(const std::string& location) {
  const bool postgres = is_postgres_address(location);
  LADDER_TRY(const FoundStore found, postgres ? postgres::find_store(location) : sqlite::find_store(location));
  UpgradePlan plan{
      .from = found.schema, .to = postgres::kSchemaVersion, .steps = {}, .rebuilds_word_index = !found.current_words};
  if (found.schema == 0) return plan;
  std::ranges::copy_if(kSteps, std::back_inserter(plan.steps),
                       [&](const UpgradeStep& step) { return step.schema > found.schema; });
  return plan;
}

}  // namespace ladder::store
