// The real program as a child process: arguments, input, output and exit code. None of the caller's settings reach it:
// HOME is a scratch folder, and LADDER_* and XDG_* variables are only those a test sets.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <boost/json/value.hpp>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::e2e {

struct Outcome {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out, err;

  boost::json::value json() const;  // parses `out`; fails the test and returns null if it is not one JSON value
  std::string error_code() const;   // the code in {"error":{"code":…}}; empty if there is none
  std::string summary() const;      // all output, for failure messages
};

struct Surroundings {
  std::map<std::string, std::string> environment;
  std::string program = LADDER_BINARY;
  std::filesystem::path folder;           // the working directory and HOME
  std::optional<rlim_t> file_size_limit;  // RLIMIT_FSIZE: simulates a full disk
  bool unprivileged = false;              // runs as nobody if the test runs as root
};

// A running program. A thread collects its output all the time, so it never blocks on a full pipe.
class Process {
 public:
  Process(const Surroundings& surroundings, const std::vector<std::string>& words);
  ~Process();  // kills it if it is still running
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(std::string_view text);  // writes to its standard input; blocks while the pipe is full
  void close_input();
  void signal(int number) const;
  bool has_ended() const;  // it has exited by itself, and wait() returns at once
  // Returns the next line of its standard output without the line end; nullopt at the end of output or after the time
  // limit.
  std::optional<std::string> read_line(std::chrono::milliseconds wait_limit = std::chrono::seconds(120));
  Outcome wait();

 private:
  struct Collected;
  pid_t pid_ = -1;
  int input_ = -1;
  bool waited_ = false;
  std::size_t line_start_ = 0;
  std::unique_ptr<Collected> collected_;
  std::thread out_reader_, err_reader_;
};

// Runs the program to its end.
Outcome run(const Surroundings& surroundings, const std::vector<std::string>& words, std::string_view input = {});

}  // namespace ladder::e2e
