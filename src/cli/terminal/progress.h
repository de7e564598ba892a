// The progress of an ingest, a backup, a restore or a full check: a bar at 10 Hz on a terminal, a plain line every few seconds
// elsewhere. It is always written to standard error.
#pragma once

#include "base/mutex.h"
#include "cli/terminal/console.h"
#include "cli/terminal/input_file.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace ladder::cli {

class Progress {
 public:
  // Starts a thread that shows the progress until finish(). `input` must outlive this object.
  Progress(Console& console, const InputFile& input);
  // Shows any other byte count; `read` and `size` are called from the display thread. `done_with` is the verb for the records;
  // empty if there are only bytes.
  Progress(Console& console, std::function<std::int64_t()> read, std::function<std::optional<std::int64_t>()> size,
           std::string_view done_with = "stored");
  // Shows a custom text; `line` is called from the display thread.
  Progress(Console& console, std::function<std::string()> line);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void durable(std::int64_t accepted, std::int64_t rejected);  // totals so far
  void finish();                                               // removes the bar

 private:
  void show_until_finished();
  std::string line() const;
  std::string line_of_bytes() const;

  Console& console_;
  std::function<std::int64_t()> read_;
  std::function<std::optional<std::int64_t>()> size_;
  const std::string done_with_;
  const std::function<std::string()> own_line_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> accepted_ = 0, rejected_ = 0;
  Mutex mutex_;
  Condition wake_;
  bool finished_ LADDER_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ladder::cli
