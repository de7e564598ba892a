#include "store/upgrade.h"

#include "store/postgres/engine/migrations.h"
#include "store/sqlite/engine/migrations.h"
#include "store/store.h"

#include "base/text/format.h"

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

Error unreleased_schema(std::int64_t schema) {
  return {Code::kNotSetUp, format("created by a version of Ladder before 1.0 (schema {}): export it with that version "
                                  "(`ladder export`), then create a new store with `ladder init` and import it there",
                                  schema)};
}

}  // namespace ladder::store
