// A pseudo-terminal with a program on it: tests press keys and read what a person would see.
#pragma once

#include "owner.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::e2e {

class PseudoTerminal {
 public:
  // Has 40 lines of 120 columns. The store is the owner's, HOME its folder, and none of the caller's settings reach the
  // program.
  PseudoTerminal(const Owner& owner, const std::vector<std::string>& words, const char* no_color = nullptr,
                 const char* term = "xterm");
  ~PseudoTerminal();  // ends the program
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void press(std::string_view keys);
  // Waits until this text appears after the previously awaited text; returns false if the program ended or the time is
  // over.
  bool shows(std::string_view text, std::chrono::seconds wait_limit = std::chrono::seconds(120));
  int wait();  // waits for its end; returns the exit code, 128 + signal if a signal ended it
  const std::string& shown() const { return shown_; }  // all output so far

 private:
  bool read_some(std::chrono::milliseconds wait_limit);

  int terminal_ = -1;
  pid_t child_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

// Runs a shell command on a new terminal and returns all its output.
std::string on_terminal(const Owner& owner, const std::string& command, const char* no_color = nullptr);

}  // namespace ladder::e2e
