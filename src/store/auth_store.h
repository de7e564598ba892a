// Rows for sign-in and authorization: sessions, one-time links, clients, requests, codes, refresh families. The store
// does not interpret them: an item is opaque text with a kind, a key, an owner, an expiry and a version. Items change
// by compare-and-swap. One transaction may change several items together with grants and tokens, so any process can
// continue where another stopped (design D17). Errors are those of store.h.
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
  std::string key;    // unique within its kind; arbitrary bytes, for example a digest
  OwnerNo owner = 0;  // 0: no owner
  std::string body;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::int64_t version = 0;  // 1 when it was added; each change adds one
};

// A token and the ids of its grants. Each grant belongs to the owner and exists already or is added by the same change.
struct BoundToken {
  Digest hash{};
  std::string client_id;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::vector<std::string> grant_ids;
};

// A grant that ends, and its replacement. Every client token bound to `from` is also bound to `to`. A token that would
// have expired with `from` expires with `to`.
struct ReplacedGrant {
  std::string from;
  std::string to;  // exists already or is added by the same change; empty: no replacement
};

// All changes are applied in one transaction, or none of them.
struct AuthChange {
  std::vector<AuthItem> puts = {};  // version 0: a new item; else it replaces the item of that version
  std::vector<std::pair<std::string, std::string>> removes = {};  // by kind and key; missing items are ignored
  OwnerNo owner = 0;                                              // of the grants and tokens below
  std::vector<NewGrant> grants = {};                              // without a token
  std::vector<BoundToken> tokens = {};
  std::vector<ReplacedGrant> replaced = {};  // kConflict if one is no longer active
  std::vector<Digest> revoked_tokens = {};  // client tokens of the owner, by their hash; a second revocation keeps the first time
  // Revokes the owner's client tokens that are bound to one of these grants. This ends a refresh family: its access
  // tokens are exactly the tokens bound to its grants.
  std::vector<std::string> revoked_bindings = {};
  bool revoke_everything = false;  // every grant and every client token of the owner
  Instant now = 0;                 // of the revocations
};

class AuthStore {
 public:
  virtual ~AuthStore() = default;

  // Also returns expired items; the caller checks the expiry.
  virtual Result<std::optional<AuthItem>> find(std::string_view kind, std::string_view key) = 0;
  // The owner's items (0: items without an owner), oldest first.
  virtual Result<std::vector<AuthItem>> list(std::string_view kind, OwnerNo owner) = 0;
  virtual Result<std::int64_t> count(std::string_view kind) = 0;
  // The owners that have items of the kind, in order.
  virtual Result<std::vector<OwnerNo>> owners_with(std::string_view kind) = 0;
  // Returns false, and changes nothing, when an item exists already, is missing or has another version. kConflict for a
  // grant or token that exists, kNotFound for an unknown owner.
  virtual Result<bool> apply(const AuthChange& change) = 0;
  // Removes expired items and returns how many.
  virtual Result<std::int64_t> remove_expired(Instant now) = 0;
};

}  // namespace ladder::store
