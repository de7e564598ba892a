// Window cursors (design D6): where a window goes on, sealed with the store's key. The same read gives the same cursor. A cursor
// is bound to record, field, content and grant; it is never authority, and it is never bound to the access token, since tokens
// rotate.
#pragma once

#include "base/result.h"
#include "crypto/hash.h"
#include "crypto/seal.h"
#include "model/field_path.h"
#include "port/window_cursor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::rs {

// What a cursor must be used with again.
struct CursorBinding {
  std::string bytes;  // a hash of grant, record and field

  static CursorBinding of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                          std::string_view key, const model::FieldPath& path);
};

using port::Direction;
using port::WindowCursor;

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

// Whether the cursor looks for a further match, which may read the whole field; false for what is no cursor.
bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed);

}  // namespace ladder::rs
