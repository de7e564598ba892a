// The layers that sandbox.cpp puts together. Each stands by itself: where the system does not grant one, the others hold.
#pragma once

#include "base/error/error.h"

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

// clang and g++ say differently that a sanitizer is compiled in.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LADDER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LADDER_SANITIZED 1
#endif
#endif

namespace ladder::imports {

using Paths = std::vector<std::filesystem::path>;

// Describes a layer's protection on this machine, as part of a sentence; the error says why it cannot be had.
using Layer = std::expected<std::string, std::string>;

// Files that libraries read while they work: charsets, time zones, tables of CJK fonts. Only what is there.
Paths system_data();

// A mount namespace whose root holds `readable`, read-only, and nothing else. An error leaves the file system as it was.
Layer enter_file_view(const Paths& readable);

// Landlock: opening for reading is possible beneath `readable` and nowhere else, whatever the paths are called.
Layer restrict_files(const Paths& readable);

// Gives up all capabilities, but for reading files when the process belongs to root and no user namespace stands between.
Layer drop_capabilities();

// The allow-list of system calls; every other call fails with EPERM. kInternal when the system has no seccomp.
Status allow_system_calls();

}  // namespace ladder::imports
