// Reads windows of field values under an Access. Thread-safe.
#pragma once

#include "api/field_window.h"
#include "api/resource_port.h"
#include "base/error/error.h"
#include "server/shared/shared_state.h"
#include "server/window/window_cursor.h"

#include <stop_token>

namespace ladder::server {

class FieldWindows {
 public:
  explicit FieldWindows(SharedState& shared) : shared_(shared) {}

  Result<api::FieldWindow> read(const Access& access, const api::FieldWindowRequest& request, std::stop_token stop = {});
  // Returns true if finding the window may be slow: a search, or a cursor that continues one.
  bool may_search(const model::WindowArguments& window) const;

 private:
  SharedState& shared_;
  WindowHints hints_;
};

}  // namespace ladder::server
