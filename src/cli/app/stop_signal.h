// Ctrl-C and SIGTERM as a wish to stop: work ends at the next safe point. A second signal ends the program at once. Ctrl-Z
// (SIGTSTP) suspends the program between two write transactions, so that a suspended one does not keep other writers waiting.
#pragma once

#include <thread>

namespace ladder::cli {

// At most one at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool requested() const;
  int descriptor() const;  // becomes readable when a stop is requested

 private:
  std::thread suspender_;
};

}  // namespace ladder::cli
