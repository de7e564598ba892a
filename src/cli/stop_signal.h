// Ctrl-C and SIGTERM as a wish to stop: work ends at the next safe point. A second signal ends the program at once.
#pragma once

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
};

}  // namespace ladder::cli
