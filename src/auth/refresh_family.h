// The state of a refresh family. Refresh tokens are derived from the store's key, the family and the generation, so
// the same successor can be returned again within the grace period without being stored. An approval issues its
// grants for one family only, so the family's access tokens are exactly those bound to its grants. The transaction
// that ends the family revokes all of them, and every read checks its token in its own snapshot.
#pragma once

#include "base/time/time.h"
#include "store/auth_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kFamilyLife = 90 * kDay;   // without a refresh
inline constexpr Instant kFamilyAccessLife = kDay;  // hosts refresh rarely; revocations take effect immediately anyway

struct RefreshFamily {
  std::string id;
  store::OwnerNo owner = 0;
  std::string client_id, scope;
  std::vector<std::string> grant_ids;
  std::int64_t generation = 0;  // of the current token
  Instant rotated_at = 0;
  bool ended = false;
  Instant created_at = 0;
  std::int64_t version = 0;

  static RefreshFamily of(const store::AuthItem& item);
  store::AuthItem item(Instant now) const;
};

// Returns the refresh family with its grants replaced (removed if the replacement is empty); nullopt if it has none
// of them.
std::optional<store::AuthItem> with_grants(const store::AuthItem& family, const std::map<std::string, std::string>& replacements,
                                           Instant now);

}  // namespace ladder::auth
