// The state that all roles of the resource server share: the store, the clock, and this process's caches. Thread-safe.
// ResourceServer owns it; a role holds a reference.
#pragma once

#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/accesses.h"
#include "server/access/grant_cache.h"
#include "server/access/owner_quotas.h"
#include "server/catalog/catalog.h"
#include "server/ledger/ledger.h"
#include "store/store.h"

namespace ladder::server {

struct SharedState {
  SharedState(store::Store& with_store, const Clock& with_clock, LedgerOptions options);

  store::Store& store;
  const Clock& clock;
  const crypto::Sealer sealer;  // seals cursors
  CatalogCache catalogs;
  Ledger ledger;
  GrantCache grants;
  Revocations revocations;
  Accesses accesses;
  OwnerQuotas quotas;
};

}  // namespace ladder::server
