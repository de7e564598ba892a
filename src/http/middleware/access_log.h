// The access log: one JSON object a line and request. It holds the route's pattern, never the target, the query, a header or a
// body, so that no token, search term or record id reaches it.
//   {"time":…,"request_id":…,"method":…,"route":…,"status":…,"bytes":…,"duration_ms":…,"remote":…}
// Whose token it was stands behind that: "owner", or "client" and "grants", by the ids that `ladder grant list` shows.
// "trace_id" is there when the caller sent a W3C traceparent.
// A request that carries a call of its own (MCP) also has "call", "tool", "call_id" and "outcome": which was called and how it
// went, never with what.
#pragma once

#include "base/time.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::http {

// Where lines go. Thread-safe.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(std::string_view line) = 0;  // with its newline
};

// Appends to an open file descriptor, which it does not own; each line in one write, so that lines of several processes do not
// mix.
class DescriptorSink final : public LogSink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}
  void write(std::string_view line) override;

 private:
  int descriptor_;
  std::mutex mutex_;
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
  std::string_view trace_id = {};                       // of the caller's traceparent, when it sent a valid one
};

std::string access_line(const AccessEntry& entry, Instant now);  // with its newline
// The same for people: time, status, duration, what was asked, who asked.
//   2026-04-01T00:00:00.000Z 200 1.2 ms GET /v1/streams/{stream} client=claude req_1
std::string access_text(const AccessEntry& entry, Instant now);

enum class LogFormat : std::uint8_t { kJson, kText };
inline std::string access_entry(LogFormat format, const AccessEntry& entry, Instant now) {
  return format == LogFormat::kJson ? access_line(entry, now) : access_text(entry, now);
}

}  // namespace ladder::http
