#include "server/shared/shared_state.h"

#include <utility>
#include <vector>

namespace ladder::server {
namespace {

std::vector<crypto::SealKey> seal_keys(const store::Store& store) {
  std::vector<crypto::SealKey> keys;
  for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
  return keys;
}

}  // namespace

SharedState::SharedState(store::Store& with_store, const Clock& with_clock, LedgerOptions options)
    : store(with_store),
      clock(with_clock),
      sealer(seal_keys(store)),
      catalogs(store),
      ledger(store, clock, catalogs, std::move(options)),
      accesses(store, clock, grants, revocations),
      quotas(store, clock) {}

}  // namespace ladder::server
