// Commands that Ladder prints repeat --db and --owner when those came as flags, so that they work as they stand; only a password
// inside a postgres:// address is left out.
#include "cli/context.h"

#include "cli/shell_word.h"

namespace ladder::cli {

std::string Context::place_flags() const {
  std::string flags;
  if (settings.db_by_flag) flags += " --db " + shell_word(shown_location(settings.location));
  if (settings.owner_by_flag) flags += " --owner " + shell_word(settings.owner);
  return flags;
}

}  // namespace ladder::cli
