// A terminal with a program on it: keys go in, and what a person would see comes out.
#pragma once

#include "owner.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::e2e {

class PseudoTerminal {
 public:
  // 40 lines of 120 columns. The store is the owner's, HOME its folder, and nothing else of the caller's settings is there.
  PseudoTerminal(const Owner& owner, const std::vector<std::string>& words, const char* no_color = nullptr,
                 const char* term = "xterm");
  ~PseudoTerminal();  // ends the program
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  void press(std::string_view keys);
  // Until this text was shown after what was waited for before; false when the program ended or the time is over.
  bool shows(std::string_view text, std::chrono::seconds wait_limit = std::chrono::seconds(120));
  int wait();                                          // to its end; the exit code, 128 + signal when a signal ended it
  const std::string& shown() const { return shown_; }  // everything so far

 private:
  bool read_some(std::chrono::milliseconds wait_limit);

  int terminal_ = -1;
  pid_t child_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
};

// Runs a shell command on a terminal of its own and returns everything it showed.
std::string on_terminal(const Owner& owner, const std::string& command, const char* no_color = nullptr);

}  // namespace ladder::e2e
