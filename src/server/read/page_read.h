// Reads one page of a stream: of its records (record_reads.cpp) or of its changes (changes.cpp).
#pragma once

#include "base/limits.h"
#include "server/read/counting.h"
#include "server/read/list_walk.h"
#include "server/read/projection.h"
#include "server/shared/attempt.h"

namespace ladder::server {

class PageRead {
 public:
  PageRead(SharedState& shared, const Access& access, const api::RecordsRequest& request, std::stop_token stop,
           std::int64_t most_looked_at)
      : shared_(shared),
        access_(access),
        request_(request),
        bounds_{std::move(stop), access.deadline(limits::kScanDeadlineMs), most_looked_at} {}
  virtual ~PageRead() = default;
  PageRead(const PageRead&) = delete;
  PageRead& operator=(const PageRead&) = delete;

  // `operation` names the read in the ledger.
  Result<api::RecordsPage> page(std::string_view operation) {
    return attempt<api::RecordsPage>(
        shared_, access_, [&](const OwnerCatalog& catalog) { return aim(catalog); },
        [&](const OwnerCatalog& catalog) { return hide_damage(access_, read(catalog)); }, [&] { return read_scope_.held.get(); },
        [&](const api::RecordsPage& answer) { return disclose(answer, operation); });
  }

 protected:
  virtual Status aim(const OwnerCatalog& catalog) = 0;
  virtual Result<std::optional<api::RecordsPage>> read(const OwnerCatalog& catalog) = 0;
  std::int64_t page_bytes() const { return std::min(request_.max_bytes.value_or(kMaxPageBytes), kMaxPageBytes); }

  SharedState& shared_;
  const Access& access_;
  const api::RecordsRequest& request_;
  const ScanBounds bounds_;
  ReadScope read_scope_;
  Projection projection_;
};

}  // namespace ladder::server
