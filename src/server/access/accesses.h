// Creates an Access from a token, or from the right to open the store, and checks that it is still valid (design D14,
// D16). Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "server/access/grant_cache.h"
#include "store/store.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::server {

class Accesses {
 public:
  Accesses(store::Store& store, const Clock& clock, GrantCache& grants, const Revocations& revocations)
      : store_(store), clock_(clock), grants_(grants), revocations_(revocations) {}

  // Returns kAuthentication, or kGrantRevoked or kGrantExpired if no grant is active. A revocation by another process
  // may be missed here for a second; every operation checks again when it reads.
  Result<Access> authenticate(std::string_view token);
  // Returns the cached owner of a recently used token. Use it for fair scheduling only, never for authorization.
  std::optional<KnownCaller> recall(std::string_view token) const;
  // Any process that can open the store file acts as its owner; kNotSetUp, kOwnerSuspended. The error names no other owner.
  Result<Access> local_owner(std::string_view owner_name);
  Result<Access> local_owner(store::OwnerNo owner);
  // The same for a suspended owner, whose data the operator moves to another store (server/owner_move.h).
  Result<Access> moving_owner(std::string_view owner_name);
  // Returns an Access that reads this owner's data under these grants. It holds no token.
  static Access under_grants(const Access& owner, std::string_view client_id,
                             std::vector<std::shared_ptr<const HeldGrant>> grants);

  // Succeeds if the access is still valid. Call it before the first byte of a slow response (design D16).
  Status check_still_valid(const Access& access);
  Status require_owner(const Access& access);  // kPermission for a client, kAuthentication for an invalid token
  // Applies token and grant changes made elsewhere in this process from the next request on.
  void forget_all() { known_.forget_all(); }

  // Tracks when grants were last used, to about an hour. note_use() only updates memory; flush_uses() writes and may
  // wait for other writers, so it is never called during a request.
  void note_use(const Access& access) { uses_.note(access, clock_.now()); }
  Status flush_uses();

 private:
  static Access owner_access(const store::OwnerRow& owner);

  store::Store& store_;
  const Clock& clock_;
  GrantCache& grants_;
  const Revocations& revocations_;
  AccessCache known_;
  GrantUses uses_;
};

}  // namespace ladder::server
