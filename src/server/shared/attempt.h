// The retry loop of every read: resolve the request against the cached catalog, read, and retry if the catalog or a
// record changed.
#pragma once

#include "base/limits.h"
#include "server/access/read_scope.h"
#include "server/shared/shared_state.h"

#include <chrono>
#include <optional>
#include <utility>

namespace ladder::server {

// Hides the name of a damaged record from clients for lists and searches, where the caller did not name it. The owner
// sees it.
template <class T>
Result<T> hide_damage(const Access& access, Result<T> answer) {
  if (answer || answer.error().code != Code::kDamagedData || !answer.error().more) return answer;
  Error error = std::move(answer).error();
  const std::string record = error.details().record;
  if (access.is_owner() && !record.empty()) return std::unexpected(damaged_in(std::move(error), record));
  error.more.reset();
  return std::unexpected(std::move(error));
}

inline constexpr int kMaxAttempts = 5;  // gives up if the data changes more often during one read

// `aim(catalog)` checks the request against grant and declaration without reading records. `read(catalog)` returns
// the response, or nullopt to retry with the newest catalog. An error of `aim` is final only if the cached catalog is
// the newest, since the connection or field may have been added later.
// | A slow response is returned only if the token and the grant are still valid (design D16); `held()` is the grant
// it was read under, or null. Every response is recorded in the ledger with `disclose(answer)` before it is returned
// (design D27).
template <class T, class Aim, class Read, class Held, class Disclose>
Result<T> attempt(SharedState& shared, const Access& access, Aim aim, Read read, Held held, Disclose disclose) {
  using SteadyClock = std::chrono::steady_clock;
  LADDER_TRY(auto catalog, shared.catalogs.get(access.owner()));
  for (int i = 0; i < kMaxAttempts; ++i) {
    if (Status aimed = aim(*catalog); !aimed) {
      LADDER_TRY(const auto access_status, shared.store.access_status({access.owner(), access.token(), 0}));
      LADDER_CHECK(check_access_status(access, nullptr, access_status, shared.clock.now()));
      if (access_status.catalog_version == catalog->version()) return std::unexpected(std::move(aimed).error());
    } else {
      const auto begun = SteadyClock::now();
      Result<std::optional<T>> read_answer = read(*catalog);
      std::optional<T> answer;
      std::optional<Error> damage;
      if (read_answer) answer = *std::move(read_answer);
      else damage = std::move(read_answer).error();
      if (damage && damage->code != Code::kDamagedData) return std::unexpected(*std::move(damage));
      if (damage || (answer && SteadyClock::now() - begun > std::chrono::milliseconds(limits::kRecheckAfterMs))) {
        const HeldGrant* grant = held();
        LADDER_TRY(const auto access_status, shared.store.access_status({access.owner(), access.token(), grant ? grant->no : 0}));
        LADDER_CHECK(check_access_status(access, grant, access_status, shared.clock.now()));
      }
      if (damage) return std::unexpected(*std::move(damage));
      if (answer) {
        if (shared.ledger.applies_to(access)) LADDER_CHECK(shared.ledger.record(access, disclose(*answer)));
        return *std::move(answer);
      }
    }
    LADDER_TRY(catalog, shared.catalogs.refresh(access.owner()));
  }
  return fail(Code::kStoreUnavailable, "the data kept changing while it was read; try again");
}

}  // namespace ladder::server
