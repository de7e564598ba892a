// The authorization server: requests of clients, the owner's decisions, codes, tokens and refresh families (OAuth 2.1, RFC 8628,
// RFC 9126, RFC 9207, RFC 8707). Nothing is kept in memory: a request begun at one process is decided at another and redeemed at
// a third. Codes and tokens are stored as hashes and compared by look-up of the hash.
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
inline constexpr Instant kFamilyAccessLife = kDay;      // hosts refresh rarely; a revocation holds at once anyway
inline constexpr Instant kRefreshGrace = 10 * kSecond;  // hosts that refresh twice at once get the same successor
inline constexpr int kDevicePollSeconds = 5;

// The parameters of /oauth/authorize, /oauth/par or /oauth/device_authorization.
struct AskParameters {
  std::string client_id, redirect_uri, response_type, state, scope, resource, challenge, challenge_method, prompt, details;
  std::string repeated;  // a parameter that was sent twice; empty when none was
  std::string address;   // the sender, whose requests are counted; empty: they are not
};

enum class RequestKind { kCode, kDevice, kReview };

struct AuthorizationRequest {
  std::string id;         // unguessable; names it in addresses of our own pages
  std::string user_code;  // what people read out: ABCD-2345
  RequestKind kind = RequestKind::kCode;
  std::string client_id, client_name, redirect_uri, state, challenge, resource, scope, details, prompt;
  std::string status;                  // waiting, approved, denied, done
  store::OwnerNo owner = 0;            // who opened it first; 0: nobody yet
  std::vector<std::string> grant_ids;  // issued by its approval
  std::string exchange;                // hash of what its asker polls with; empty when nobody polls
  std::string review, choices;         // of PDPP's own endpoints: what approval is held against
  Instant created_at = 0, expires_at = 0;
  std::int64_t version = 0;

  bool offline() const;
};

// The name shown for whoever gets the answer, and how far it is known. A device or a program that polls may use any client's
// id, so that of it nothing is known but the code that it shows.
std::string shown_asker(const AuthorizationRequest& request);
Trust trust_of(const AuthorizationRequest& request);

// An error of the authorize endpoint, and where it is told.
struct AskFault {
  std::string error, description;
  bool to_client = false;  // goes back to the client's redirect URI; else it is a page for the person
  std::string redirect_uri, state;
  int status = 400;
};

struct TokenAnswer {
  std::string access_token, refresh_token, scope;
  std::optional<std::int64_t> expires_in;
  std::vector<std::string> grant_ids;
  std::vector<std::string> grants;  // their bodies, as JSON
  std::string details;              // granted, as authorization_details
};

struct DeviceAnswer {
  std::string device_code, user_code;
  std::int64_t expires_in = 0;
  std::string request_id;
};

// A client that an owner does not want to hear from.
struct BlockedClient {
  std::string client_id;
  std::vector<std::string> origins;  // requests of these addresses are refused as well; empty: this client alone
  Instant since = 0;
};

// The address of this server, from --public-url; every other address begins with it.
struct Place {
  std::string base;  // https://data.example, without a slash at the end
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

  // Checks what a client asks for and keeps it; who is asked is found out later.
  std::expected<AuthorizationRequest, AskFault> begin(const AskParameters& asked, const Place& place);
  OAuthResult<AuthorizationRequest> begin_pushed(const AskParameters& asked, const Place& place);  // RFC 9126
  OAuthResult<DeviceAnswer> begin_device(const AskParameters& asked, const Place& place);          // RFC 8628
  OAuthResult<AuthorizationRequest> begin_review(const AskParameters& asked, const Place& place);  // PDPP's own
  // A code to poll with, for a request of PDPP's own that has none yet.
  OAuthResult<DeviceAnswer> add_poller(std::string_view id, std::string_view client_id);

  // For its owner: of a request that nobody has opened yet he is the owner from now on. kNotFound when it is another's, over or
  // unknown.
  Result<AuthorizationRequest> open(std::string_view id, const server::Access& owner);
  Result<std::string> client_of(std::string_view id);  // whose request it is; kNotFound
  // The request's id; kNotFound. Wrong codes of a guesser are counted: kRateLimited after several, whatever the code. An empty
  // guesser is not limited, for the owner at the machine.
  Result<std::string> find_by_code(std::string_view user_code, std::string_view guesser = {});
  Result<std::vector<AuthorizationRequest>> opened(const server::Access& owner);

  // The grants that the client has from this owner.
  Result<std::vector<server::GrantSummary>> held(const server::Access& owner, std::string_view client_id);

