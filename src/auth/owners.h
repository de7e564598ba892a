// Owner sign-in: one-time links, passphrases, passkeys and sessions. Secrets are stored only as hashes, so any
// process can continue a sign-in, and the store reveals no secret.
#pragma once

#include "auth/passkeys.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "store/auth_store.h"
#include "store/store.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kLinkLife = 15 * 60 * kSecond;
inline constexpr Instant kSessionIdle = 12 * 3600 * kSecond;
inline constexpr Instant kSessionLife = 30 * kDay;
inline constexpr Instant kConfirmationLife = 15 * 60 * kSecond;  // how long after sign-in no confirmation is needed
inline constexpr std::size_t kMaxNameBytes = 255;

// The browser that sent a request.
struct Visitor {
  std::string address;  // address of the peer
  std::string agent;    // User-Agent, truncated
};

struct Session {
  std::string id;  // names the session in lists; reveals nothing about the cookie
  store::OwnerNo owner = 0;
  std::string owner_name;
  Instant created_at = 0, seen_at = 0, confirmed_at = 0;
  Visitor visitor;
  std::string form_token;  // included in every form of this session
};

struct SignInResult {
  std::string cookie;  // shown once
  Session session;
};

struct Passkey {
  std::string id;    // the credential id in base64url
  std::string spki;  // the public key in DER
  std::int64_t algorithm = 0;
  std::int64_t counter = 0;
  Instant created_at = 0;
  std::string label;
};

struct Credentials {
  std::string passphrase_hash;
  std::vector<Passkey> passkeys;
  std::int64_t version = 0;  // of the stored item; 0: none yet
  bool any() const { return !passphrase_hash.empty() || !passkeys.empty(); }
};

class Owners {
 public:
  Owners(store::Store& store, const crypto::Sealer& sealer, const Clock& clock)
      : store_(store), items_(store.auth()), sealer_(sealer), clock_(clock) {}

  // Creates a one-time sign-in link that is valid for kLinkLife. Requires access to the store.
  Result<std::string> make_link(const server::Access& owner);
  // Returns the owner of a link without using it up; kAuthentication if it is invalid.
  Result<std::string> link_owner(std::string_view token);
  // Uses the link up and sets the passphrase, if given, in one transaction. If several browsers use a link
  // concurrently, one of them succeeds and the others get kAuthentication without any change.
  Result<SignInResult> use_link(std::string_view token, std::string_view new_passphrase, const Visitor& visitor);
  // Like the function above, with a new passkey. The link stays valid if the passkey is rejected.
  Result<SignInResult> use_link(std::string_view token, const Ceremony& ceremony, std::string_view origin,
                                const Visitor& visitor);

  // Returns kAuthentication for a wrong name or passphrase, with the same text and timing; kRateLimited with
  // retry_after_seconds after several failures of that name or address, even for a correct passphrase.
  Result<SignInResult> sign_in(std::string_view name, std::string_view passphrase, const Visitor& visitor);
  // Like the function above, for an owner who presented a passkey (passkeys.h).
  Result<SignInResult> sign_in_as(store::OwnerNo owner, std::string_view name, const Visitor& visitor);
  Result<bool> is_throttled(std::string_view name, const Visitor& visitor, std::int64_t& retry_after);
  Status note_failure(std::string_view name, const Visitor& visitor);

  // Returns the session of a cookie and updates its last use; nullopt if it is unknown or expired.
  Result<std::optional<Session>> find_session(std::string_view cookie);
  Result<std::vector<Session>> sessions(const server::Access& owner);
  Result<bool> has_session(store::OwnerNo owner, std::string_view id);
  Result<bool> end_session(const server::Access& owner, std::string_view id);  // false: there is none
  Result<std::int64_t> end_all_sessions(const server::Access& owner);
  Status sign_out(std::string_view cookie);

  Status set_passphrase(const server::Access& owner, std::string_view passphrase);  // kInvalidRequest if it is too short
  Result<Credentials> credentials(std::string_view owner_name);
  // Returns kConflict if the credentials have changed since they were read.
  Status keep_credentials(store::OwnerNo owner, std::string_view name, const Credentials& credentials);

  // Passkeys: a challenge signed by this store, valid once and for ten minutes; kAuthentication with the reason.
  std::string passkey_challenge() const;
  Status add_passkey(const server::Access& owner, const Ceremony& ceremony, std::string_view origin);
  Result<SignInResult> sign_in_with_passkey(const Ceremony& ceremony, std::string_view origin, const Visitor& visitor);
  Result<bool> remove_passkey(const server::Access& owner, std::string_view credential_id);  // false: there is none

  // The token of forms that are sent before sign-in.
  std::string visitor_form_token() const { return form_token("visitor"); }

 private:
  Result<SignInResult> open_session(store::OwnerNo owner, std::string_view name, const Visitor& visitor,
                                    store::AuthChange change);
  std::string form_token(std::string_view of) const;
  // Adds the credential to a change; called again if the owner's credentials changed meanwhile.
  using CredentialChange = std::function<Status(store::OwnerNo owner, const std::string& name, store::AuthChange& change)>;
  Result<SignInResult> consume_link(std::string_view token, const Visitor& visitor, const CredentialChange& set);
  store::AuthItem credentials_item(store::OwnerNo owner, std::string_view name, const Credentials& credentials) const;
  // Adds the new passkey, its challenge and the owner's credentials to the change. kAuthentication if the passkey is
  // rejected.
  Status put_passkey(store::OwnerNo owner, const std::string& name, const Ceremony& ceremony, std::string_view origin,
                     store::AuthChange& change);
  Result<store::AuthItem> challenge_item(std::string_view challenge) const;
  Session session_of(const store::AuthItem& item) const;

  store::Store& store_;
  store::AuthStore& items_;
  const crypto::Sealer& sealer_;
  const Clock& clock_;
};

// Returns kInvalidRequest with the reason if a passphrase is too short or too easy to guess.
Status check_passphrase(std::string_view passphrase);
// Like the function above, for a passphrase typed twice into a form.
Status check_passphrase(std::string_view passphrase, std::string_view typed_again);

}  // namespace ladder::auth
