// The access log: one JSON object a line and request. It holds the route's pattern, never the target, the query, a header or a
// body, so that no token, search term or record id reaches it.
//   {"time":…,"request_id":…,"method":…,"route":…,"status":…,"bytes":…,"duration_ms":…,"remote":…}
// Whose token it was stands behind that: "owner", or "client" and "grants", by the ids that `ladder grant list` shows.
// "trace_id" is there when the caller sent a W3C traceparent, or spans are sent to a collector.
// A request that carries a call of its own (MCP) also has "call", "tool", "call_id" and "outcome": which was called and how it
// went, never with what.
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace ladder::http {

// The method, or "-": it is the caller's text, and an invented one could carry anything into a log.
std::string_view known_method(std::string_view method);

// Receives the lines. Thread-safe.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(std::string_view line) = 0;  // with its newline
};

// Appends to an open file descriptor, which it does not own; each line in one write, so that lines of several processes do not
// mix. A reader that stands still (a pipe that nobody empties, a terminal after Ctrl-S) must not stop the service: after
// kPatience lines are dropped until it goes on, and then a line says how many.
class DescriptorSink final : public LogSink {
 public:
  static constexpr std::chrono::milliseconds kPatience{200};

  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}
  void write(std::string_view lines) override;

 private:
  bool has_room(std::chrono::milliseconds patience) const;
  bool write_all(std::string_view text) LADDER_REQUIRES(mutex_);  // false: some of it was dropped

  int descriptor_;
  Mutex mutex_;
  std::int64_t dropped_ LADDER_GUARDED_BY(mutex_) = 0;  // lines, since the reader stands still
  bool inside_line_ LADDER_GUARDED_BY(mutex_) = false;  // the last line that was written lacks its end
};

struct AccessEntry {
  std::string_view request_id;
  std::string_view method;  // as sent; one we do not know is written "-"
  std::string_view route;   // the pattern; empty when none matched, written "-"
  int status = 0;
  std::optional<std::uint64_t> bytes;  // of the body; unknown for a stream
  std::chrono::microseconds duration{0};
  std::string_view remote;
  std::string_view owner = {}, client = {};             // who asked, when a token said so; ids that the owner gave
  std::span<const std::string> grants = {};             // under which grants
  std::string_view call = {}, tool = {}, outcome = {};  // of a request that carries a call; names the program knows
  std::string_view call_id = {};                        // as JSON; empty when there is none
  std::string_view trace_id = {};                       // empty when it is in no trace
};

std::string access_line(const AccessEntry& entry, Instant now);  // with its newline
// The same for people:
//   2026-04-01T00:00:00.000Z 200 1.2 ms POST /mcp tools/call search ok client="claude" 127.0.0.1 req_1
std::string access_text(const AccessEntry& entry, Instant now);

enum class LogFormat : std::uint8_t { kJson, kText };
inline std::string access_entry(LogFormat format, const AccessEntry& entry, Instant now) {
  return format == LogFormat::kJson ? access_line(entry, now) : access_text(entry, now);
}

// Lines of the log, gathered while they come thick and fast: under load one write takes many of them, and no request waits for
// another's. A line that comes alone is written at once; any other within kMaxWait, and the last ones when this is destroyed.
class BufferedLog final : public LogSink {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{50};
  // So much at a time: a pipe takes it in one piece, so that lines of several processes do not mix.
  static constexpr std::size_t kMaxBytes = 4096;

  explicit BufferedLog(LogSink& to);
  ~BufferedLog() override;
  BufferedLog(const BufferedLog&) = delete;
  BufferedLog& operator=(const BufferedLog&) = delete;

  void write(std::string_view line) override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void pass_on(Time now) LADDER_REQUIRES(mutex_);
  void run();

  LogSink& to_;
  Mutex mutex_;
  Condition wake_;
  std::string lines_ LADDER_GUARDED_BY(mutex_);
  Time last_ LADDER_GUARDED_BY(mutex_){};  // when something was passed on
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  bool idle_ LADDER_GUARDED_BY(mutex_) = false;  // the thread sleeps until somebody wakes it; else it comes by itself
  std::thread thread_;                           // passes on what nothing else came after
};

}  // namespace ladder::http
