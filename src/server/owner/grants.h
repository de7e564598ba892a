// The owner's grants. Every operation returns kPermission for a client's access. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/limits.h"
#include "base/time/time.h"
#include "grant/grant.h"
#include "grant/named_fields.h"
#include "server/access/access.h"
#include "server/owner/grant_plan.h"
#include "server/shared/shared_state.h"
#include "store/auth_store.h"
#include "store/rows/rows.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct GrantTerms {
  std::optional<Instant> expires_at = {};
  bool single_use = false;
  std::string purpose_code = {};  // empty: https://pdpp.dev/purpose/agent_context
  std::string purpose_description = {};
};

// The inherited terms apply to every source that is not in `by_source`.
struct GrantRequest : GrantTerms {
  std::string client_id;
  std::vector<GrantSelection> streams;
  std::map<std::string, GrantTerms> by_source = {};  // keyed by source id
};

struct IssuedGrants {
  std::vector<std::string> grant_ids;  // one per source
  std::string token;                   // shown once; only its hash is kept
};

// Grants as they would be issued: resolved and checked, but not stored. draft_access() reads what they would show.
struct DraftGrants {
  std::vector<grant::Grant> grants;  // one per source
  std::vector<store::NewGrant> rows;
  std::optional<Instant> ends_at;  // expiry of a token bound to all of them
};

// A grant that replaces another.
struct Reissue {
  std::string old_id;
  std::optional<grant::Grant> grant;  // nullopt: the old grant is revoked without a replacement
  store::NewGrant row = {};
};

struct GrantSummary {
  store::GrantRow row;
  grant::Grant grant;
  std::string status;                       // active, expired or revoked
  std::vector<grant::FieldOrigin> origins;  // requested and added fields, one per stream in order; empty for a revocation

  bool is_widened() const;  // a non-key field was added that was not requested
};

class Grants {
 public:
  explicit Grants(SharedState& shared) : shared_(shared) {}

  Result<IssuedGrants> create(const Access& access, const GrantRequest& request);
  Result<std::vector<GrantSummary>> list(const Access& access);
  Result<GrantSummary> find(const Access& access, std::string_view grant_id);  // kNotFound
  // Adds the status and the field origins to rows of this owner.
  Result<std::vector<GrantSummary>> summarize(store::OwnerNo owner, std::vector<store::GrantRow> rows);

  // Resolves the grants that create() would issue now, without storing them.
  Result<DraftGrants> draft(const Access& access, const GrantRequest& request);
  // Returns an Access that reads what a client with these grants would read, through the same code (design D26). It
  // holds no token, and it must not outlive the response it is built for.
  Result<Access> draft_access(const Access& access, const DraftGrants& draft);
  // Returns an Access that reads what this client can read now, through the same code. If two active grants cover the
  // same records, the newer one wins. The Access holds no token, so its reads are not disclosures, and it must not
  // outlive the response it is built for. Without an active grant it reads nothing.
  Result<Access> access_as_client(const Access& access, std::string_view client_id);

  // Builds a changed grant under a new id for reissue(). Returns kInvalidRequest if it is wider than `old` in
  // anything but its expiry.
  Result<Reissue> draft_reissue(const Access& access, const GrantSummary& old, grant::Grant changed);
  // Replaces grants by drafts and applies `along`, in one transaction; existing tokens stay valid. Budgets and
  // today's usage carry over; `chars_a_day` sets a new budget shared by all of them. Returns false if an item of
  // `along` has changed, and kConflict if a grant has ended; nothing is changed then.
  Result<bool> reissue(const Access& access, std::span<const Reissue> drafts, std::optional<std::int64_t> chars_a_day,
                       store::AuthChange along);

  // Revokes a grant. This process refuses it immediately, including reads in progress, and then writes the revocation
  // for other processes. If the write fails within the wait limit (kStoreUnavailable), this process still refuses the
  // grant and write_revocations() retries.
  Result<GrantSummary> revoke(const Access& access, std::string_view grant_id,
                              Deadline wait_limit = Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs)));
  // Revokes every client's access: first in this process's memory, then in the store for all other processes. Returns
  // how many grants were active.
  Result<std::int64_t> revoke_all(const Access& access);
  bool refuses_from_memory(const Access& access, std::string_view grant_id) const;
  bool has_unwritten_revocations() const;
  Status write_revocations();

 private:
  SharedState& shared_;
};

}  // namespace ladder::server
