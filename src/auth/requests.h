// Authorization requests: clients make them, and owners open them. Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/blocks.h"
#include "auth/clients.h"
#include "auth/oauth_error.h"
#include "auth/request.h"
#include "base/error/error.h"
#include "server/access/access.h"
#include "store/auth_store.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

// The parameters of /oauth/authorize, /oauth/par or /oauth/device_authorization.
struct AuthorizeParameters {
  std::string client_id, redirect_uri, response_type, state, scope, resource, challenge, challenge_method, prompt, details;
  std::string repeated;  // a parameter that was sent twice; empty: none
  std::string address;   // the sender, for rate limiting; empty: no limit
};

// An error of the authorize endpoint, and where to report it.
struct AuthorizeError {
  std::string error, description;
  bool to_client = false;  // redirect the error to the client; otherwise show the user a page
  std::string redirect_uri, state;
  int status = 400;
};

struct DeviceResponse {
  std::string device_code, user_code;
  std::int64_t expires_in = 0;
  std::string request_id;
};

class Requests {
 public:
  Requests(AuthState& state, Clients& clients, Blocks& blocks) : state_(state), clients_(clients), blocks_(blocks) {}

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
  Result<AuthorizationRequest> find(std::string_view id);  // for any owner; kNotFound
  Result<std::string> client_of(std::string_view id);      // the client of the request; kNotFound
  // Returns the request's id; kNotFound. Wrong codes are counted per guesser: after several, every code returns
  // kRateLimited. An empty guesser, used for the local owner, is not limited.
  Result<std::string> find_by_code(std::string_view user_code, std::string_view guesser = {});
  Result<std::vector<AuthorizationRequest>> opened(const server::Access& owner);
  // The requests that no owner has opened yet. Anyone can make one, so their names and codes are not shown to owners.
  Result<std::vector<AuthorizationRequest>> unopened(const server::Access& owner);

  // Stores the request and applies the change, in one transaction; false if the request has changed.
  Result<bool> keep(const AuthorizationRequest& request, store::AuthChange change);
  Status deny(const AuthorizationRequest& request);  // kConflict if the request was already decided

 private:
  Result<std::vector<AuthorizationRequest>> of_owner(store::OwnerNo owner);  // that have not expired
  OAuthResult<AuthorizationRequest> keep_new(AuthorizationRequest request, std::string_view address);
  OAuthResult<AuthorizationRequest> without_redirect(const AuthorizeParameters& asked, const ServerUrl& server_url,
                                                     RequestKind kind);

  AuthState& state_;
  Clients& clients_;
  Blocks& blocks_;
};

}  // namespace ladder::auth
