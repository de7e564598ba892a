// The authorization server: client requests, owner decisions, codes, tokens and refresh families (OAuth 2.1, RFC
// 8628, RFC 9126, RFC 9207, RFC 8707). All state is in the store: one process can accept a request, another can
// decide it, and a third can redeem it. Codes and tokens are stored as hashes and looked up by hash.
#pragma once

#include "auth/clients.h"
#include "auth/consent.h"
#include "auth/owners.h"
#include "crypto/seal.h"
#include "server/resource_server.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr std::string_view kReadScope = "ladder:read";
inline constexpr std::string_view kOfflineScope = "offline_access";
inline constexpr Instant kRequestLife = 30 * 60 * kSecond;
inline constexpr Instant kCodeLife = 60 * kSecond;
inline constexpr Instant kExchangeLife = 5 * 60 * kSecond;
inline constexpr Instant kFamilyAccessLife = kDay;      // hosts refresh rarely; revocations take effect immediately anyway
inline constexpr Instant kRefreshGrace = 10 * kSecond;  // concurrent refreshes with one token get the same successor
inline constexpr int kDevicePollSeconds = 5;

// The parameters of /oauth/authorize, /oauth/par or /oauth/device_authorization.
struct AuthorizeParameters {
  std::string client_id, redirect_uri, response_type, state, scope, resource, challenge, challenge_method, prompt, details;
  std::string repeated;  // a parameter that was sent twice; empty: none
  std::string address;   // the sender, for rate limiting; empty: no limit
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

// An error of the authorize endpoint, and where to report it.
struct AuthorizeError {
  std::string error, description;
  bool to_client = false;  // redirect the error to the client; otherwise show the user a page
  std::string redirect_uri, state;
  int status = 400;
};

struct TokenResponse {
  std::string access_token, refresh_token, scope;
  std::optional<std::int64_t> expires_in;
  std::vector<std::string> grant_ids;
  std::vector<std::string> grants;  // grant bodies as JSON
  std::string details;              // the granted authorization_details
};

struct DeviceResponse {
  std::string device_code, user_code;
  std::int64_t expires_in = 0;
  std::string request_id;
};

// A client that the owner blocked.
struct BlockedClient {
  std::string client_id;
  std::vector<std::string> origins;  // requests redirecting to these origins are also rejected; empty: only this client
  Instant since = 0;
};

// The URL of this server, from --public-url; all its endpoints start with it.
struct ServerUrl {
  std::string base;  // https://data.example, without a trailing slash
  std::string mcp() const { return base + "/mcp"; }
};

class AuthorizationServer {
 public:
  AuthorizationServer(server::ResourceServer& server, store::Store& store, std::unique_ptr<DocumentFetcher> fetcher,
                      const Clock& clock);

  Owners& owners() { return owners_; }
  Clients& clients() { return clients_; }
  server::ResourceServer& server() { return server_; }
  Instant now() const { return clock_.now(); }

  // Validates and stores a client's request. Its owner is determined later.
  std::expected<AuthorizationRequest, AuthorizeError> begin(const AuthorizeParameters& asked, const ServerUrl& server_url);
  OAuthResult<AuthorizationRequest> begin_pushed(const AuthorizeParameters& asked, const ServerUrl& server_url);  // RFC 9126
  OAuthResult<DeviceResponse> begin_device(const AuthorizeParameters& asked, const ServerUrl& server_url);        // RFC 8628
  OAuthResult<AuthorizationRequest> begin_review(const AuthorizeParameters& asked,
                                                 const ServerUrl& server_url);  // PDPP's own endpoint
  // Creates a polling code for a PDPP request that has none yet.
  OAuthResult<DeviceResponse> add_poller(std::string_view id, std::string_view client_id);

  // Opens a request for its owner; the first owner to open it becomes its owner. kNotFound if it belongs to another
  // owner, has ended or is unknown.
  Result<AuthorizationRequest> open(std::string_view id, const server::Access& owner);
  Result<std::string> client_of(std::string_view id);  // the client of the request; kNotFound
  // Returns the request's id; kNotFound. Wrong codes are counted per guesser: after several, every code returns
  // kRateLimited. An empty guesser, used for the local owner, is not limited.
  Result<std::string> find_by_code(std::string_view user_code, std::string_view guesser = {});
  Result<std::vector<AuthorizationRequest>> opened(const server::Access& owner);

  // Returns the client's grants from this owner.
  Result<std::vector<server::GrantSummary>> held(const server::Access& owner, std::string_view client_id);

