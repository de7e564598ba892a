// The declarations that come with Ladder (those of ladder-extract's formats), brought up to date in the store. A declaration of
// an older Ladder required more than its key, and a grant has what its declaration requires, whatever it names.
#pragma once

#include "base/error/error.h"
#include "cli/app/session.h"
#include "cli/app/stop_signal.h"
#include "cli/terminal/console.h"

#include <functional>
#include <string>
#include <string_view>

namespace ladder::cli {

using Say = std::function<void(std::string_view line)>;  // to whoever waits

// The program that reads exports, and the version that it has to be of.
struct ExtractorPlace {
  std::string program, version;
};

// Replaces what is out of date and says so on standard error; free of cost where there is nothing to do. kNotSetUp when
// ladder-extract cannot be asked.
Status renew_shipped_sources(Context& context, Session& session, const server::Access& owner, const Stop& stop);
Status renew_shipped_sources(const ExtractorPlace& place, server::ResourceServer& server, const server::Access& owner,
                             const Say& say, const Stop& stop);

// Bringing records into indexes that a changed declaration asks for, told to whoever waits for it.

// Until all are ready. May be interrupted: whoever comes next goes on, `ladder serve` too.
Status finish_indexes(Session& session, const server::Access& owner, Console& console);
Status finish_indexes(server::ResourceServer& server, const server::Access& owner, const Say& say);

}  // namespace ladder::cli
