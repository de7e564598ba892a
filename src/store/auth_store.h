// The rows of sign-in and authorization: sessions, one-time links, clients, requests, codes, refresh families. The store does not
// look into them: an item is a text of its writer's making under a kind and a key, with an owner, an expiry and a version. Items
// change by compare-and-swap, several of them together with grants and tokens in one transaction, so that any process of several
// goes on where another stopped (design D17). Errors are those of store.h.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store {

struct AuthItem {
  std::string kind;   // "session", "client", …
  std::string key;    // unique within its kind; bytes, so that a digest may be one
  OwnerNo owner = 0;  // 0: nobody's
  std::string body;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::int64_t version = 0;  // 1 when it was added, and one more with every change
};

// A token and the grants it is bound to, by their ids; each is the owner's and exists already or is added by the same change.
struct BoundToken {
  Digest hash{};
  std::string client_id;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::vector<std::string> grant_ids;
};

// A grant that ends, and the one that takes its place: every client token bound to the first is bound to the second as well, and
// where the token was to end with the first, it ends with the second.
struct ReplacedGrant {
  std::string from;
  std::string to;  // exists already or is added by the same change; empty: nothing takes its place
};

// Everything in one transaction, or nothing of it.
struct AuthChange {
  std::vector<AuthItem> puts = {};  // version 0: a new item; else it replaces the item of that version
  std::vector<std::pair<std::string, std::string>> removes = {};  // by kind and key; fine when they are not there
  OwnerNo owner = 0;                                              // of the grants and tokens below
  std::vector<NewGrant> grants = {};                              // without a token
  std::vector<BoundToken> tokens = {};
  std::vector<ReplacedGrant> replaced = {};  // kConflict for one that does not stand any more
  std::vector<Digest> revoked_tokens = {};   // client tokens, by their hash; once, the first time stands
  // Client tokens of the owner that are bound to one of these grants. A refresh family ends this way: its access tokens are
  // exactly the tokens bound to its grants.
  std::vector<std::string> revoked_bindings = {};
  bool revoke_everything = false;  // every grant and every client token of the owner
  Instant now = 0;                 // of the revocations
};

class AuthStore {
 public:
  virtual ~AuthStore() = default;

  // Also an item that has expired: whoever asks knows what that means.
  virtual Result<std::optional<AuthItem>> find(std::string_view kind, std::string_view key) = 0;
  // Of the owner (0: nobody's items), oldest first.
  virtual Result<std::vector<AuthItem>> list(std::string_view kind, OwnerNo owner) = 0;
  virtual Result<std::int64_t> count(std::string_view kind) = 0;
  // False when an item exists already, or is gone or has another version: nothing was changed. kConflict for a grant or token
  // that exists, kNotFound for an owner that does not.
  virtual Result<bool> apply(const AuthChange& change) = 0;
  // Removes items whose time is over; how many.
  virtual Result<std::int64_t> remove_expired(Instant now) = 0;
};

}  // namespace ladder::store
