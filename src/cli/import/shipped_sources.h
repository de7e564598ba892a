// Updates the declarations that ship with Ladder (those of ladder-extract's formats) in the store. Declarations of older
// versions required more than the key, and a grant always includes the required fields, whatever fields it names.
#pragma once

#include "base/error/error.h"
#include "cli/app/session.h"
#include "cli/app/stop_signal.h"
#include "cli/terminal/console.h"

#include <functional>
#include <string>
#include <string_view>

namespace ladder::cli {

using Say = std::function<void(std::string_view line)>;  // receives progress messages

// The program that reads exports, and its required version.
struct ExtractorProgram {
  std::string program, version;
};

// Replaces outdated declarations and reports it on standard error; does nothing if all are current. Returns kNotSetUp if
// ladder-extract cannot be run.
Status renew_shipped_sources(Context& context, Session& session, const server::Access& owner, const Stop& stop);
Status renew_shipped_sources(const ExtractorProgram& place, server::ResourceServer& server, const server::Access& owner,
                             const Say& say, const Stop& stop);

// Builds the indexes that a changed declaration needs, and reports the progress.

// Runs until all indexes are ready. It can be interrupted; the next command or `ladder serve` continues.
Status finish_indexes(Session& session, const server::Access& owner, Console& console);
Status finish_indexes(server::ResourceServer& server, const server::Access& owner, const Say& say);

}  // namespace ladder::cli
