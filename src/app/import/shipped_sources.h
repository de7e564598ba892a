// Updates the declarations that ship with Ladder (those of ladder-extract's formats) in the store. Declarations of older
// versions required more than the key, and a grant always includes the required fields, whatever fields it names.
#pragma once

#include "app/stop_signal.h"
#include "base/error/error.h"
#include "server/import_roles.h"

#include <functional>
#include <string>
#include <string_view>

namespace ladder::app {

using Say = std::function<void(std::string_view line)>;  // receives progress messages

// The program that reads exports, and its required version.
struct ExtractorProgram {
  std::string program, version;
};

// Reports whether Ladder ships the declaration of this source. The commands that create grants update shipped
// declarations; the owner updates all others.
bool is_shipped_source(std::string_view source_id);

// Replaces outdated declarations and reports it to `say`; does nothing if all are current. Returns kNotSetUp if
// ladder-extract cannot be run.
Status renew_shipped_sources(const ExtractorProgram& place, const server::ImportRoles& roles, const server::Access& owner,
                             const Say& say, const Stop& stop);

// Builds the indexes that a changed declaration needs, and reports the progress.

// Runs until all indexes are ready. It can be interrupted; the next command or `ladder serve` continues.
Status finish_indexes(server::Maintenance& maintenance, const server::Access& owner, const Say& say);

}  // namespace ladder::app
