// The declarations that come with Ladder (those of ladder-extract's formats), brought up to date in the store. A declaration of
// an older Ladder required more than its key, and a grant has what its declaration requires, whatever it names.
#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/session.h"
#include "cli/stop_signal.h"

namespace ladder::cli {

// Replaces what is out of date and says so on standard error; free of cost where there is nothing to do. kNotSetUp when
// ladder-extract cannot be asked.
Status renew_shipped_sources(Context& context, Session& session, const rs::Access& owner, const StopSignal& stop);

}  // namespace ladder::cli
