// The layers that sandbox.cpp combines. They are independent: if the system lacks one, the others still apply.
#pragma once

#include "base/error/error.h"

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

// clang and g++ define different macros for sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LADDER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LADDER_SANITIZED 1
#endif
#endif

namespace ladder::imports {

using Paths = std::vector<std::filesystem::path>;

// Describes a layer's protection on this machine, as part of a sentence; the error says why it is unavailable.
using Layer = std::expected<std::string, std::string>;

// Existing files that libraries read at run time: charsets, time zones, CJK font tables.
Paths system_data();

// Enters a mount namespace whose root contains only `readable`, read-only. An error leaves the file system unchanged.
Layer enter_file_view(const Paths& readable);

// Landlock: only files beneath `readable` can be opened, for reading only, whatever their path. `executable`: they can also be
// run, and the devices among them written. `network`: TCP connections can be made.
Layer restrict_files(const Paths& readable, bool executable = false, bool network = false);

// Drops all capabilities. As root without a user namespace it keeps the one for reading files.
Layer drop_capabilities();

// Installs the allow-list of system calls; every other call fails with EPERM. Returns kInternal if the system has no seccomp.
Status allow_system_calls();

// Installs the list of system calls that a program of the owner may not make: those for other processes, for shared memory of
// the system, for new namespaces and for the kernel itself; without `network`, also every socket. `own_processes`: the program
// can name no process but its own, see separate_processes().
Status deny_system_calls(bool network, bool own_processes);

// Gives the processes that are started from now on ids and shared memory of their own. False if the system does not allow it.
bool separate_processes();

// After separate_processes(): returns in a new process, and ends all its descendants when it ends. The calling process waits for
// it and ends with its exit code.
Status enter_process_view();

}  // namespace ladder::imports
