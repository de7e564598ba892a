// Runs work that may crash, hang or exhaust memory as a forked task: a parsing library that is given one hostile file must not
// take the other files with it. The process is a fork of this one, inside the same sandbox, with less time to live.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports {

struct ForkedTaskLimits {
  int cpu_seconds = 60;
  int wall_seconds = 120;        // less than the silence after which the parent process ends everything
  std::size_t answer_bytes = 0;  // what comes after these is not read
};

// Sends a piece of the task's answer. False when nobody listens any more: then the task ends.
using Tell = std::function<bool(std::string_view)>;

struct ForkedTaskAnswer {
  std::string told;        // all that came before the end, whatever the end was
  std::string broken_off;  // why it did not end by itself, as part of a sentence ("the reader crashed (SIGSEGV)"); "" when it did
};

// kInternal when no process can be had.
Result<ForkedTaskAnswer> run_forked_task(const ForkedTaskLimits& limits, const std::function<void(const Tell&)>& work);

}  // namespace ladder::imports
