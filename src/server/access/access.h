// An Access identifies the caller and its grants. Only Accesses creates one, from a token or for the local
// owner, and every operation takes one. Its contents are immutable; each read checks again that they are still valid
// (design D16).
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"
#include "crypto/hash.h"
#include "grant/grant.h"
#include "store/rows/rows.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ladder::server {

struct HeldGrant {
  store::GrantNo no = 0;
  grant::Grant grant;
  // Set when this process revokes the grant, before it is written; every read in progress checks it.
  std::shared_ptr<std::atomic<bool>> refused = std::make_shared<std::atomic<bool>>(false);
};

// Describes the call that uses an Access, for the ledger.
struct CallInfo {
  std::string transport = {};  // rest, mcp, stdio or cli
  std::string name = {};       // the tool, or the route's pattern
  std::string request_id = {};
};

class Access {
 public:
  store::OwnerNo owner() const { return owner_; }
  const std::string& owner_name() const { return owner_name_; }
  bool is_owner() const { return is_owner_; }
  const std::string& client_id() const { return client_id_; }
  const std::vector<std::shared_ptr<const HeldGrant>>& grants() const { return grants_; }
  store::TokenNo token() const { return token_; }  // 0 for the owner at the machine
  bool ignores_suspension() const { return ignores_suspension_; }

  // The arrival time of the call, so that queueing counts toward the deadline. By default a call starts with its
  // work.
  void set_arrived(std::chrono::steady_clock::time_point at) { arrived_ = at; }
  Deadline deadline(int milliseconds) const;

  void set_call(CallInfo call) { call_ = std::move(call); }
  const CallInfo& call() const { return call_; }

 private:
  friend class Accesses;
  Access() = default;

  store::OwnerNo owner_ = 0;
  std::string owner_name_;
  bool is_owner_ = false;
  bool ignores_suspension_ = false;
  std::string client_id_;
  store::TokenNo token_ = 0;
  std::vector<std::shared_ptr<const HeldGrant>> grants_;
  std::optional<std::chrono::steady_clock::time_point> arrived_;
  CallInfo call_;
};

// Caches briefly which access a token has, so that a busy caller is looked up once. A cached entry is never proof:
// every read checks the token and the grant again (design D16). Bounded and thread-safe.

// The owner of a token. It never changes; whether the token is still valid is checked separately.
struct KnownCaller {
  store::OwnerNo owner = 0;
  std::string client_id;
  bool is_owner = false;
};

class AccessCache {
 public:
  std::optional<Access> find(const crypto::Digest& token_hash, Instant now);
  // Keeps the access for kCacheLife, or until the token or one of its grants expires.
  void keep(const crypto::Digest& token_hash, const Access& access, Instant now, std::optional<Instant> ends_at);
  void forget_all();  // called after a revocation
  // Returns the last known owner of a token, for fair scheduling.
  std::optional<KnownCaller> recall(const crypto::Digest& token_hash) const;

 private:
  static constexpr std::size_t kMax = 4096;       // tokens in use; when full, the cache is cleared
  static constexpr Instant kCacheLife = kSecond;  // how long a revoked grant may still be listed among others of its token

  struct Kept {
    Access access;
    Instant until = 0;
  };
  mutable Mutex mutex_;
  std::map<crypto::Digest, Kept> kept_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
