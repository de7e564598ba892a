// ladder-extract: the child process of `ladder import` and of the console. Reads outside formats inside a sandbox and writes
// frames to standard output.
//
//   ladder-extract [--as FORMAT] [--manifest FILE] [--separate] -- PATH…     prints the plan, then takes orders on standard
//   input, a line each:
//                                                               declare NUMBER             the declaration of a unit's source
//                                                               read NUMBER [POSITION]     POSITION is base64url
//   ladder-extract --formats | --protections                   lists the formats, or what the sandbox gives on this machine
//   ladder-extract --infer FILE                                 proposes a declaration for a table
//   ladder-extract --paint NUMBER                               takes a PDF on standard input and paints that page of it
//
// It ends when its input does, and writes nothing to disk.
#include "import/child/child.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  // Descriptors that the starting program left open are closed.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  // The store is what an import waits for: whoever reads for it steps back.
  [[maybe_unused]] const int priority = nice(10);
  // Leaves at once: what is not freed needs no freeing, and the sandbox forbids what leak checkers do.
  std::_Exit(ladder::imports::run_child(argc, argv, LADDER_VERSION));
}
