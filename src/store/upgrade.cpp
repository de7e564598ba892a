#include "store/upgrade.h"

#include "store/postgres/engine/migrations.h"
#include "store/sqlite/engine/migrations.h"
#include "store/store.h"

#include <array>

namespace ladder::store {
namespace {

constexpr std::string_view kMoment = "others wait a moment";

// The schemas of both engines have the same numbers.
constexpr std::array kSteps = {
    UpgradeStep{2, "the word index", kMoment},
    UpgradeStep{3, "accounts of imports", kMoment},
    UpgradeStep{4, "checksums of rows: those written from now on have one", kMoment},
    UpgradeStep{5, "sign-in and authorization", kMoment},
    UpgradeStep{6, "the disclosure ledger", kMoment},
    UpgradeStep{7, "compressed rows: those written from now on; programs of the older Ladder have to be restarted", kMoment},
};
// SQLite's second step copies the records, so that columns stand before their bodies.
constexpr std::string_view kCopiesRecords = "every record is copied once, and others wait until that is done";

static_assert(kSteps.back().schema == postgres::kSchemaVersion);

}  // namespace

Result<UpgradePlan> plan_upgrade(const std::string& location) {
  const bool postgres = is_postgres_address(location);
  LADDER_TRY(const FoundStore found, postgres ? postgres::find_store(location) : sqlite::find_store(location));
  UpgradePlan plan{.from = found.schema, .to = kSteps.back().schema, .steps = {}, .makes_words_anew = !found.current_words};
  if (found.schema == 0) return plan;
  for (UpgradeStep step : kSteps) {
    if (step.schema <= found.schema) continue;
    if (step.schema == 2 && !postgres) step.wait = kCopiesRecords;
    plan.steps.push_back(step);
  }
  return plan;
}

}  // namespace ladder::store
