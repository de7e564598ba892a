// A child process of a benchmark. Pipes connect its standard input and output to this process; its standard error goes
// to a file or is shared.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

class Child {
 public:
  // `errors` is a file to create or truncate for standard error; if empty, standard error is shared.
  explicit Child(const std::vector<std::string>& words, const std::string& errors = {});
  ~Child();  // ends the child and waits for it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void write(std::string_view text);  // writes to its standard input
  std::string read_line();            // reads from its standard output
  std::string read_all();             // until the child closes its output
  int wait();                         // waits until it exits by itself; returns its exit code
  pid_t id() const { return id_; }

 private:
  bool read_some();

  pid_t id_ = -1;
  int input_ = -1, output_ = -1;
  std::string read_;
};

}  // namespace ladder::bench