  // Issues the grants of the review and keeps it as evidence. kConflict when the request was decided already.
  Result<AuthorizationRequest> approve(const AuthorizationRequest& request, const server::Access& owner, const Review& review,
                                       const Choices& choices, const std::vector<server::GrantSummary>& held,
                                       std::string_view by);
  Status deny(const AuthorizationRequest& request);
  Status undo(const AuthorizationRequest& request, const server::Access& owner);
  // Keeps the review shown for PDPP's own request, so that approval is held against it. kConflict when it was decided meanwhile.
  Result<AuthorizationRequest> keep_review(const AuthorizationRequest& request, std::string review, std::string choices);
  // A code for an approved request, once.
  Result<std::string> issue_code(const AuthorizationRequest& request);
  // A code that somebody carries to the client by hand, for an approved request of PDPP's own, once.
  Result<std::string> issue_exchange(const AuthorizationRequest& request);
  // The token of an approved request of PDPP's own, for whoever approved it.
  OAuthResult<TokenAnswer> issue_token(const AuthorizationRequest& request);
  // The review that was shown and approved for a grant; empty when it was not granted by consent.
  Result<std::string> evidence(const server::Access& owner, std::string_view grant_id);

  // --- a client that is connected; its tokens go on with what takes the place of its grants ---
  // Every grant of it that has an end ends so much later.
  Status extend(const server::Access& owner, std::string_view client_id, Instant by, std::string_view who);
  Status narrow(const server::Access& owner, const Narrowing& narrowing, std::string_view who);
  Status end(const server::Access& owner, std::string_view client_id);
  // The addresses that answers went to, as the consent pages showed them when the owner allowed the access: redirect URIs by
  // client, oldest first. What a client only registered is not among them.
  Result<std::map<std::string, std::vector<std::string>>> approved_redirects(const server::Access& owner);
  // Ends its access and refuses its next requests without asking the owner. A client whose approved address is https is blocked
  // by that address, too, since it can register again.
  Status block(const server::Access& owner, std::string_view client_id);
  Status unblock(const server::Access& owner, std::string_view client_id);
  Result<std::vector<BlockedClient>> blocked(store::OwnerNo owner);
  Result<bool> is_blocked(store::OwnerNo owner, const AuthorizationRequest& request);

  struct Redeem {
    std::string client_id, code, redirect_uri, verifier, resource, refresh_token, device_code, scope;
    std::string request_id;  // of who polls with nothing but its code
  };
  OAuthResult<TokenAnswer> redeem_code(const Redeem& asked, const Place& place);
  OAuthResult<TokenAnswer> refresh(const Redeem& asked);
  OAuthResult<TokenAnswer> poll_device(const Redeem& asked);
  OAuthResult<TokenAnswer> redeem_exchange(std::string_view code);  // 404 not_found, 410 invalid_grant
  // RFC 7009: fine for what is unknown. A refresh token ends its family.
  OAuthResult<bool> revoke(std::string_view token, std::string_view client_id);

  // Every client's access, and everything that could renew it.
  Result<std::int64_t> end_everything(const server::Access& owner);
  Status sweep() {
    LADDER_CHECK(items_.remove_expired(clock_.now()));
    return {};
  }

 private:
  struct Family;
  Status replace(const server::Access& owner, const std::vector<server::Reissue>& drafts, std::optional<std::int64_t> budget,
                 const std::vector<store::AuthItem>& evidence);
  // The refresh family with its grants replaced (by nothing where the place is empty); nothing when it has none of them.
  std::optional<store::AuthItem> with_grants(const store::AuthItem& family, const std::map<std::string, std::string>& places);
  Result<bool> is_blocked_by_all(const AuthorizationRequest& request);
  Result<AuthorizationRequest> find(std::string_view id);
  Result<bool> keep(const AuthorizationRequest& request, store::AuthChange change);
  OAuthResult<AuthorizationRequest> keep_new(AuthorizationRequest request, std::string_view address);
  OAuthResult<AuthorizationRequest> without_redirect(const AskParameters& asked, const Place& place, RequestKind kind);
  // A token for the grants, in one transaction with the change, whose first item is what it is given for.
  OAuthResult<TokenAnswer> issue(store::AuthChange change, store::OwnerNo owner, const std::string& client_id,
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

// "https://h/mcp", "https://h", "https://h/": what a token of this server may be asked for.
bool is_own_resource(const Place& place, std::string_view resource);
std::string granted_scope(std::string_view asked);  // unknown ones are left out; ladder:read always
bool is_pkce_text(std::string_view text);           // 43 to 128 unreserved characters (RFC 7636)

}  // namespace ladder::auth
