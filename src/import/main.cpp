// ladder-extract: the child process of `ladder import` and of the console. It reads foreign formats in a sandbox and
// writes frames to standard output.
//
//   ladder-extract [--as FORMAT] [--manifest FILE] [--separate] -- PATH…     prints the plan, then reads commands from standard
//   input, one per line:
//                                                               declare NUMBER             prints the declaration of a unit's
//                                                               source read NUMBER [POSITION]     POSITION is base64url
//   ladder-extract --formats | --protections                   lists the formats, or the sandbox layers this machine supports
//   ladder-extract --infer FILE                                 proposes a declaration for a table
//   ladder-extract --paint NUMBER                               reads a PDF from standard input and renders that page
//
// The process exits when its input ends. It writes nothing to disk.
#include "import/child/child.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  // Close descriptors inherited from the parent program.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  // Lower the priority: the store's writer is the bottleneck of an import.
  [[maybe_unused]] const int priority = nice(10);
  // Exit without freeing memory. The sandbox blocks the system calls that leak checkers need.
  std::_Exit(ladder::imports::run_child(argc, argv, LADDER_VERSION));
}
