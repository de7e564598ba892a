// The access of a connected client, and the owner's changes to it. The client's tokens stay valid for replaced grants.
// Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/blocks.h"
#include "auth/consent.h"
#include "auth/requests.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "server/owner/grants.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

class ClientAccess {
 public:
  ClientAccess(AuthState& state, Requests& requests, Blocks& blocks) : state_(state), requests_(requests), blocks_(blocks) {}

  // Returns the client's active grants from this owner.
  Result<std::vector<server::GrantSummary>> held(const server::Access& owner, std::string_view client_id);
  // Returns the review that was approved for a grant; empty if the grant was not issued by consent.
  Result<std::string> evidence(const server::Access& owner, std::string_view grant_id);
  // Returns the redirect URIs that the owner approved on consent pages, by client, oldest first. Registered URIs
  // without approval are not included.
  Result<std::map<std::string, std::vector<std::string>>> approved_redirects(const server::Access& owner);

  // Extends every grant of the client that expires.
  Status extend(const server::Access& owner, std::string_view client_id, Instant by, std::string_view who);
  Status narrow(const server::Access& owner, const Narrowing& narrowing, std::string_view who);
  Status end(const server::Access& owner, std::string_view client_id);
  // Revokes the client's access and rejects its future requests without asking the owner. An approved https origin is
  // blocked too, because the client could register again.
  Status block(const server::Access& owner, std::string_view client_id);
  Status unblock(const server::Access& owner, std::string_view client_id) { return blocks_.remove(owner.owner(), client_id); }
  Result<std::vector<BlockedClient>> blocked(const server::Access& owner) { return blocks_.list(owner.owner()); }
  // Revokes every client's access, including refresh families and open requests. Returns how many grants were active.
  Result<std::int64_t> revoke_everything(const server::Access& owner);

 private:
  Status replace(const server::Access& owner, const std::vector<server::Reissue>& drafts, std::optional<std::int64_t> budget,
                 const std::vector<store::AuthItem>& evidence);

  AuthState& state_;
  Requests& requests_;
  Blocks& blocks_;
};

}  // namespace ladder::auth
