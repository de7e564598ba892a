#include "server/owner/owner_ledger.h"

#include "base/text/format.h"
#include "model/quote.h"

namespace ladder::server {

Result<LedgerPage> OwnerLedger::page(const Access& access, const LedgerQuery& query) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(shared_.ledger.sweep());  // so that earlier reads of this process and of dead processes are included
  return shared_.ledger.entries(access.owner(), query);
}

Result<std::vector<SeenRecord>> OwnerLedger::seen(const Access& access, const LedgerQuery& query) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(shared_.ledger.sweep());
  return shared_.ledger.seen(access.owner(), query);
}

Result<std::vector<SeenSum>> OwnerLedger::sums(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(shared_.ledger.sweep());
  return shared_.ledger.sums(access.owner());
}

Result<std::vector<LedgerUse>> OwnerLedger::uses(const Access& access, std::int64_t first_day, std::int64_t last_day) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_CHECK(shared_.ledger.sweep());
  return shared_.ledger.uses(access.owner(), first_day, last_day);
}

Result<LedgerState> OwnerLedger::state(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LedgerState state;
  LADDER_TRY(state.settings, shared_.ledger.settings(access.owner()));
  LADDER_TRY(state.days, shared_.ledger.days(access.owner()));
  LADDER_TRY(state.erased, shared_.ledger.erased(access.owner()));
  return state;
}

Status OwnerLedger::set_settings(const Access& access, const LedgerSettings& settings) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.ledger.set_settings(access.owner(), settings);
}

Result<std::map<std::string, ReadBudget>> OwnerLedger::budgets(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.ledger.budgets(access.owner());
}

Status OwnerLedger::set_budget(const Access& access, std::string_view grant_id, std::optional<std::int64_t> chars_a_day,
                               std::optional<std::int64_t> bytes_a_day) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto known, shared_.store.find_grant(access.owner(), grant_id));
  if (!known) return fail(Code::kNotFound, format("there is no grant {}", model::in_quotes(grant_id)), "grant");
  return shared_.ledger.set_budget(access.owner(), std::vector{std::string(grant_id)}, chars_a_day, bytes_a_day);
}

Status OwnerLedger::share_budget(const Access& access, std::span<const std::string> grant_ids,
                                 std::optional<std::int64_t> chars_a_day) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.ledger.set_budget(access.owner(), grant_ids, chars_a_day);
}

Result<std::vector<std::string>> OwnerLedger::check(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.ledger.check(access.owner());
}

Status OwnerLedger::expire() {
  LADDER_TRY(const auto owners, shared_.store.owners());
  for (const store::OwnerRow& owner : owners) LADDER_CHECK(shared_.ledger.expire(owner.no));
  return {};
}

}  // namespace ladder::server
