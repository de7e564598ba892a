// Treats Ctrl-C and SIGTERM as stop requests: work ends at the next safe point. A second signal ends the program
// immediately. Ctrl-Z (SIGTSTP) suspends the program only between two write transactions, so that it does not block
// other writers.
#pragma once

#include <atomic>
#include <thread>

namespace ladder::app {

// A stop request that long-running work polls.
class Stop {
 public:
  Stop() = default;
  virtual ~Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  virtual bool requested() const = 0;
  virtual int descriptor() const = 0;  // becomes readable when a stop is requested
};

// At most one instance may exist at a time.
class StopSignal final : public Stop {
 public:
  StopSignal();
  ~StopSignal() override;

  bool requested() const override;
  int descriptor() const override;

 private:
  std::thread suspender_;
};

// A stop request from another thread, for background work of a server.
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

}  // namespace ladder::app
