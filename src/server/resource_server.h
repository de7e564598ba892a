// The resource server is the only way to data. It owns the state that its roles share, creates the roles, and gives them
// out. Each role takes an Access and checks it before it reads; data outside the grant never leaves a role. Thread-safe.
// Code that needs a single role takes that role and includes its header, not this one.
#pragma once

#include "base/time/time.h"
#include "server/import_roles.h"
#include "server/ledger/ledger.h"
#include "server/merges.h"
#include "server/owner/erasures.h"
#include "server/owner/exports.h"
#include "server/owner/grants.h"
#include "server/owner/operators.h"
#include "server/owner/owner_items.h"
#include "server/owner/owner_ledger.h"
#include "server/owner/owner_tokens.h"
#include "server/read_roles.h"
#include "server/shared/shared_state.h"
#include "store/store.h"

#include <string>
#include <utility>

namespace ladder::server {

// Process metrics for the operator. They contain no owner data.
struct ServerFigures {
  store::StoreFigures store;
  LedgerFigures ledger;
  IngestFigures ingest;
};

class ResourceServer {
 public:
  ResourceServer(store::Store& store, const Clock& clock, LedgerOptions ledger = {}) : shared_(store, clock, std::move(ledger)) {}

  Accesses& accesses() { return shared_.accesses; }
  Reads& reads() { return reads_; }
  FieldWindows& windows() { return windows_; }
  Search& search() { return search_; }
  Watches& watches() { return watches_; }
  ReadRoles read_roles() { return {reads_, windows_, search_, watches_}; }
  ImportRoles import_roles() { return {sources_, ingest_, imports_, maintenance_}; }
  Sources& sources() { return sources_; }
  Grants& grants() { return grants_; }
  OwnerTokens& owner_tokens() { return owner_tokens_; }
  Ingest& ingest() { return ingest_; }
  Imports& imports() { return imports_; }
  Exports& exports() { return exports_; }
  Erasures& erasures() { return erasures_; }
  Merges& merges() { return merges_; }
  OwnerLedger& ledger() { return owner_ledger_; }
  Maintenance& maintenance() { return maintenance_; }
  OwnerItems& items() { return items_; }
  Operators& operators() { return operators_; }
  OwnerQuotas& quotas() { return shared_.quotas; }

  ServerFigures figures() const { return {shared_.store.figures(), shared_.ledger.figures(), ingest_.figures()}; }
  // Returns 32 secret bytes of the store, so that every process on it fences an owner's text the same way (design
  // D13).
  std::string fence_key() const { return shared_.sealer.keyed_hash("mcp-fence", {}); }

 private:
  SharedState shared_;
  Reads reads_{shared_};
  FieldWindows windows_{shared_};
  Search search_{shared_};
  Watches watches_{shared_};
  Grants grants_{shared_};
  Sources sources_{shared_, grants_};
  OwnerTokens owner_tokens_{shared_, grants_};
  Ingest ingest_{shared_};
  Imports imports_{shared_};
  Exports exports_{shared_};
  Erasures erasures_{shared_, grants_};
  Merges merges_{shared_, ingest_, exports_, grants_, erasures_};
  OwnerLedger owner_ledger_{shared_};
  Maintenance maintenance_{shared_};
  OwnerItems items_{shared_};
  Operators operators_{shared_};
};

}  // namespace ladder::server
