// Exports spans to a collector: OTLP over HTTP as JSON, one POST per batch, on its own thread. Adding a span never blocks.
// Spans that exceed the queue are dropped and counted, and so are batches that the collector rejects.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "http/client.h"
#include "http/trace/trace.h"

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
  std::string version;                           // the program's version; its name is ladder
  std::size_t max_queue = 2048;                  // spans
  std::size_t max_batch = 512;                   // a full batch is sent at once
  std::chrono::milliseconds every{1000};         // other spans are sent after this time
  std::chrono::milliseconds timeout{5000};       // of one POST
  std::chrono::milliseconds last_timeout{1000};  // of the final POST
};

class OtlpExporter final : public SpanSink {
 public:
  explicit OtlpExporter(OtlpOptions options);
  ~OtlpExporter() override;  // sends the rest, for at most last_timeout
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  // Accepts http://host:port or https://…, with or without a path; spans are posted to /v1/traces below it. An empty URL
  // disables the export. Returns kInvalidRequest and changes nothing if the URL is invalid.
  Status set_endpoint(std::string_view url);

  bool wants_spans() const override { return wants_.load(std::memory_order_relaxed); }
  void add(Span span) override;

  struct Figures {
    std::uint64_t sent = 0, dropped = 0, failed = 0;  // spans; failed: the collector rejected their batch
  };
  Figures figures() const;

 private:
  struct Collector {
    std::unique_ptr<Client> client;
    std::string target;
  };

  void run(const std::stop_token& stop);
  void send(const std::deque<Span>& batch, const std::shared_ptr<Collector>& to, std::chrono::milliseconds timeout,
            const std::stop_token& stop);

  const OtlpOptions options_;
  std::atomic<bool> wants_ = false;
  std::atomic<std::uint64_t> sent_ = 0, dropped_ = 0, failed_ = 0;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Span> queue_ LADDER_GUARDED_BY(mutex_);
  std::shared_ptr<Collector> collector_ LADDER_GUARDED_BY(mutex_);
  std::jthread thread_;  // the last member: it uses the others
};

// Returns the body of a POST to /v1/traces.
std::string otlp_json(const std::deque<Span>& spans, std::string_view version);

}  // namespace ladder::http
