// Suggestions on a mistyped name: of a connection, a stream, a field, a source, or a word from a fixed set.
#pragma once

#include "cli/context.h"

#include <string>
#include <vector>

namespace ladder::cli {

// For a command line that failed: "mail-gmail" for the one name in it that is not there and nearly is; empty when every name is
// there or none is near. Looks into the store as its owner, so it answers nothing for a command line that reads as a client.
std::string did_you_mean(const std::vector<std::string>& words, const Context& context);

}  // namespace ladder::cli
