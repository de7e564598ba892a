// Creates, lists and revokes the owner's own tokens, and describes any token of the owner. Every operation returns
// kPermission for a client's access. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "grant/grant.h"
#include "server/owner/grants.h"
#include "store/rows/rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// The expiry of an owner token; one year by default.
struct TokenExpiry {
  std::optional<Instant> at = {};
  bool never = false;
};

// Describes an owner token without the token itself.
struct OwnerToken {
  std::string token_id;  // see token_id() in server/access/token.h
  Instant created_at = 0;
  std::optional<Instant> expires_at, revoked_at;
  std::string status;  // active, expired or revoked
};

struct TokenInfo {
  bool active = false;
  std::string inactive_reason;  // token_expired, token_revoked, grant_expired or grant_revoked; empty for an unknown token
  store::TokenKind kind = store::TokenKind::kClient;
  std::string subject, client_id;
  std::optional<Instant> expires_at;
  std::vector<grant::Grant> grants;                           // the active grants of an active client token
  std::vector<std::vector<grant::FieldOrigin>> origins = {};  // one list per grant
};

class OwnerTokens {
 public:
  OwnerTokens(SharedState& shared, Grants& grants) : shared_(shared), grants_(grants) {}

  // Returns kInvalidRequest if the expiry has passed.
  Result<std::string> create(const Access& access, const TokenExpiry& end = {});
  Result<std::vector<OwnerToken>> list(const Access& access);
  Result<OwnerToken> revoke(const Access& access, std::string_view token_id);  // kNotFound
  // Describes a token of this owner (RFC 7662). An invalid or unknown token is inactive, not an error.
  Result<TokenInfo> introspect(const Access& access, std::string_view token);

 private:
  SharedState& shared_;
  Grants& grants_;
};

}  // namespace ladder::server
