// Load by wrk: what it is told to ask, and what it saw.
#pragma once

#include "child.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::bench {

// The end of a script that has filled the table `requests`: asks them in turn, and tells in one line what came of it.
inline constexpr const char* kWrkTurns = R"(
local next_one = 0
function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("\nsummary %d %d %d %d %d %d\n", summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
)";

inline constexpr std::int64_t kEchoHeader = 41;  // bytes of the bare echo's header, so that its answers are as long as Ladder's

struct Load {
  std::int64_t requests = 0, bytes = 0, errors = 0;
  double seconds = 0, p50 = 0, p99 = 0;  // latencies in microseconds
  double processor = 0;                  // seconds that wrk itself computed

  double rate() const { return static_cast<double>(requests) / seconds; }
  std::int64_t answer_bytes() const { return bytes / requests; }  // header and all
};

// Runs wrk with these arguments; gives up unless every request was answered well.
Load run_wrk(std::vector<std::string> arguments);

// The bare echo of bench_http_echo, with answers of so many bytes, header and all.
struct BareEcho {
  explicit BareEcho(std::int64_t answer_bytes);
  Child process;
  int port;
};

// `ladder serve` on a port of its own; the log goes to a file, which grows by a line a request.
struct ServedStore {
  ServedStore(std::vector<std::string> more_arguments, std::string log_file);
  void empty_log() const;
  std::string log;
  Child process;
  int port;
};

// Seconds that a process has computed since it began.
double processor_time(int process);

// The turns of one server: of what was measured, the middle.
class Turns {
 public:
  // `processor`: seconds that the server computed meanwhile.
  void add(const Load& load, double processor = 0);
  double rate() const;
  double p50() const;
  double p99() const;
  double unevenness() const;
  std::int64_t answer_bytes() const { return answer_bytes_; }
  // Microseconds of processor time of a request, wrk's own included: what a rate would be on cores that nobody else uses.
  double cost() const;
  std::string cost_text() const;
  std::string rate_text() const;
  std::string latency_text() const;

 private:
  std::vector<double> rates_, p50s_, p99s_, costs_;
  std::int64_t answer_bytes_ = 0;
};

}  // namespace ladder::bench
