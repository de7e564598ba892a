// Spans on their way to a collector: OTLP over HTTP in its JSON form, one POST for a batch, from a thread of its own. Whoever
// adds a span never waits: what the queue has no room for is dropped and counted, and so is a batch that the collector does not
// take.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "http/client.h"
#include "trace/trace.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace ladder::http {

struct OtlpOptions {
  std::string version;                           // of the program, which calls itself ladder
  std::size_t max_queue = 2048;                  // spans
  std::size_t max_batch = 512;                   // a batch that is full goes at once
  std::chrono::milliseconds every{1000};         // what is there goes after this time
  std::chrono::milliseconds timeout{5000};       // of one POST
  std::chrono::milliseconds last_timeout{1000};  // of the one at the end
};

class OtlpExporter final : public trace::SpanSink {
 public:
  explicit OtlpExporter(OtlpOptions options);
  ~OtlpExporter() override;  // sends what is left, for at most last_timeout
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  // http://host:port or https://…, with a path or without; spans go to /v1/traces below it. Empty: nowhere, and none are taken.
  // kInvalidRequest; then nothing has changed.
  Status set_endpoint(std::string_view url);

  bool wants_spans() const override { return wants_.load(std::memory_order_relaxed); }
  void add(trace::Span span) override;

  struct Figures {
    std::uint64_t sent = 0, dropped = 0, failed = 0;  // spans; failed: the collector did not take their batch
  };
  Figures figures() const;

 private:
  struct Collector {
    std::unique_ptr<Client> client;
    std::string target;
  };

  void run(const std::stop_token& stop);
  void send(const std::deque<trace::Span>& batch, const std::shared_ptr<Collector>& to, std::chrono::milliseconds timeout,
            const std::stop_token& stop);

  const OtlpOptions options_;
  std::atomic<bool> wants_ = false;
  std::atomic<std::uint64_t> sent_ = 0, dropped_ = 0, failed_ = 0;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<trace::Span> queue_ LADDER_GUARDED_BY(mutex_);
  std::shared_ptr<Collector> collector_ LADDER_GUARDED_BY(mutex_);
  std::jthread thread_;  // the last member: it uses the others
};

// The body of a POST to /v1/traces.
std::string otlp_json(const std::deque<trace::Span>& spans, std::string_view version);

}  // namespace ladder::http
