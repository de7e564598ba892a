// Opens watches under an Access. Thread-safe.
#pragma once

#include "api/resource_port.h"
#include "server/shared/shared_state.h"
#include "server/watch/watch.h"

#include <memory>

namespace ladder::server {

class Watches {
 public:
  explicit Watches(SharedState& shared) : shared_(shared) {}

  // Watches the caller's data for changes; see watch.h. The watch must not outlive the server.
  std::unique_ptr<api::Watch> open(const Access& access) {
    return std::make_unique<GrantedWatch>(shared_.store, shared_.clock, shared_.catalogs, versions_, access);
  }

 private:
  SharedState& shared_;
  StreamVersions versions_;
};

}  // namespace ladder::server
