// Enforces the limits that the operator has set for an owner (store/rows/rows.h), and refuses writes for a suspended one.
// Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ladder::server {

// The requests of an owner that this process serves now, and those of the current minute.
struct OwnerLoad {
  std::int64_t at_once = 0;
  std::int64_t minute = 0;  // since 1970-01-01
  std::int64_t requests = 0;
};

class OwnerQuotas;

// A request that is being served. It counts until the ticket is destroyed.
class RequestTicket {
 public:
  RequestTicket() = default;
  RequestTicket(OwnerQuotas& quotas, store::OwnerNo owner) : quotas_(&quotas), owner_(owner) {}
  ~RequestTicket();
  RequestTicket(RequestTicket&& other) noexcept : quotas_(std::exchange(other.quotas_, nullptr)), owner_(other.owner_) {}
  RequestTicket& operator=(RequestTicket&& other) noexcept {
    std::swap(quotas_, other.quotas_);
    std::swap(owner_, other.owner_);
    return *this;
  }

 private:
  OwnerQuotas* quotas_ = nullptr;
  store::OwnerNo owner_ = 0;
};

class OwnerQuotas {
 public:
  OwnerQuotas(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Checked before each batch of a write: kOwnerSuspended, kNotFound if the owner was deleted, kOwnerLimit if the records or
  // bytes of the owner have reached a limit. The last accepted batch may exceed it. `added_bytes`: nullopt if the batch only
  // deletes.
  Status admit_write(store::OwnerNo owner, std::optional<std::int64_t> added_bytes);
  // kRateLimited with the time after which a retry makes sense. The limits are those of at most kLimitsLife ago.
  Result<RequestTicket> admit_request(store::OwnerNo owner);

 private:
  friend class RequestTicket;

  static constexpr Instant kLimitsLife = kSecond;
  static constexpr Instant kMeasureEvery = 10 * kSecond;  // counting the bytes reads all rows of the owner

  struct Known {
    store::OwnerLimits limits;
    Instant read_at = 0;
    OwnerLoad load;
    std::int64_t bytes = -1;  // as counted last; -1: never
    std::int64_t added = 0;   // since then, before compression
    Instant counted_at = 0;
  };

  Status check_bytes(store::OwnerNo owner, std::int64_t limit, std::int64_t bytes);
  Result<store::OwnerLimits> request_limits(store::OwnerNo owner);
  void end_request(store::OwnerNo owner);

  store::Store& store_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<store::OwnerNo, Known> known_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
