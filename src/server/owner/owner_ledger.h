// The owner's operations on the disclosure ledger; ledger/ledger.h describes the results. Every operation with an Access
// returns kPermission for a client's. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "server/ledger/ledger.h"
#include "server/shared/shared_state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct LedgerState {
  LedgerSettings settings;
  std::vector<LedgerDay> days;
  std::vector<ErasedCount> erased;
};

class OwnerLedger {
 public:
  explicit OwnerLedger(SharedState& shared) : shared_(shared) {}

  Result<LedgerPage> page(const Access& access, const LedgerQuery& query);
  Result<std::vector<SeenRecord>> seen(const Access& access, const LedgerQuery& query);
  Result<std::vector<SeenSum>> sums(const Access& access);
  Result<std::vector<LedgerUse>> uses(const Access& access, std::int64_t first_day, std::int64_t last_day);
  Result<LedgerState> state(const Access& access);
  Status set_settings(const Access& access, const LedgerSettings& settings);
  Result<std::vector<std::string>> check(const Access& access);

  Result<std::map<std::string, ReadBudget>> budgets(const Access& access);  // by grant id
  // Limits the characters and the non-text file bytes a grant may read per day; nullopt removes the limit. kNotFound.
  Status set_budget(const Access& access, std::string_view grant_id, std::optional<std::int64_t> chars_a_day,
                    std::optional<std::int64_t> bytes_a_day = {});
  // Sets one budget shared by several grants. Works for drafts too, so that the budget exists before the first read.
  Status share_budget(const Access& access, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day);

  Status sweep() { return shared_.ledger.sweep(); }  // moves the journals into the store; a server calls it every second
  Status expire();                                   // deletes the expired entries of every owner

 private:
  SharedState& shared_;
};

}  // namespace ladder::server
