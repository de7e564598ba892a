// Another program, run by a benchmark: its standard input and output are pipes to here, its standard error goes where it is told.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

class Child {
 public:
  // errors: a file that is made or emptied; when empty, standard error is shared.
  explicit Child(const std::vector<std::string>& words, const std::string& errors = {});
  ~Child();  // ends it and waits
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void write(std::string_view text);  // to its standard input
  std::string read_line();            // of its standard output
  std::string read_all();             // until it closes it
  int wait();                         // its exit code, once it ends by itself
  pid_t id() const { return id_; }

 private:
  bool read_some();

  pid_t id_ = -1;
  int input_ = -1, output_ = -1;
  std::string read_;
};

}  // namespace ladder::bench
