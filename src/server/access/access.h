// An Access: the caller and its grants. Only ResourceServer makes an Access, from a token or for the owner at the machine; every
// operation takes one. It holds immutable facts; whether they still stand is read again with the data (design D16).
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"
#include "crypto/hash.h"
#include "grant/grant.h"
#include "store/rows.h"

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
  // Set when the owner has revoked it here, written or not: every read under way looks at it.
  std::shared_ptr<std::atomic<bool>> refused = std::make_shared<std::atomic<bool>>(false);
};

// The call that an Access is used for, as the ledger notes it.
struct CallFacts {
  std::string door = {};  // rest, mcp, stdio or cli
  std::string name = {};  // the tool, or the route's pattern
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

  // When the call that it is used for arrived: time spent waiting counts. Unless told, a call begins with its work.
  void set_arrived(std::chrono::steady_clock::time_point at) { arrived_ = at; }
  Deadline deadline(int milliseconds) const;

  void set_call(CallFacts call) { call_ = std::move(call); }
  const CallFacts& call() const { return call_; }

 private:
  friend class ResourceServer;
  Access() = default;

  store::OwnerNo owner_ = 0;
  std::string owner_name_;
  bool is_owner_ = false;
  std::string client_id_;
  store::TokenNo token_ = 0;
  std::vector<std::shared_ptr<const HeldGrant>> grants_;
  std::optional<std::chrono::steady_clock::time_point> arrived_;
  CallFacts call_;
};

// Caches for a moment whom a token belongs to: a caller that asks hundreds of times a second is looked up once. A cached entry is
// never proof: every read looks again, with its data, whether token and grant still stand (design D16). Bounded; safe from any
// thread.

// The owner of a token: that never changes, whether the token is still valid is another question.
struct KnownCaller {
  store::OwnerNo owner = 0;
  std::string client_id;
  bool is_owner = false;
};

class AccessCache {
 public:
  std::optional<Access> find(const crypto::Digest& token_hash, Instant now);
  // Until a moment from now, or until the token or one of its grants ends.
  void keep(const crypto::Digest& token_hash, const Access& access, Instant now, std::optional<Instant> ends_at);
  void forget_all();  // something was revoked
  // Recalls whose token it was when it was looked up last, for sharing out work.
  std::optional<KnownCaller> recall(const crypto::Digest& token_hash) const;

 private:
  static constexpr std::size_t kMax = 4096;    // tokens in use at a time; past it all are forgotten and looked up anew
  static constexpr Instant kMoment = kSecond;  // so long a grant that was revoked may still be listed among others of its token

  struct Kept {
    Access access;
    Instant until = 0;
  };
  mutable Mutex mutex_;
  std::map<crypto::Digest, Kept> kept_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
