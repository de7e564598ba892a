// A client's request for authorization, and the URL of the server that it is made to.
#pragma once

#include "auth/clients.h"
#include "base/time/time.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr std::string_view kReadScope = "ladder:read";
inline constexpr std::string_view kOfflineScope = "offline_access";
inline constexpr Instant kRequestLife = 30 * 60 * kSecond;

// The URL of this server, from --public-url; all its endpoints start with it.
struct ServerUrl {
  std::string base;  // https://data.example, without a trailing slash
  std::string mcp() const { return base + "/mcp"; }
};

enum class RequestKind { kCode, kDevice, kReview };

struct AuthorizationRequest {
  std::string id;         // unguessable; used in the URLs of our own pages
  std::string user_code;  // the code that users type: ABCD-2345
  RequestKind kind = RequestKind::kCode;
  std::string client_id, client_name, redirect_uri, state, challenge, resource, scope, details, prompt;
  std::string status;                  // waiting, approved, denied, done
  store::OwnerNo owner = 0;            // the first owner to open it; 0: none yet
  std::vector<std::string> grant_ids;  // issued on approval
  std::string exchange;                // hash of the polling code; empty if no client polls
  std::string review, choices;         // PDPP's own endpoints: the review that approval must match
  Instant created_at = 0, expires_at = 0;
  std::int64_t version = 0;

  bool offline() const;
};

// Returns the display name of the response's recipient, and how far it can be trusted. A device or polling program
// can use any client's id, so only its code identifies it.
std::string requester_name(const AuthorizationRequest& request);
Trust trust_of(const AuthorizationRequest& request);

// Returns true for "https://h/mcp", "https://h" and "https://h/", the valid token audiences of this server.
bool is_own_resource(const ServerUrl& server_url, std::string_view resource);
std::string granted_scope(std::string_view asked);  // omits unknown scopes; always includes ladder:read
bool is_pkce_text(std::string_view text);           // 43 to 128 unreserved characters (RFC 7636)

}  // namespace ladder::auth
