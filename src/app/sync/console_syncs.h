// Provides the console with the state of the synced sources.
#pragma once

#include "console/synced_sources.h"
#include "sync/sync_store.h"

#include <vector>

namespace ladder::app {

class ConsoleSyncs final : public console::SyncedSources {
 public:
  explicit ConsoleSyncs(sync::SyncStore& store) : store_(store) {}
  Result<std::vector<console::SyncedSource>> list(const server::Access& owner) override;

 private:
  sync::SyncStore& store_;
};

}  // namespace ladder::app
