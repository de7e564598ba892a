// The real program as a child process: its words, its input, what it printed and how it ended. Nothing of the caller's settings
// reaches it: HOME is a scratch folder, and LADDER_* and XDG_* variables are only those a test gives.
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
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out, err;

  boost::json::value json() const;  // of `out`; fails the test and returns null when it is not one JSON value
  std::string error_code() const;   // of {"error":{"code":…}}; empty when there is none
  std::string told() const;         // everything, for a failure message
};

struct Surroundings {
  std::map<std::string, std::string> environment;
  std::string program = LADDER_BINARY;
  std::filesystem::path folder;           // to run in, and HOME
  std::optional<rlim_t> file_size_limit;  // RLIMIT_FSIZE: a disk that is full
  bool unprivileged = false;              // as nobody, when the test runs as root
};

// A program that is running. Its output is collected all the time, so it never blocks on a full pipe.
class Process {
 public:
  Process(const Surroundings& surroundings, const std::vector<std::string>& words);
  ~Process();  // kills it if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(std::string_view text);  // to its standard input; blocks while the pipe is full
  void close_input();
  void signal(int number) const;
  bool has_ended() const;  // by itself, and wait() will return at once
  // The next line of its standard output, without the line end; nullopt when it ended or the time is over.
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

// Runs it to its end.
Outcome run(const Surroundings& surroundings, const std::vector<std::string>& words, std::string_view input = {});

}  // namespace ladder::e2e
