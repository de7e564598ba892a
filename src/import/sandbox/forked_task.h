// Runs work that may crash, hang or exhaust memory in a forked process, so that one hostile file cannot stop the parser for the
// other files. The process stays in the same sandbox and has a shorter time limit.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports {

struct ForkedTaskLimits {
  int cpu_seconds = 60;
  int wall_seconds = 120;        // less than the silence after which the parent process kills this one
  std::size_t answer_bytes = 0;  // the rest of the answer is not read
};

// Sends a piece of the task's answer. Returns false if the reader is gone; the task must then stop.
using AnswerWriter = std::function<bool(std::string_view)>;

struct ForkedTaskAnswer {
  std::string output;        // everything received, however the task ended
  std::string abort_reason;  // why it was aborted, as part of a sentence ("the reader crashed (SIGSEGV)"); "" if it was not
};

// Returns kInternal if the process cannot be created.
Result<ForkedTaskAnswer> run_forked_task(const ForkedTaskLimits& limits, const std::function<void(const AnswerWriter&)>& work);

}  // namespace ladder::imports
