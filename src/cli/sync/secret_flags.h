// The flags that say where the password of a synced source comes from. It is never given on the command line, which other users
// of the machine can read.
#pragma once

#include "cli/invocation/command.h"
#include "sync/source.h"

#include <optional>
#include <string>

namespace ladder::cli {

class SecretFlags {
 public:
  void declare(Arguments& arguments);
  // Fills in the kind of the secret and returns it: from the flag, else asked for on the terminal or read from standard input.
  Result<std::string> read(Console& console, sync::Source& source) const;

 private:
  std::optional<std::string> file_, command_, token_command_;
};

}  // namespace ladder::cli
