// The display thread only reads counters.
#include "cli/terminal/progress.h"

#include "base/text/format.h"
#include "base/text/grouped.h"

#include <algorithm>

namespace ladder::cli {
namespace {

constexpr auto kBarPeriod = std::chrono::milliseconds(100);
constexpr auto kLinePeriod = std::chrono::seconds(5);
constexpr int kBarCells = 24;

std::string bar(double share) {
  const int full = std::clamp(static_cast<int>(share * kBarCells), 0, kBarCells);
  std::string cells;
  for (int i = 0; i < kBarCells; ++i) cells += i < full ? "█" : "░";
  return cells;
}

std::string megabytes(std::int64_t bytes) { return format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

Progress::Progress(Console& console, const InputFile& input)
    : Progress(console, [&input] { return input.bytes_read(); }, [&input] { return input.size(); }) {}

Progress::Progress(Console& console, std::function<std::int64_t()> read, std::function<std::optional<std::int64_t>()> size,
                   std::string_view done_with)
    : console_(console), read_(std::move(read)), size_(std::move(size)), done_with_(done_with), thread_([this] {
        show_until_finished();
      }) {}

Progress::Progress(Console& console, std::function<std::string()> line)
    : console_(console), own_line_(std::move(line)), thread_([this] { show_until_finished(); }) {}

void Progress::durable(std::int64_t accepted, std::int64_t rejected) {
  accepted_.store(accepted, std::memory_order_relaxed);
  rejected_.store(rejected, std::memory_order_relaxed);
}

void Progress::finish() {
  {
    const MutexLock lock(mutex_);
    if (finished_) return;
    finished_ = true;
  }
  wake_.notify_all();
  thread_.join();
  if (console_.err_is_terminal()) console_.err("\r\x1b[K");
}

void Progress::show_until_finished() {
  const bool terminal = console_.err_is_terminal();
  MutexLock lock(mutex_);
  for (;;) {
    if (wake_.wait_for(lock, terminal ? std::chrono::milliseconds(kBarPeriod) : std::chrono::milliseconds(kLinePeriod),
                       [this]() LADDER_REQUIRES(mutex_) { return finished_; })) {
      return;
    }
    console_.err(terminal ? "\r\x1b[K" + line() : "ladder: " + line() + "\n");
  }
}

std::string Progress::line() const { return own_line_ ? own_line_() : line_of_bytes(); }

std::string Progress::line_of_bytes() const {
  const std::int64_t bytes = read_();
  const std::optional<std::int64_t> size = size_();
  const std::int64_t accepted = accepted_.load(std::memory_order_relaxed), rejected = rejected_.load(std::memory_order_relaxed);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  std::string text;
  if (size && *size > 0) {
    const double share = static_cast<double>(bytes) / static_cast<double>(*size);
    const bool room = console_.err_is_terminal() && console_.err_columns() >= 100;
    text = format("{}{:3.0f}% of {}, ", room ? bar(share) + " " : "", share * 100, megabytes(*size));
  } else {
    text = megabytes(bytes) + ", ";
  }
  if (done_with_.empty())
    return text + format("{}/s", megabytes(static_cast<std::int64_t>(static_cast<double>(bytes) / std::max(seconds, 0.001))));
  text += format("{} records {}", grouped(accepted), done_with_);
  if (rejected > 0) text += format(", {} rejected", grouped(rejected));
  return text + format(", {}/s", grouped(static_cast<long long>(static_cast<double>(accepted) / std::max(seconds, 0.001))));
}

}  // namespace ladder::cli
