// Runs wrk as a load generator and parses its result.
#pragma once

#include "child.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::bench {

// The end of a script that fills the table `requests`: sends them in turn and prints a one-line summary.
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

// Bytes of the bare echo's header, so that its responses are as long as Ladder's.
inline constexpr std::int64_t kEchoHeader = 41;

struct Load {
  std::int64_t requests = 0, bytes = 0, errors = 0;
  double seconds = 0, p50 = 0, p99 = 0;  // latencies in microseconds
  double processor = 0;                  // seconds of processor time used by wrk

  double rate() const { return static_cast<double>(requests) / seconds; }
  std::int64_t answer_bytes() const { return bytes / requests; }  // includes the header
};

// Runs wrk with these arguments; ends the program unless every request succeeded.
Load run_wrk(std::vector<std::string> arguments);

// Runs bench_http_echo as a bare echo, with responses of this many bytes including the header.
struct BareEcho {
  explicit BareEcho(std::int64_t answer_bytes);
  Child process;
  int port;
};

// Runs `ladder serve` on its own port; the log goes to a file, which grows by one line per request.
struct ServedStore {
  ServedStore(std::vector<std::string> more_arguments, std::string log_file);
  void empty_log() const;
  std::string log;
  Child process;
  int port;
};

// Returns the seconds of processor time that a process has used since it started.
double processor_time(int process);

// The turns of one server; reports the medians.
class Turns {
 public:
  // `processor` is the seconds of processor time that the server used in this turn.
  void add(const Load& load, double processor = 0);
  double rate() const;
  double p50() const;
  double p99() const;
  double unevenness() const;
  std::int64_t answer_bytes() const { return answer_bytes_; }
  // Returns the microseconds of processor time per request, including wrk's: the inverse of the rate on otherwise idle
  // cores.
  double cost() const;
  std::string cost_text() const;
  std::string rate_text() const;
  std::string latency_text() const;

 private:
  std::vector<double> rates_, p50s_, p99s_, costs_;
  std::int64_t answer_bytes_ = 0;
};

}  // namespace ladder::bench
