// Records every response in the access log, in the metrics, and as a span. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"
#include "http/middleware/metrics.h"
#include "rest/addresses.h"
#include "rest/call.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::rest {

class RequestLog {
 public:
  RequestLog(http::LogSink& log, http::SpanSink* spans, http::Metrics& metrics, const Clock& clock, const Addresses& addresses)
      : log_(log), spans_(spans), metrics_(metrics), clock_(clock), addresses_(addresses) {}

  // `begin` is when the request was started; nullopt if it was refused unread.
  void add(const http::Request& request, const http::Response& response, const Trace& trace,
           std::optional<std::chrono::steady_clock::time_point> begin);

 private:
  void count(std::string_view route, int status);
  void measure(std::string_view route, std::chrono::microseconds took);
  void count_call(const mcp::LogLine& call, std::chrono::microseconds took);

  http::LogSink& log_;
  http::SpanSink* spans_;
  http::Metrics& metrics_;
  const Clock& clock_;
  const Addresses& addresses_;  // for the log format
  Mutex mutex_;
  // Each is looked up once. The key is the route, a pattern owned by the router.
  std::map<std::pair<std::string_view, int>, http::Counter*> counters_ LADDER_GUARDED_BY(mutex_);  // and the status
  std::map<std::string_view, http::Histogram*> durations_ LADDER_GUARDED_BY(mutex_);
  struct ToolMetrics {
    std::map<std::string, http::Counter*, std::less<>> calls = {};  // by outcome
    http::Histogram* durations = nullptr;
  };
  std::map<std::string, ToolMetrics, std::less<>> tools_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rest
