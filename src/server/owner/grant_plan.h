// Plans the grants for an owner's request: resolves the selections to connections and groups them by source (design
// D14: a grant belongs to one source). Reads only the catalog; the rules of a grant are in grant/.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "grant/grant.h"
#include "server/catalog/catalog.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::server {

// A --stream argument of `ladder grant create`. Without a connection it covers every active connection that has the
// stream.
struct GrantSelection {
  std::string connection_id;        // empty: all
  std::string stream;               // "*" with a connection: every stream of it
  std::vector<std::string> fields;  // empty: all declared
  std::optional<Instant> since, until;
  std::vector<std::string> records;  // canonical keys; empty: all
};

struct PlannedGrant {
  const SourceEntry* source = nullptr;  // owned by the catalog
  std::vector<grant::StreamSelection> streams;
};

// Returns plans in the order in which the selections first name a source. A selection with fields but no connection
// applies to connections whose stream has all the fields. kConnectionNotFound, kConnectionInactive,
// kStreamNotDeclared and kUnknownField list existing names; kInvalidRequest if nothing is selected, or one stream is
// selected twice with different bounds.
Result<std::vector<PlannedGrant>> plan_grants(const OwnerCatalog& catalog, const std::vector<GrantSelection>& selections);

}  // namespace ladder::server
