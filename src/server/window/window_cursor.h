// Window cursors (design D6): where a window goes on, sealed with the store's key. The same read gives the same cursor. A cursor
// is bound to record, field, content and grant; it is never authority, and it is never bound to the access token, since tokens
// rotate.
#pragma once

#include "api/field_window.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "crypto/hash.h"
#include "crypto/seal.h"
#include "model/field_path.h"
#include "store/long_values/long_value.h"
#include "store/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::server {

// The request that a cursor must be used with again.
struct CursorBinding {
  std::string bytes;  // a hash of grant, record and field

  static CursorBinding of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                          std::string_view key, const model::FieldPath& path);
};

using api::Direction;
using api::WindowCursor;

std::string seal(const crypto::Sealer& sealer, const CursorBinding& binding, const crypto::Digest& field_digest,
                 const WindowCursor& cursor);

// An opened cursor that matches its binding. Whether the field is still the same is asked separately, once its digest is known.
struct OpenedCursor {
  WindowCursor cursor;
  bool same_content(const crypto::Digest& field_digest) const;

  std::string digest_prefix;
};

// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<OpenedCursor> open_cursor(const crypto::Sealer& sealer, const CursorBinding& binding, std::string_view sealed);

// Says whether the cursor looks for a further match, which may read the whole field; false for what is no cursor.
bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed);

// Remembers where the long text of a field was found last. A store behind a round trip is told before it is asked for the record,
// and sends the window's chunks along; what the record then says decides, so a hint that is wrong costs a few chunks and nothing
// else. Kept by grant, so that nobody's reads make anybody else's quicker. Bounded; safe from any thread.
class WindowHints {
 public:
  static constexpr std::size_t kMax = 4096;  // fields that are being read at a time; past it all are forgotten and found anew

  // One field of one record under one grant (0: the owner's).
  static std::string key(store::GrantNo grant, store::StreamNo stream, std::string_view record_key, std::string_view field_path);

  std::optional<store::LongRef> find(const std::string& key) const;
  void keep(const std::string& key, const store::LongRef& ref);

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, store::LongRef> known_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
