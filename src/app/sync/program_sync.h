// A program of the owner that runs on a schedule: `ladder import --with PROGRAM PATH`, continued at the position that it reached.
//
// The program names the records that its source has deleted, or says at the end that it sent every record, so that the others are
// gone. They are removed under the rules of removals.h: never after a run that lost something, and not without a confirmation if
// they are many.
#pragma once

#include "app/import/import_run.h"
#include "server/resource_server.h"
#include "sync/synchronizer.h"

#include <functional>
#include <stop_token>

namespace ladder::app {

struct ProgramSync {
  ExtractorProgram extractor;
  bool has_records = false;  // an earlier run filled the connection
  UnitAccount account;       // the report of earlier runs
  std::function<Status(const UnitAccount& account)> keep;
};

// Returns the report of the run. kInvalidRequest if the program or its path is missing, or the program fails.
Result<sync::RunReport> run_synced_program(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner,
                                           const sync::Source& source, ProgramSync settings, const sync::RunOptions& options,
                                           const std::stop_token& stop);

}  // namespace ladder::app
