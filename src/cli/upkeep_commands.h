// The commands that install, configure, watch and back up, as command.h has the others.
#pragma once

#include "cli/command.h"

#include <memory>

namespace ladder::cli {

std::unique_ptr<Command> make_backup();
std::unique_ptr<Command> make_restore();
std::unique_ptr<Command> make_config_show();
std::unique_ptr<Command> make_service_install();
std::unique_ptr<Command> make_service_status();
std::unique_ptr<Command> make_service_remove();
std::unique_ptr<Command> make_health();

}  // namespace ladder::cli
