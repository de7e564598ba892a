// Window cursors (design D6): the position after a window, sealed with the store's key. The same read returns the
// same cursor. A cursor is bound to the record, field, content and grant. It grants no access, and it is not bound to
// the access token because tokens rotate.
#pragma once

#include "api/field_window.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "crypto/hash.h"
#include "crypto/seal.h"
#include "model/field_path.h"
#include "store/long_values/long_value.h"
#include "store/rows/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::server {

// The request that a cursor is valid for.
struct CursorBinding {
  std::string bytes;  // a hash of grant, record and field

  static CursorBinding of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                          std::string_view key, const model::FieldPath& path);
};

using api::Direction;
using api::WindowCursor;

std::string seal(const crypto::Sealer& sealer, const CursorBinding& binding, const crypto::Digest& field_digest,
                 const WindowCursor& cursor);

// An opened cursor that matches its binding. Call same_content() once the field's digest is known.
struct OpenedCursor {
  WindowCursor cursor;
  bool same_content(const crypto::Digest& field_digest) const;

  std::string digest_prefix;
};

// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<OpenedCursor> open_cursor(const crypto::Sealer& sealer, const CursorBinding& binding, std::string_view sealed);

// Returns true if the cursor searches for another match, which may read the whole field; false for an invalid cursor.
bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed);

// Remembers where the long text of a field was found last. A remote store can then fetch the window's chunks together
// with the record. The record is authoritative, so a wrong hint only costs a few chunks. Hints are kept per grant, so
// that timing reveals nothing about other clients' reads. Bounded and thread-safe.
class WindowHints {
 public:
  static constexpr std::size_t kMax = 4096;  // fields being read; when full, the map is cleared

  // Identifies one field of one record under one grant (0: the owner's).
  static std::string key(store::GrantNo grant, store::StreamNo stream, std::string_view record_key, std::string_view field_path);

  std::optional<store::LongRef> find(const std::string& key) const;
  void keep(const std::string& key, const store::LongRef& ref);

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, store::LongRef> known_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
