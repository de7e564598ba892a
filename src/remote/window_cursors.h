// Window cursors for servers that seal none (design D6): the adapter seals where a window goes on and where its next match is
// looked for, bound to server, grant, record, field and what is known of the field's content. A cursor that another server sealed
// is none of ours.
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

// Supplies the key. Thread-safe.
class CursorKey {
 public:
  virtual ~CursorKey() = default;
  virtual const crypto::Sealer& sealer() = 0;    // made if there is none yet: only to seal
  virtual const crypto::Sealer* if_there() = 0;  // null when none was made: then there is nothing to open
};

// A key of this process: its cursors end with it.
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

  // A cursor that was made here, or nullopt. kCursorMismatch when it was made for another record, field or grant.
  Result<std::optional<api::UnpackedCursor>> open(const api::FieldWindowRequest& request) const;
  // Says whether the field is still what it was, as far as the server lets one see: its digest, else its size.
  static bool same_content(const api::UnpackedCursor& cursor, const api::FieldWindow& window);
  // Gives the window its cursors to the text before and after it.
  void seal(api::FieldWindow& window, const api::FieldWindowRequest& request) const;
  // And the one to the first match of `query` at or after `from_chars`.
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
