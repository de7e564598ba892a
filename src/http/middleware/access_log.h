// The access log: one JSON object per line and request. It contains the route's pattern, never the target, the query, a header
// or a body, so that no token, search term or record id is logged.
//   {"time":…,"request_id":…,"method":…,"route":…,"status":…,"bytes":…,"duration_ms":…,"remote":…}
// The caller follows: "owner", or "client" and "grants", with the ids that `ladder grant list` shows.
// "trace_id" is present if the caller sent a W3C traceparent or spans are exported.
// A request that contains a call (MCP) also has "call", "tool", "call_id" and "outcome": the called tool and the result, never
// the arguments.
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

// Returns the method, or "-" for an unknown one, since the caller could put any text there.
std::string_view known_method(std::string_view method);

// Receives log lines. Thread-safe.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(std::string_view line) = 0;  // with its newline
};

// Appends to an open file descriptor, which it does not own. Each line is one write, so that lines of several processes do not
// mix. A blocked reader (a full pipe, a terminal after Ctrl-S) must not stop the service: after kPatience, lines are dropped
// until it reads again, and then a line reports how many.
class DescriptorSink final : public LogSink {
 public:
  static constexpr std::chrono::milliseconds kPatience{200};

  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}
  void write(std::string_view lines) override;

 private:
  bool has_room(std::chrono::milliseconds patience) const;
  bool write_all(std::string_view text) LADDER_REQUIRES(mutex_);  // false if some of it was dropped

  int descriptor_;
  Mutex mutex_;
  std::int64_t dropped_ LADDER_GUARDED_BY(mutex_) = 0;  // lines dropped while the reader is blocked
  bool inside_line_ LADDER_GUARDED_BY(mutex_) = false;  // the last written line is incomplete
};

struct AccessEntry {
  std::string_view request_id;
  std::string_view method;  // as sent; an unknown one is logged as "-"
  std::string_view route;   // the pattern; empty (logged as "-") if none matched
  int status = 0;
  std::optional<std::uint64_t> bytes;  // body size; unknown for a stream
  std::chrono::microseconds duration{0};
  std::string_view remote;
  std::string_view owner = {}, client = {};             // the caller, from its token; ids that the owner chose
  std::span<const std::string> grants = {};             // the caller's grants
  std::string_view call = {}, tool = {}, outcome = {};  // for a request with a call; names defined by the program
  std::string_view call_id = {};                        // as JSON; empty if there is none
  std::string_view trace_id = {};                       // empty if it is not part of a trace
};

std::string access_line(const AccessEntry& entry, Instant now);  // with its newline
// The same for people:
//   2026-04-01T00:00:00.000Z 200 1.2 ms POST /mcp tools/call search ok client="claude" 127.0.0.1 req_1
std::string access_text(const AccessEntry& entry, Instant now);

enum class LogFormat : std::uint8_t { kJson, kText };
inline std::string access_entry(LogFormat format, const AccessEntry& entry, Instant now) {
  return format == LogFormat::kJson ? access_line(entry, now) : access_text(entry, now);
}

// Batches log lines: under load one write contains many lines, and requests do not wait for each other's lines. A single line
// is written at once; others within kMaxWait, and the rest in the destructor.
class BufferedLog final : public LogSink {
 public:
  static constexpr std::chrono::milliseconds kMaxWait{50};
  // A pipe accepts this size atomically, so that lines of several processes do not mix.
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
  Time last_ LADDER_GUARDED_BY(mutex_){};  // time of the last write
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  bool idle_ LADDER_GUARDED_BY(mutex_) = false;  // the thread waits for a notification; otherwise it wakes by timeout
  std::thread thread_;                           // flushes lines that no later line flushed
};

}  // namespace ladder::http
