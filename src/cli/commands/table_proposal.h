// Proposes a declaration for a table that is imported without one, and asks on the terminal whether to use it.
#pragma once

#include "app/stop_signal.h"
#include "base/error/error.h"
#include "cli/invocation/command.h"

#include <optional>
#include <string>

namespace ladder::cli {

// Reports whether the file may be a table and the user can be asked.
bool can_propose_table(const Context& context, const std::string& path);

// Returns the file of the declaration: the one that was used before for a table of this name, or a new one that the user has
// accepted. nullopt if the file is not a table or the user declined.
Result<std::optional<std::string>> propose_table(const Context& context, const std::string& path,
                                                 const std::optional<std::string>& encoding, const app::Stop& stop);

}  // namespace ladder::cli
