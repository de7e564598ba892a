// The part of a store that both engines share: owners, sources, grants, tokens and reports of imports, and the items of
// authorization and of the disclosure ledger. These are short reads and small writes, written once over sql::Database.
#pragma once

#include "store/catalog/items.h"
#include "store/sql/database.h"
#include "store/store.h"
#include "store/store_functions.h"

namespace ladder::store {

class CatalogStore : public Store {
 public:
  explicit CatalogStore(sql::Database& database) : database_(database), auth_(database), ledger_(database) {}

  LADDER_CATALOG_FUNCTIONS(LADDER_OVERRIDE)

  AuthStore& auth() override { return auth_; }
  LedgerStore& ledger() override { return ledger_; }

 private:
  sql::Database& database_;
  AuthItems auth_;
  LedgerItems ledger_;
};

}  // namespace ladder::store
