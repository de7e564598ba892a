// Counters, gauges and histograms in the Prometheus text format (version 0.0.4). The registry owns a metric per name and set of
// labels. Callers keep the reference; updating it takes no lock.
#pragma once

#include "base/mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::http {

using Labels = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMaxSeries = 1000;  // per name; more would mean that a label contains callers' text

class Counter {
 public:
  void add(std::uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  void set_total(std::uint64_t total) { value_.store(total, std::memory_order_relaxed); }  // for a value counted elsewhere
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  void add(double change) { value_.fetch_add(change, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_ = 0;
};

class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds);
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  std::uint64_t in_bucket(std::size_t at) const { return counts_[at].load(std::memory_order_relaxed); }  // the last has no bound
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;  // ascending
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_ = 0;
};

// Seconds, from a short read to a long scan.
inline constexpr double kDurationBounds[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

// Thread-safe. Names and label names are constants: letters, digits and underscores. The first call for a name fixes its kind,
// its help and a histogram's bounds; requesting another kind is a bug and aborts.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, std::span<const double> bounds, const Labels& labels = {});
  // Called by every text(), to update gauges from other sources. It must not call text() itself.
  void before_text(std::function<void()> refresh);

  std::string text() const;  // Content-Type: text/plain; version=0.0.4
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Family;
  Family& family(std::string_view name, std::string_view help, int kind) LADDER_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<Family>, std::less<>> families_ LADDER_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> refreshers_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::http
