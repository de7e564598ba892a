// A synced folder of any supported files: `ladder import PATH`, repeated for what changed. An unchanged unit is not read again.
//
// The records of each file are remembered, so that those of a deleted file are removed; never after a run that could not read
// everything, and not without a confirmation if they are many.
#pragma once

#include "app/import/import_run.h"
#include "server/resource_server.h"
#include "sync/synchronizer.h"

#include <stop_token>

namespace ladder::app {

// Returns the report of the run. kNotFound if the folder is missing.
Result<sync::RunReport> import_synced_folder(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner,
                                             const sync::Source& source, const ExtractorProgram& extractor,
                                             const sync::RunOptions& options, const std::stop_token& stop);

}  // namespace ladder::app
