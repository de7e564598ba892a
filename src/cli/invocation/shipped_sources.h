// Updates the declarations that ship with Ladder, for commands: progress is written to standard error.
#pragma once

#include "app/import/shipped_sources.h"
#include "cli/invocation/session.h"

namespace ladder::cli {

// See app/import/shipped_sources.h.
Status renew_shipped_sources(Context& context, Session& session, const server::Access& owner, const app::Stop& stop);
Status finish_indexes(Session& session, const server::Access& owner, Console& console);

}  // namespace ladder::cli
