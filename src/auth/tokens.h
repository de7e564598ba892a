// Exchanges codes for tokens, refreshes and ends refresh families, and answers polling devices. Codes and tokens are
// stored as hashes and looked up by hash. Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/oauth_error.h"
#include "auth/requests.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "store/auth_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kRefreshGrace = 10 * kSecond;  // concurrent refreshes with one token get the same successor
inline constexpr int kDevicePollSeconds = 5;

struct TokenRequest {
  std::string client_id, code, redirect_uri, verifier, resource, refresh_token, device_code, scope;
  std::string request_id;  // for a caller that polls with only its code
};

struct TokenResponse {
  std::string access_token, refresh_token, scope;
  std::optional<std::int64_t> expires_in;
  std::vector<std::string> grant_ids;
  std::vector<std::string> grants;  // grant bodies as JSON
  std::string details;              // the granted authorization_details
};

class Tokens {
 public:
  Tokens(AuthState& state, Requests& requests) : state_(state), requests_(requests) {}

  OAuthResult<TokenResponse> redeem_code(const TokenRequest& asked, const ServerUrl& server_url);
  OAuthResult<TokenResponse> refresh(const TokenRequest& asked);
  OAuthResult<TokenResponse> poll_device(const TokenRequest& asked);
  OAuthResult<TokenResponse> redeem_exchange(std::string_view code);  // 404 not_found, 410 invalid_grant
  // Issues the token of an approved PDPP request to the owner who approved it.
  OAuthResult<TokenResponse> issue_token(const AuthorizationRequest& request);
  // RFC 7009: succeeds for unknown tokens. A refresh token ends its family.
  OAuthResult<bool> revoke(std::string_view token, std::string_view client_id);

 private:
  // Issues a token for the grants in one transaction with the change, whose first item authorizes it.
  OAuthResult<TokenResponse> issue(store::AuthChange change, store::OwnerNo owner, const std::string& client_id,
                                   const std::vector<std::string>& grant_ids, const std::string& scope, bool offline);
  std::string refresh_text(const std::string& family, std::int64_t generation) const;
  Status end_family(std::string_view id);
  Result<std::vector<store::GrantRow>> grants_of(store::OwnerNo owner, const std::vector<std::string>& grant_ids);

  AuthState& state_;
  Requests& requests_;
};

}  // namespace ladder::auth
