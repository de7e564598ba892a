// Window cursors for servers that do not seal their own (design D6). The adapter seals the offset of the next window or match,
// bound to server, grant, record, field and the known state of the field's content. Cursors sealed by another server are not
// handled here.
#pragma once

#include "api/field_window.h"
#include "api/resource_port.h"
#include "base/error/error.h"
#include "crypto/seal.h"
#include "model/window_selector.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::remote {

// Provides the key. Thread-safe.
class CursorKey {
 public:
  virtual ~CursorKey() = default;
  virtual const crypto::Sealer& sealer() = 0;    // creates the key if needed; only for sealing
  virtual const crypto::Sealer* if_there() = 0;  // null if there is no key; then no cursor can be opened
};

// A key of this process; its cursors are invalid after it ends.
class PassingKey final : public CursorKey {
 public:
  PassingKey();
  const crypto::Sealer& sealer() override { return sealer_; }
  const crypto::Sealer* if_there() override { return &sealer_; }

 private:
  crypto::Sealer sealer_;
};

class WindowCursors {
 public:
  WindowCursors(CursorKey& key, std::string server, std::string grant_id);

  // Opens a cursor that was created here, else returns nullopt. Returns kCursorMismatch if it is for another record, field or
  // grant.
  Result<std::optional<api::UnpackedCursor>> open(const api::FieldWindowRequest& request) const;
  // Reports whether the field is unchanged, as far as the server shows it: by its digest, else its size.
  static bool same_content(const api::UnpackedCursor& cursor, const api::FieldWindow& window);
  // Adds cursors for the text before and after the window.
  void seal(api::FieldWindow& window, const api::FieldWindowRequest& request) const;
  // Adds the cursor for the first match of `query` at or after `from_chars`.
  void seal_match(api::FieldWindow& window, const api::FieldWindowRequest& request, const model::WindowSelector& query,
                  std::int64_t from_chars) const;

 private:
  std::string sealed(const api::FieldWindow& window, const api::FieldWindowRequest& request,
                     const api::WindowCursor& cursor) const;
  std::string place_of(const api::FieldWindowRequest& request) const;

  CursorKey& key_;
  std::string server_, grant_id_;
};

}  // namespace ladder::remote
