// Shows the progress of an erasure or a move on standard error, and stops it at a signal.
#pragma once

#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "cli/terminal/console.h"
#include "server/owner/erasures.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace ladder::cli {

class ErasureProgress final : public server::ErasureObserver {
 public:
  ErasureProgress(Console& console, const app::StopSignal& stop)
      : console_(console), stop_(stop), last_(std::chrono::steady_clock::now()) {}

  void erased(std::int64_t records) override { show(format("{} records erased", grouped(records))); }
  void show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (console_.err_is_terminal() ? kOften : kSeldom)) return;
    last_ = now;
    say(line);
  }
  void compacting() override {
    if (console_.err_is_terminal()) say("freeing disk space");
  }
  bool wants_stop() override { return stop_.requested(); }
  void finish() const {
    if (console_.err_is_terminal()) console_.err("\r\x1b[K");
  }

 private:
  static constexpr std::chrono::milliseconds kOften{100}, kSeldom{5000};
  void say(const std::string& line) const {
    console_.err(console_.err_is_terminal() ? "\r\x1b[K" + line : "ladder: " + line + "\n");
  }

  Console& console_;
  const app::StopSignal& stop_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace ladder::cli
