// The owner's operations on the disclosure ledger. Each checks that the caller is the owner.
#include "server/ledger/ledger.h"
#include "base/text/format.h"
#include "model/quote.h"
#include "server/resource_server.h"

namespace ladder::server {

Result<LedgerPage> ResourceServer::ledger(const Access& access, const LedgerQuery& query) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(ledger_.sweep());  // so that earlier reads of this process and of dead processes are included
  return ledger_.entries(access.owner(), query);
}

Result<std::vector<SeenRecord>> ResourceServer::ledger_seen(const Access& access, const LedgerQuery& query) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(ledger_.sweep());
  return ledger_.seen(access.owner(), query);
}

Result<std::vector<SeenSum>> ResourceServer::ledger_sums(const Access& access) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(ledger_.sweep());
  return ledger_.sums(access.owner());
}

Result<std::vector<LedgerUse>> ResourceServer::ledger_uses(const Access& access, std::int64_t first_day, std::int64_t last_day) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(ledger_.sweep());
  return ledger_.uses(access.owner(), first_day, last_day);
}

Result<ResourceServer::LedgerState> ResourceServer::ledger_state(const Access& access) {
  LADDER_CHECK(require_owner(access));
  LedgerState state;
  LADDER_TRY(state.settings, ledger_.settings(access.owner()));
  LADDER_TRY(state.days, ledger_.days(access.owner()));
  LADDER_TRY(state.erased, ledger_.erased(access.owner()));
  return state;
}

Status ResourceServer::set_ledger(const Access& access, const LedgerSettings& settings) {
  LADDER_CHECK(require_owner(access));
  return ledger_.set_settings(access.owner(), settings);
}

Result<std::map<std::string, ReadBudget>> ResourceServer::budgets(const Access& access) {
  LADDER_CHECK(require_owner(access));
  return ledger_.budgets(access.owner());
}

Status ResourceServer::set_budget(const Access& access, std::string_view grant_id, std::optional<std::int64_t> chars_a_day,
                                  std::optional<std::int64_t> bytes_a_day) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto known, store_.find_grant(access.owner(), grant_id));
  if (!known) return fail(Code::kNotFound, format("there is no grant {}", model::in_quotes(grant_id)), "grant");
  return ledger_.set_budget(access.owner(), std::vector{std::string(grant_id)}, chars_a_day, bytes_a_day);
}

Status ResourceServer::share_budget(const Access& access, std::span<const std::string> grant_ids,
                                    std::optional<std::int64_t> chars_a_day) {
  LADDER_CHECK(require_owner(access));
  return ledger_.set_budget(access.owner(), grant_ids, chars_a_day);
}

Result<std::vector<std::string>> ResourceServer::check_ledger(const Access& access) {
  LADDER_CHECK(require_owner(access));
  return ledger_.check(access.owner());
}

Status ResourceServer::expire_ledger() {
  LADDER_TRY(const auto owners, store_.owners());
  for (const store::OwnerRow& owner : owners) LADDER_CHECK(ledger_.expire(owner.no));
  return {};
}

}  // namespace ladder::server