  // Issues the grants of the review and stores it as evidence. kConflict if the request was already decided.
  Result<AuthorizationRequest> approve(const AuthorizationRequest& request, const server::Access& owner, const Review& review,
                                       const Choices& choices, const std::vector<server::GrantSummary>& held,
                                       std::string_view by);
  Status deny(const AuthorizationRequest& request);
  Status undo(const AuthorizationRequest& request, const server::Access& owner);
  // Stores the review shown for a PDPP request, which approval must match. kConflict if the request was decided
  // meanwhile.
  Result<AuthorizationRequest> keep_review(const AuthorizationRequest& request, std::string review, std::string choices);
  // Issues the single code of an approved request.
  Result<std::string> issue_code(const AuthorizationRequest& request);
  // Issues the single exchange code of an approved PDPP request, which a user passes to the client manually.
  Result<std::string> issue_exchange(const AuthorizationRequest& request);
  // Issues the token of an approved PDPP request to the owner who approved it.
  OAuthResult<TokenResponse> issue_token(const AuthorizationRequest& request);
  // Returns the review that was approved for a grant; empty if the grant was not issued by consent.
  Result<std::string> evidence(const server::Access& owner, std::string_view grant_id);

  // --- changes to a connected client; its tokens stay valid for the replaced grants ---
  // Extends every grant of the client that expires.
  Status extend(const server::Access& owner, std::string_view client_id, Instant by, std::string_view who);
  Status narrow(const server::Access& owner, const Narrowing& narrowing, std::string_view who);
  Status end(const server::Access& owner, std::string_view client_id);
  // Returns the redirect URIs that the owner approved on consent pages, by client, oldest first. Registered URIs
  // without approval are not included.
  Result<std::map<std::string, std::vector<std::string>>> approved_redirects(const server::Access& owner);
  // Revokes the client's access and rejects its future requests without asking the owner. An approved https origin is
  // blocked too, because the client could register again.
  Status block(const server::Access& owner, std::string_view client_id);
  Status unblock(const server::Access& owner, std::string_view client_id);
  Result<std::vector<BlockedClient>> blocked(store::OwnerNo owner);
  Result<bool> is_blocked(store::OwnerNo owner, const AuthorizationRequest& request);

  struct TokenRequest {
    std::string client_id, code, redirect_uri, verifier, resource, refresh_token, device_code, scope;
    std::string request_id;  // for a caller that polls with only its code
  };
  OAuthResult<TokenResponse> redeem_code(const TokenRequest& asked, const ServerUrl& server_url);
  OAuthResult<TokenResponse> refresh(const TokenRequest& asked);
  OAuthResult<TokenResponse> poll_device(const TokenRequest& asked);
  OAuthResult<TokenResponse> redeem_exchange(std::string_view code);  // 404 not_found, 410 invalid_grant
  // RFC 7009: succeeds for unknown tokens. A refresh token ends its family.
  OAuthResult<bool> revoke(std::string_view token, std::string_view client_id);

  // Revokes every client's access, including refresh families and open requests.
  Result<std::int64_t> revoke_everything(const server::Access& owner);
  Status sweep() {
    LADDER_CHECK(items_.remove_expired(clock_.now()));
    return {};
  }

 private:
  struct Family;
  Status replace(const server::Access& owner, const std::vector<server::Reissue>& drafts, std::optional<std::int64_t> budget,
                 const std::vector<store::AuthItem>& evidence);
  // Returns the refresh family with its grants replaced (removed if the replacement is empty); nullopt if it has none
  // of them.
  std::optional<store::AuthItem> with_grants(const store::AuthItem& family,
                                             const std::map<std::string, std::string>& replacements);
  Result<bool> is_blocked_by_all(const AuthorizationRequest& request);
  Result<AuthorizationRequest> find(std::string_view id);
  Result<bool> keep(const AuthorizationRequest& request, store::AuthChange change);
  OAuthResult<AuthorizationRequest> keep_new(AuthorizationRequest request, std::string_view address);
  OAuthResult<AuthorizationRequest> without_redirect(const AuthorizeParameters& asked, const ServerUrl& server_url,
                                                     RequestKind kind);
  // Issues a token for the grants in one transaction with the change, whose first item authorizes it.
  OAuthResult<TokenResponse> issue(store::AuthChange change, store::OwnerNo owner, const std::string& client_id,
                                   const std::vector<std::string>& grant_ids, const std::string& scope, bool offline);
  std::string refresh_text(const std::string& family, std::int64_t generation) const;
  Status end_family(std::string_view id);
  Result<std::vector<store::GrantRow>> grants_of(store::OwnerNo owner, const std::vector<std::string>& grant_ids);

  server::ResourceServer& server_;
  store::Store& store_;
  store::AuthStore& items_;
  std::unique_ptr<DocumentFetcher> fetcher_;
  const Clock& clock_;
  crypto::Sealer sealer_;
  Owners owners_;
  Clients clients_;
};

// Returns true for "https://h/mcp", "https://h" and "https://h/", the valid token audiences of this server.
bool is_own_resource(const ServerUrl& server_url, std::string_view resource);
std::string granted_scope(std::string_view asked);  // omits unknown scopes; always includes ladder:read
bool is_pkce_text(std::string_view text);           // 43 to 128 unreserved characters (RFC 7636)

}  // namespace ladder::auth
