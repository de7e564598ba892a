// A program run by a test: started, fed, read line by line, killed or waited for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ladder::test_support {

class ChildProcess {
 public:
  struct Options {
    std::string stdin_file = "/dev/null";
    std::vector<std::string> environment;  // NAME=value, added to this process's own
  };

  // Starts it with stdout and stderr in one pipe; throws if that fails.
  ChildProcess(const std::vector<std::string>& arguments, const Options& options);
  explicit ChildProcess(const std::vector<std::string>& arguments) : ChildProcess(arguments, Options{}) {}
  ~ChildProcess();  // kills it if it is still running
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns the next line of its output without the line end; nullopt at the end of output, or if none comes within the
  // limit.
  std::optional<std::string> read_line(std::chrono::milliseconds wait_limit = std::chrono::minutes(5));
  std::string read_all();  // returns the rest of its output
  void kill(int signal);
  int wait();  // returns its exit code, or 128 + the signal that ended it
  pid_t pid() const { return pid_; }

 private:
  bool fill(std::chrono::milliseconds wait_limit);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string buffered_;
  std::optional<int> exit_code_;
};

struct Finished {
  int exit_code = 0;
  std::string output;  // stdout and stderr
};
Finished run(const std::vector<std::string>& arguments, const ChildProcess::Options& options = {});

}  // namespace ladder::test_support
