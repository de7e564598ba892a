// How an owner gets in: one-time links, passphrases, passkeys, sessions. Everything is kept in the store under hashes, so that
// any process goes on where another stopped, and whoever reads the store learns no secret.
#pragma once

#include "auth/passkeys.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/resource_server.h"
#include "store/auth_store.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kLinkLife = 15 * 60 * kSecond;
inline constexpr Instant kSessionIdle = 12 * 3600 * kSecond;
inline constexpr Instant kSessionLife = 30 * kDay;
inline constexpr Instant kConfirmedFor = 15 * 60 * kSecond;  // how long who has signed in need not say again that it is he
inline constexpr std::size_t kMaxNameBytes = 255;

// The browser of a request, as the request tells it.
struct Visitor {
  std::string address;  // of the peer
  std::string agent;    // its User-Agent, cut
};

struct Session {
  std::string id;  // names it in lists; says nothing about the cookie
  store::OwnerNo owner = 0;
  std::string owner_name;
  Instant created_at = 0, seen_at = 0, confirmed_at = 0;
  Visitor visitor;
  std::string form_token;  // what every form of this session carries
};

struct SignedIn {
  std::string cookie;  // shown once
  Session session;
};

struct Passkey {
  std::string id;    // the credential's, base64url
  std::string spki;  // the public key, DER
  std::int64_t algorithm = 0;
  std::int64_t counter = 0;
  Instant created_at = 0;
  std::string label;
};

struct Credentials {
  std::string passphrase_hash;
  std::vector<Passkey> passkeys;
  std::int64_t version = 0;  // of the stored item; 0: there is none yet
  bool any() const { return !passphrase_hash.empty() || !passkeys.empty(); }
};

class Owners {
 public:
  Owners(store::Store& store, const crypto::Sealer& sealer, const Clock& clock)
      : store_(store), items_(store.auth()), sealer_(sealer), clock_(clock) {}

  // A link that lets its holder in once, within kLinkLife. For whoever can open the store.
  Result<std::string> make_link(const server::Access& owner);
  // Names the owner whose link it is, without using it up; kAuthentication when it does not stand.
  Result<std::string> link_owner(std::string_view token);
  // Uses the link up and sets the passphrase, if one is given, in one transaction: of several browsers that use a link at once
  // one signs in and sets its passphrase, and the others get kAuthentication and change nothing.
  Result<SignedIn> use_link(std::string_view token, std::string_view new_passphrase, const Visitor& visitor);
  // The same with a new passkey. The link stays good when the passkey is refused.
  Result<SignedIn> use_link(std::string_view token, const Ceremony& ceremony, std::string_view origin, const Visitor& visitor);

  // kAuthentication for a wrong name or passphrase, in the same words and about the same time; kRateLimited with
  // retry_after_seconds after several failures of that name or address, whatever the passphrase.
  Result<SignedIn> sign_in(std::string_view name, std::string_view passphrase, const Visitor& visitor);
  // The same for an owner who showed a passkey (passkeys.h).
  Result<SignedIn> sign_in_as(store::OwnerNo owner, std::string_view name, const Visitor& visitor);
  Result<bool> is_throttled(std::string_view name, const Visitor& visitor, std::int64_t& retry_after);
  Status note_failure(std::string_view name, const Visitor& visitor);

  // The session of a cookie, noted as seen; nothing when there is none or its time is over.
  Result<std::optional<Session>> find_session(std::string_view cookie);
  Result<std::vector<Session>> sessions(const server::Access& owner);
  Result<bool> end_session(const server::Access& owner, std::string_view id);  // false: there is none
  Result<std::int64_t> end_all_sessions(const server::Access& owner);
  Status sign_out(std::string_view cookie);

  Status set_passphrase(const server::Access& owner, std::string_view passphrase);  // kInvalidRequest when it is too short
  Result<Credentials> credentials(std::string_view owner_name);
  // kConflict when they were changed since they were read.
  Status keep_credentials(store::OwnerNo owner, std::string_view name, const Credentials& credentials);

  // Passkeys: a challenge of the store's own making, good for ten minutes and one use; kAuthentication with the reason.
  std::string passkey_challenge() const;
  Status add_passkey(const server::Access& owner, const Ceremony& ceremony, std::string_view origin);
  Result<SignedIn> sign_in_with_passkey(const Ceremony& ceremony, std::string_view origin, const Visitor& visitor);
  Result<bool> remove_passkey(const server::Access& owner, std::string_view credential_id);  // false: there is none

  // The token of forms that are sent before anybody has signed in.
  std::string visitor_form_token() const { return form_token("visitor"); }

 private:
  Result<SignedIn> open_session(store::OwnerNo owner, std::string_view name, const Visitor& visitor, store::AuthChange change);
  std::string form_token(std::string_view of) const;
  // Adds the credential to a change; called again when the owner's credentials changed meanwhile.
  using CredentialChange = std::function<Status(store::OwnerNo owner, const std::string& name, store::AuthChange& change)>;
  Result<SignedIn> spend_link(std::string_view token, const Visitor& visitor, const CredentialChange& set);
  store::AuthItem credentials_item(store::OwnerNo owner, std::string_view name, const Credentials& credentials) const;
  // Adds the new passkey, its challenge and the owner's credentials to the change. kAuthentication when the passkey is refused.
  Status put_passkey(store::OwnerNo owner, const std::string& name, const Ceremony& ceremony, std::string_view origin,
                     store::AuthChange& change);
  Result<store::AuthItem> challenge_item(std::string_view challenge) const;
  Session session_of(const store::AuthItem& item) const;

  store::Store& store_;
  store::AuthStore& items_;
  const crypto::Sealer& sealer_;
  const Clock& clock_;
};

// kInvalidRequest for a passphrase that is too short or too easy to guess, with the reason.
Status check_passphrase(std::string_view passphrase);
// The same for one that was typed twice into a form.
Status check_passphrase(std::string_view passphrase, std::string_view typed_again);

}  // namespace ladder::auth
