// The sandbox of ladder-extract, entered before the first byte from outside is read; it cannot be left.
//
//   limits           memory, open files, processor time, no files written, no core dumps
//   session          setsid: no controlling terminal
//   file view        user and mount namespace: a root that holds the paths to be imported, read-only, and the libraries' data
//   capabilities     none
//   Landlock         read access beneath the same paths only; no TCP, no signals to processes outside
//   no_new_privs     no set-uid program gives rights back
//   system calls     an allow-list (libseccomp); files can be opened for reading only
//
// Limits, no_new_privs and the allow-list are required. The others are had where the kernel grants them; `ladder doctor` tells.
#pragma once

#include "base/error/error.h"
#include "import/wire/messages.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::imports {

struct SandboxRequest {
  std::vector<std::filesystem::path> readable;  // folders with all that is in them, and files; absolute, see readable_path()
  bool file_view = true, landlock = true;       // tests switch one off to try what the others refuse
};

// Returns what holds from now on. kInternal when a required layer cannot be had; nothing is read then.
Result<std::vector<imports::wire::Protection>> enter_sandbox(const SandboxRequest& request);

// A path of the command line as it is called inside: absolute, and without links but for a file's own name. As given when
// there is no such file.
std::filesystem::path readable_path(const std::string& given);

// Another so many seconds of processor time from now on; without this the process ends by SIGXCPU.
void renew_cpu_limit();

}  // namespace ladder::imports
