// A program that the owner plugs in with --with: it reads a path in a sandbox of its own and writes JSON lines, which become
// records, blobs, losses and positions as those of a built-in format do. docs/inside/importers.md describes the lines.
#pragma once

#include "base/error/error.h"
#include "import/formats/format.h"

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ladder::imports {

// The running program. Its output is not trusted.
struct RunningProgram {
  std::string name;  // its file name
  std::string path;  // what it reads
  int input = -1, output = -1;
  pid_t process = -1;
};

// Starts it in its sandbox. Call it before this process enters its own. Returns kInvalidRequest if there is no such program.
Result<RunningProgram> start_program(const std::filesystem::path& program, const std::filesystem::path& path, bool network);

// A format that takes every file of the tree as one unit and can read it once.
std::unique_ptr<Format> program_format(RunningProgram program);

}  // namespace ladder::imports
