// The clients that an owner has blocked. Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/request.h"
#include "base/error/error.h"
#include "base/time/time.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

struct BlockedClient {
  std::string client_id;
  std::vector<std::string> origins;  // requests redirecting to these origins are also rejected; empty: only this client
  Instant since = 0;
};

class Blocks {
 public:
  explicit Blocks(AuthState& state) : state_(state) {}

  Status add(store::OwnerNo owner, std::string_view client_id, const std::set<std::string>& origins);
  Status remove(store::OwnerNo owner, std::string_view client_id);
  Result<std::vector<BlockedClient>> list(store::OwnerNo owner);
  Result<bool> covers(store::OwnerNo owner, const AuthorizationRequest& request);
  Result<bool> cover_for_all_owners(const AuthorizationRequest& request);  // no owner would accept the request

 private:
  AuthState& state_;
};

// Returns the host of an https redirect; empty for other redirects, which any program can use.
std::string own_origin(std::string_view redirect_uri);

}  // namespace ladder::auth
