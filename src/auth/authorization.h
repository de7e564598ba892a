// The authorization server (OAuth 2.1, RFC 8628, RFC 9126, RFC 9207, RFC 8707): owns the state that its roles share,
// creates the roles, and gives them out. All state is in the store: one process can accept a request, another can
// decide it, and a third can redeem it. Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/blocks.h"
#include "auth/client_access.h"
#include "auth/clients.h"
#include "auth/consents.h"
#include "auth/owners.h"
#include "auth/phone_links.h"
#include "auth/requests.h"
#include "auth/tokens.h"

#include <memory>
#include <utility>

namespace ladder::auth {

class AuthorizationServer {
 public:
  AuthorizationServer(server::ResourceServer& server, store::Store& store, std::unique_ptr<DocumentFetcher> fetcher,
                      const Clock& clock)
      : state_(server, store, clock), fetcher_(std::move(fetcher)) {}

  Owners& owners() { return owners_; }
  PhoneLinks& phone_links() { return phone_links_; }
  Clients& clients() { return clients_; }
  Requests& requests() { return requests_; }
  Consents& consents() { return consents_; }
  Tokens& tokens() { return tokens_; }
  ClientAccess& client_access() { return client_access_; }
  Blocks& blocks() { return blocks_; }
  server::ResourceServer& server() { return state_.server; }
  Instant now() const { return state_.clock.now(); }

  Status sweep() {  // removes expired items
    LADDER_CHECK(state_.items.remove_expired(state_.clock.now()));
    return {};
  }

 private:
  AuthState state_;
  std::unique_ptr<DocumentFetcher> fetcher_;
  Owners owners_{state_.store, state_.sealer, state_.clock};
  PhoneLinks phone_links_{state_.items, owners_, state_.sealer, state_.clock};
  Clients clients_{state_.store, *fetcher_, state_.clock};
  Blocks blocks_{state_};
  Requests requests_{state_, clients_, blocks_};
  Consents consents_{state_, clients_, requests_};
  Tokens tokens_{state_, requests_};
  ClientAccess client_access_{state_, requests_, blocks_};
};

}  // namespace ladder::auth
