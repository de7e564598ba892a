// Runs a command of the owner that prints a password or an access token, such as `pass show mail`.
#pragma once

#include "base/error/error.h"

#include <stop_token>
#include <string>

namespace ladder::app {

// Returns the first line of its output. kInvalidRequest if it fails, prints nothing, or takes longer than a minute
// or five seconds after its output ended; kCancelled if `stop` is requested, which ends it. Neither its output nor its messages
// are shown, since they may contain the secret.
Result<std::string> run_secret_command(const std::string& command, const std::stop_token& stop);

}  // namespace ladder::app
