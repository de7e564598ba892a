#include "http/middleware/metrics.h"

#include "base/text/format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <variant>

namespace ladder::http {
namespace {

enum Kind { kCounter, kGauge, kHistogram };
constexpr std::string_view kKindNames[] = {"counter", "gauge", "histogram"};

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\\\";
    else if (c == '\n') out += "\\n";
    else if (c == '"' && quotes) out += "\\\"";
    else out += c;
  }
  return out;
}

// Returns {a="1",b="2"}, or "" for no labels; also used as the key of a series.
std::string written(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    out += out.empty() ? "{" : ",";
    out += name + "=\"" + escaped(value, true) + "\"";
  }
  return out.empty() ? out : out + "}";
}

// Adds a label, for a histogram's buckets.
std::string with(const std::string& labels, std::string_view more) {
  if (labels.empty()) return "{" + std::string(more) + "}";
  return labels.substr(0, labels.size() - 1) + "," + std::string(more) + "}";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return format("{}", value);
}

void append_histogram(std::string& out, std::string_view name, const std::string& labels, const Histogram& histogram) {
  std::uint64_t below = 0;
  for (std::size_t at = 0; at <= histogram.bounds().size(); ++at) {
    below += histogram.in_bucket(at);
    const std::string bound = at < histogram.bounds().size() ? number(histogram.bounds()[at]) : "+Inf";
    out += format("{}_bucket{} {}\n", name, with(labels, "le=\"" + bound + "\""), below);
  }
  out += format("{}_sum{} {}\n{}_count{} {}\n", name, labels, number(histogram.sum()), name, labels, below);
}

}  // namespace

Histogram::Histogram(std::span<const double> bounds) : bounds_(bounds.begin(), bounds.end()), counts_(bounds.size() + 1) {
  std::ranges::sort(bounds_);
}

void Histogram::observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();  // a bound belongs to its own bucket
  counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

struct Metrics::Family {
  using Series = std::variant<Counter, Gauge, Histogram>;
  int kind = kCounter;
  std::string help;
  std::map<std::string, std::unique_ptr<Series>> series;

  // Returns the series of these labels, and creates it if needed. Beyond the limit, all new ones share a series with every
  // value "other".
  template <class Metric, class... Arguments>
  Metric& at(Labels labels, const Arguments&... arguments) {
    std::string key = written(labels);
    auto found = series.find(key);
    if (found == series.end() && series.size() >= kMaxSeries) {
      for (auto& label : labels) label.second = "other";
      key = written(labels);
      found = series.find(key);
    }
    if (found == series.end()) {
      found = series.emplace(key, std::make_unique<Series>(std::in_place_type<Metric>, arguments...)).first;
    }
    return std::get<Metric>(*found->second);
  }
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Family& Metrics::family(std::string_view name, std::string_view help, int kind) {
  auto found = families_.find(name);
  if (found == families_.end()) {
    found = families_.emplace(std::string(name), std::make_unique<Family>(Family{kind, std::string(help), {}})).first;
  }
  if (found->second->kind != kind) std::abort();
  return *found->second;
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, kCounter).at<Counter>(labels);
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, const Labels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, kGauge).at<Gauge>(labels);
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, std::span<const double> bounds,
                              const Labels& labels) {
  const MutexLock lock(mutex_);
  return family(name, help, kHistogram).at<Histogram>(labels, bounds);
}

void Metrics::before_text(std::function<void()> refresh) {
  const MutexLock lock(mutex_);
  refreshers_.push_back(std::move(refresh));
}

std::string Metrics::text() const {
  std::vector<std::function<void()>> refreshers;
  {
    const MutexLock lock(mutex_);
    refreshers = refreshers_;
  }
  for (const auto& refresh : refreshers) refresh();

  const MutexLock lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(family->help, false), name, kKindNames[family->kind]);
    for (const auto& [labels, series] : family->series) {
      if (const auto* counter = std::get_if<Counter>(series.get())) out += format("{}{} {}\n", name, labels, counter->value());
      else if (const auto* gauge = std::get_if<Gauge>(series.get()))
        out += format("{}{} {}\n", name, labels, number(gauge->value()));
      else append_histogram(out, name, labels, std::get<Histogram>(*series));
    }
  }
  return out;
}

}  // namespace ladder::http
