#include "server/access/owner_quotas.h"

#include "base/text/format.h"
#include "base/text/grouped.h"
#include "server/access/read_scope.h"

namespace ladder::server {
namespace {

constexpr std::int64_t kSecondsPerMinute = 60;

std::unexpected<Error> too_many(std::string message, std::int64_t retry_after) {
  Error error{Code::kRateLimited, std::move(message)};
  error.details().rule = "owner.limit";
  error.details().retry_after_seconds = retry_after;
  return std::unexpected(std::move(error));
}

std::unexpected<Error> too_many_bytes(std::int64_t limit, std::int64_t bytes) {
  return fail(Code::kOwnerLimit,
              format("this owner may store {} bytes and has {}: delete some data, or ask the operator for more", grouped(limit),
                     grouped(bytes)));
}

}  // namespace

RequestTicket::~RequestTicket() {
  if (quotas_ != nullptr) quotas_->end_request(owner_);
}

Status OwnerQuotas::admit_write(store::OwnerNo owner, std::optional<std::int64_t> added_bytes) {
  LADDER_TRY(const auto row, store_.owner(owner));
  if (!row) return fail(Code::kNotFound, "the owner was deleted");
  if (row->suspended_at) return owner_is_suspended();
  if (!added_bytes) return {};
  if (row->limits.records > 0) {
    LADDER_TRY(const std::int64_t records, store_.owner_records(owner));
    if (records >= row->limits.records) {
      return fail(Code::kOwnerLimit,
                  format("this owner may store {} records and has {}: delete some, or ask the operator for more",
                         grouped(row->limits.records), grouped(records)));
    }
  }
  return row->limits.bytes > 0 ? check_bytes(owner, row->limits.bytes, *added_bytes) : Status{};
}

// Bytes are counted before compression until the next count, so that a count is due only near the limit.
Status OwnerQuotas::check_bytes(store::OwnerNo owner, std::int64_t limit, std::int64_t bytes) {
  const Instant now = clock_.now();
  {
    const MutexLock lock(mutex_);
    Known& known = known_[owner];
    if (known.bytes >= 0 && known.bytes + known.added + bytes <= limit) {
      known.added += bytes;
      return {};
    }
    if (known.bytes >= limit && now - known.counted_at < kMeasureEvery) {
      return too_many_bytes(limit, known.bytes);
    }
  }
  LADDER_TRY(const store::OwnerUsage usage, store_.owner_usage(owner));
  const MutexLock lock(mutex_);
  Known& known = known_[owner];
  known.bytes = usage.bytes;
  known.counted_at = now;
  known.added = bytes;
  if (usage.bytes < limit) return {};
  return too_many_bytes(limit, usage.bytes);
}

Result<store::OwnerLimits> OwnerQuotas::request_limits(store::OwnerNo owner) {
  const Instant now = clock_.now();
  {
    const MutexLock lock(mutex_);
    if (const auto known = known_.find(owner); known != known_.end() && known->second.read_at > 0 &&
                                               now >= known->second.read_at && now - known->second.read_at < kLimitsLife) {
      return known->second.limits;
    }
  }
  LADDER_TRY(const auto row, store_.owner(owner));
  const MutexLock lock(mutex_);
  Known& known = known_[owner];
  known.limits = row ? row->limits : store::OwnerLimits{};
  known.read_at = now;
  return known.limits;
}

Result<RequestTicket> OwnerQuotas::admit_request(store::OwnerNo owner) {
  LADDER_TRY(const store::OwnerLimits limits, request_limits(owner));
  const std::int64_t second = floor_div(clock_.now(), kSecond);
  const MutexLock lock(mutex_);
  OwnerLoad& load = known_[owner].load;
  if (const std::int64_t minute = floor_div(second, kSecondsPerMinute); load.minute != minute) {
    load.minute = minute;
    load.requests = 0;
  }
  if (limits.requests_per_minute > 0 && load.requests >= limits.requests_per_minute) {
    return too_many(format("this owner's apps may send {} requests per minute together; the operator sets the limit",
                           grouped(limits.requests_per_minute)),
                    kSecondsPerMinute - second % kSecondsPerMinute);
  }
  if (limits.requests_at_once > 0 && load.at_once >= limits.requests_at_once) {
    return too_many(format("this owner's apps may send {} requests at the same time; the operator sets the limit",
                           grouped(limits.requests_at_once)),
                    1);
  }
  ++load.requests;
  ++load.at_once;
  return RequestTicket(*this, owner);
}

void OwnerQuotas::end_request(store::OwnerNo owner) {
  const MutexLock lock(mutex_);
  --known_[owner].load.at_once;
}

}  // namespace ladder::server
