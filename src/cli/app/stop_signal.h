// Ctrl-C and SIGTERM as a wish to stop: work ends at the next safe point. A second signal ends the program at once. Ctrl-Z
// (SIGTSTP) suspends the program between two write transactions, so that a suspended one does not keep other writers waiting.
#pragma once

#include <atomic>
#include <thread>

namespace ladder::cli {

// A wish to stop that long work looks at.
class Stop {
 public:
  Stop() = default;
  virtual ~Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  virtual bool requested() const = 0;
  virtual int descriptor() const = 0;  // becomes readable when a stop is requested
};

// At most one at a time.
class StopSignal final : public Stop {
 public:
  StopSignal();
  ~StopSignal() override;

  bool requested() const override;
  int descriptor() const override;

 private:
  std::thread suspender_;
};

// Of work that runs in the background of a server, asked for by another thread.
class StopRequest final : public Stop {
 public:
  StopRequest();
  ~StopRequest() override;

  void request();
  bool requested() const override { return requested_.load(std::memory_order_relaxed); }
  int descriptor() const override { return event_; }

 private:
  std::atomic<bool> requested_ = false;
  int event_;
};

}  // namespace ladder::cli
