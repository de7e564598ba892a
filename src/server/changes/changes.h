// The two sealed texts of a changes session: the token between sessions, and the cursor between pages of one. Both hold log
// positions, so they are sealed with a random nonce and padded to a fixed length (design D6).
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "grant/grant.h"
#include "store/rows.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ladder::server {

using VersionsByStream = std::map<store::StreamNo, std::int64_t>;

// Up to where everything is known.
struct ChangesToken {
  Instant made_at = 0;
  VersionsByStream known;
};

// The position of a session: in which stream, after which version.
struct ChangesCursor {
  ChangesToken since;
  ChangesToken horizon;
  store::StreamNo stream = 0;
  std::int64_t after = 0;
};

// kInvalidArgument when so many connections take part that no cursor holds them.
Result<std::string> seal_token(const crypto::Sealer& sealer, std::string_view binding, const ChangesToken& token);
Result<std::string> seal_cursor(const crypto::Sealer& sealer, std::string_view binding, const ChangesCursor& cursor);
// kInvalidCursor, kCursorExpired (retired key), kCursorMismatch.
Result<ChangesToken> open_token(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);
Result<ChangesCursor> open_cursor(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);
bool is_changes_cursor(const crypto::Sealer& sealer, std::string_view sealed);

// Reads the changes of a stream since a token was given out (design D20): one entry per record whose granted fields changed, the
// live values, tombstones for what is gone. A session of pages looks up to the horizon that its first page saw.

// Says whether a record that is gone was one that the grant shows; null for the owner, who sees all.
bool was_visible(const grant::StreamGrant* granted, const store::ChangeRow& gone);

// changes_since, or the cursor of a changes session.
bool asks_for_changes(const crypto::Sealer& sealer, const api::RecordsRequest& request);

}  // namespace ladder::server
