// What a token stands for, kept for a moment: who asks hundreds of times a second is looked up once. What is kept is never proof:
// every read looks again, with its data, whether token and grant still stand (design D16). Bounded; safe from any thread.
#pragma once

#include "base/mutex.h"
#include "base/time.h"
#include "crypto/hash.h"
#include "rs/access.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace ladder::rs {

// Who a token belongs to: that never changes, whether it still stands is another question.
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
  // Whose token it was when it was looked up last; from memory, for sharing out work.
  std::optional<KnownCaller> recall(const crypto::Digest& token_hash) const;

 private:
  static constexpr std::size_t kMost = 4096;   // tokens in use at a time; past it all are forgotten and looked up anew
  static constexpr Instant kMoment = kSecond;  // so long a grant that was revoked may still be listed among others of its token

  struct Kept {
    Access access;
    Instant until = 0;
  };
  mutable Mutex mutex_;
  std::map<crypto::Digest, Kept> kept_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rs
