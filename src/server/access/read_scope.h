// The streams and connections that a request reaches under an Access: the first question of every read. What a grant does not
// name is refused alike whether it exists or not (design D5, D14).
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "model/record_id.h"
#include "server/access/access.h"
#include "server/catalog/catalog.h"

#include <memory>
#include <string_view>
#include <vector>

namespace ladder::server {

struct ReadScope {
  std::shared_ptr<const HeldGrant> held;        // null for the owner
  const grant::StreamGrant* granted = nullptr;  // the stream within it; null for the owner
  std::vector<StreamPlace> places;              // not empty

  store::Guard guard(const Access& access) const;
};

// Without a connection every granted (for the owner: every active) connection of the one source that has the stream.
// kStreamNotAllowed, kConnectionNotFound, kStreamNotDeclared, kNotFound for a source that is not within reach, or
// kAmbiguousConnection when several sources share the stream's name.
Result<ReadScope> read_scope(const Access& access, const OwnerCatalog& catalog, const api::Scope& scope, std::string_view stream);

// For what is done to one connection: kAmbiguousConnection when several are within reach.
Result<StreamPlace> only_place(const ReadScope& read_scope);

// Checks the token and grant that the store found with the rows: kAuthentication, kGrantRevoked, kGrantExpired, or fine.
Status check_access_status(const Access& access, const HeldGrant* held, const store::AccessStatusRow& row, Instant now);

// A reader in whose view token and grant stand; null when the catalog has moved on, so that the read has to aim anew.
Result<std::unique_ptr<store::Reader>> open_reader(store::Store& store, const Clock& clock, const Access& access,
                                                   const ReadScope& read_scope, const OwnerCatalog& catalog);

// The one record among those found that the caller may see. Invisible and missing ones look alike: kNotFound;
// kAmbiguousConnection when several connections have it.
struct PickedRecord {
  const store::RecordRow* row = nullptr;
  const StreamPlace* place = nullptr;
};
Result<PickedRecord> pick_record(const ReadScope& read_scope, const std::vector<store::RecordRow>& found,
                                 const model::RecordRef& asked);
bool is_visible(const ReadScope& read_scope, const store::RecordRow& row);

}  // namespace ladder::server
