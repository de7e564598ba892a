// The state that the roles of the authorization server share. AuthorizationServer owns it; a role holds a reference.
#pragma once

#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/resource_server.h"
#include "store/auth_store.h"
#include "store/store.h"

#include <vector>

namespace ladder::auth {

struct AuthState {
  AuthState(server::ResourceServer& with_server, store::Store& with_store, const Clock& with_clock)
      : server(with_server), store(with_store), items(store.auth()), clock(with_clock), sealer([this] {
          std::vector<crypto::SealKey> keys;
          for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
          return keys;
        }()) {}

  server::ResourceServer& server;
  store::Store& store;
  store::AuthStore& items;
  const Clock& clock;
  const crypto::Sealer sealer;
};

}  // namespace ladder::auth
