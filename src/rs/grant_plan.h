// From what an owner asks for on one command line to what each source's grant will say: selections resolved to connections and
// gathered by source (design D14: a grant belongs to one source). Reads the catalog only; the grant's own rules are grant/'s.
#pragma once

#include "base/result.h"
#include "rs/catalog.h"
#include "rs/resource_server.h"

#include <vector>

namespace ladder::rs {

struct PlannedGrant {
  const SourceEntry* source = nullptr;  // inside the catalog
  std::vector<grant::StreamSelection> streams;
};

// In the order in which the selections first name a source. A selection that names fields and no connection is of the connections
// whose stream has them all. kConnectionNotFound, kConnectionInactive, kStreamNotDeclared and kUnknownField name what exists;
// kInvalidRequest when nothing is selected, or one stream twice with different bounds.
Result<std::vector<PlannedGrant>> plan_grants(const OwnerCatalog& catalog, const std::vector<GrantSelection>& selections);

}  // namespace ladder::rs
