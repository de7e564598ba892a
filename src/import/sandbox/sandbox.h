// The sandbox of ladder-extract. It is entered before any input is read and cannot be left.
//
//   limits           memory, open files, CPU time, no files written, no core dumps
//   session          setsid: no controlling terminal
//   file view        user and mount namespace: a root with only the paths to import, read-only, and the libraries' data
//   capabilities     none
//   Landlock         read access beneath the same paths only; no TCP, no signals to processes outside
//   no_new_privs     set-uid programs give no privileges
//   system calls     an allow-list (libseccomp); files can be opened for reading only
//
// Limits, no_new_privs and the allow-list are required. The other layers are used where the kernel supports them; `ladder
// doctor` reports which.
#pragma once

#include "base/error/error.h"
#include "import/wire/messages.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::imports {

struct SandboxRequest {
  std::vector<std::filesystem::path> readable;  // files, and folders with everything in them; absolute, see readable_path()
  bool file_view = true, landlock = true;       // tests disable one layer to test the others
};

// Enters the sandbox and returns the active layers. Returns kInternal if a required layer is unavailable; nothing must be read
// then.
Result<std::vector<wire::Protection>> enter_sandbox(const SandboxRequest& request);

// The sandbox of a program that the owner plugs in (program/program.h). It may run any program of the system and read PATH, but
// sees no home folder, writes nothing, reaches no other process and, without `network`, no network. Its descendants end with it.
struct ProgramSandbox {
  std::filesystem::path program;
  std::vector<std::filesystem::path> readable;
  bool network = false;
};
// Call it in the forked process, before exec; it may return in a child of that process. Returns kInternal if files cannot be
// hidden on this system.
Status enter_program_sandbox(const ProgramSandbox& request);

// Converts a path of the command line to its name inside the sandbox: absolute, with all links resolved except in the last
// component. Unchanged if there is no such file.
std::filesystem::path readable_path(const std::string& given);

// Extends the CPU time limit. Without this the process is killed by SIGXCPU.
void renew_cpu_limit();

}  // namespace ladder::imports
