// Bringing records into indexes that a changed declaration asks for, told to whoever waits for it.
#pragma once

#include "base/result.h"
#include "cli/console.h"
#include "cli/session.h"

namespace ladder::cli {

// Until all are ready. May be interrupted: whoever comes next goes on, `ladder serve` too.
Status finish_indexes(Session& session, const rs::Access& owner, Console& console);

}  // namespace ladder::cli
