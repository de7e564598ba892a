// The two sealed values of a changes session: the token between sessions, and the cursor between its pages. Both
// contain log positions, so they are sealed with a random nonce and padded to a fixed length (design D6).
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "grant/grant.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ladder::server {

using VersionsByStream = std::map<store::StreamNo, std::int64_t>;

// The version per stream up to which the client has all changes.
struct ChangesToken {
  Instant made_at = 0;
  VersionsByStream known;
};

// The position within a session: a stream and the last version read.
struct ChangesCursor {
  ChangesToken since;
  ChangesToken horizon;
  store::StreamNo stream = 0;
  std::int64_t after = 0;
};

// Returns kInvalidArgument if there are too many connections to fit into a cursor.
Result<std::string> seal_token(const crypto::Sealer& sealer, std::string_view binding, const ChangesToken& token);
Result<std::string> seal_cursor(const crypto::Sealer& sealer, std::string_view binding, const ChangesCursor& cursor);
// kInvalidCursor, kCursorExpired (retired key), kCursorMismatch.
Result<ChangesToken> open_token(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);
Result<ChangesCursor> open_cursor(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);
bool is_changes_cursor(const crypto::Sealer& sealer, std::string_view sealed);

// Reads the changes of a stream since a token (design D20): one entry per record whose granted fields changed, with
// live values, or a tombstone. A session ends at the horizon seen by its first page.

// Returns true if the grant showed the deleted record; `granted` is null for the owner, who sees all.
bool was_visible(const grant::StreamGrant* granted, const store::ChangeRow& gone);

// Returns true for changes_since, or for the cursor of a changes session.
bool is_changes_request(const crypto::Sealer& sealer, const api::RecordsRequest& request);

}  // namespace ladder::server
