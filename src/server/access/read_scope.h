// Determines the streams and connections that a request reaches under an Access. Names outside the grant get the same
// error whether they exist or not (design D5, D14).
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
  const grant::StreamGrant* granted = nullptr;  // the stream's entry in that grant; null for the owner
  std::vector<ConnectionStream> streams;        // not empty

  store::Guard guard(const Access& access) const;
};

// Without a connection, the scope is every granted connection (for the owner, every active one) of the single source
// that has the stream. kStreamNotAllowed, kConnectionNotFound, kStreamNotDeclared, kNotFound for a source out of
// reach, or kAmbiguousConnection if several sources have a stream of this name.
Result<ReadScope> read_scope(const Access& access, const OwnerCatalog& catalog, const api::Scope& scope, std::string_view stream);

// Returns the single stream in scope; kAmbiguousConnection if there are several.
Result<ConnectionStream> only_stream(const ReadScope& read_scope);

std::unexpected<Error> owner_is_suspended();  // kOwnerSuspended

// Checks the state of the owner, the token and the grant that the store read together with the rows: kOwnerSuspended,
// kAuthentication, kGrantRevoked or kGrantExpired.
Status check_access_status(const Access& access, const HeldGrant* held, const store::AccessStatusRow& row, Instant now);

// Opens a snapshot in which the token and the grant are valid. Returns null if the catalog has changed; resolve the
// scope again then.
Result<std::unique_ptr<store::Reader>> open_reader(store::Store& store, const Clock& clock, const Access& access,
                                                   const ReadScope& read_scope, const OwnerCatalog& catalog);

// Picks the one visible record among those found. Invisible and missing records both return kNotFound;
// kAmbiguousConnection if several connections have it.
struct PickedRecord {
  const store::RecordRow* row = nullptr;
  const ConnectionStream* place = nullptr;
};
Result<PickedRecord> pick_record(const ReadScope& read_scope, const std::vector<store::RecordRow>& found,
                                 const model::RecordRef& asked);
bool is_visible(const ReadScope& read_scope, const store::RecordRow& row);

}  // namespace ladder::server
