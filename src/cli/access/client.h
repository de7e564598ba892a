// Clients that the owner types in, for hosts that neither register nor can be looked up.
#pragma once

#include "cli/app/command.h"

#include <memory>

namespace ladder::cli {

std::unique_ptr<Command> make_client_add();

}  // namespace ladder::cli
