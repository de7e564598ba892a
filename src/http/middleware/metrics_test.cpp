#include "http/middleware/metrics.h"

#include <gtest/gtest.h>
#include <limits>
#include <thread>

namespace ladder::http {
namespace {

TEST(Metrics, TextIsTheExpositionFormat) {
  Metrics metrics;
  metrics.counter("requests_total", "All requests", {{"route", "/v1/{x}"}, {"status", "200"}}).add(3);
  metrics.counter("requests_total", "ignored", {{"route", "a\"b\\c\nd"}, {"status", "500"}}).add();
  metrics.gauge("open", "Open\nconnections").set(2.5);
  const double bounds[] = {0.1, 1};
  Histogram& histogram = metrics.histogram("seconds", "Time", bounds, {{"route", "r"}});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) histogram.observe(value);
  EXPECT_EQ(metrics.text(),
            "# HELP open Open\\nconnections\n# TYPE open gauge\nopen 2.5\n"
            "# HELP requests_total All requests\n# TYPE requests_total counter\n"
            "requests_total{route=\"/v1/{x}\",status=\"200\"} 3\n"
            "requests_total{route=\"a\\\"b\\\\c\\nd\",status=\"500\"} 1\n"
            "# HELP seconds Time\n# TYPE seconds histogram\n"
            "seconds_bucket{route=\"r\",le=\"0.1\"} 2\nseconds_bucket{route=\"r\",le=\"1\"} "
            "3\nseconds_bucket{route=\"r\",le=\"+Inf\"} 4\n"
            "seconds_sum{route=\"r\"} 7.65\nseconds_count{route=\"r\"} 4\n");
}

TEST(Metrics, AHistogramWithoutLabels) {
  Metrics metrics;
  const double bounds[] = {1};
  metrics.histogram("s", "h", bounds).observe(2);
  EXPECT_EQ(metrics.text(),
            "# HELP s h\n# TYPE s histogram\ns_bucket{le=\"1\"} 0\ns_bucket{le=\"+Inf\"} 1\ns_sum 2\ns_count 1\n");
}

TEST(Metrics, TheSameNameAndLabelsAreTheSameSeries) {
  Metrics metrics;
  Counter& first = metrics.counter("c", "h", {{"a", "1"}});
  EXPECT_EQ(&first, &metrics.counter("c", "h", {{"a", "1"}}));
  EXPECT_NE(&first, &metrics.counter("c", "h", {{"a", "2"}}));
}

TEST(Metrics, TheNumberOfSeriesIsBounded) {
  Metrics metrics;
  for (std::size_t at = 0; at < kMaxSeries * 2; ++at) metrics.counter("c", "h", {{"a", std::to_string(at)}}).add();
  EXPECT_EQ(metrics.counter("c", "h", {{"a", "other"}}).value(), kMaxSeries);
}

TEST(Metrics, GaugesAreRefreshedBeforeTheText) {
  Metrics metrics;
  Gauge& gauge = metrics.gauge("g", "h");
  metrics.before_text([&gauge] { gauge.add(1); });
  EXPECT_NE(metrics.text().find("\ng 1\n"), std::string::npos);
  EXPECT_NE(metrics.text().find("\ng 2\n"), std::string::npos);
  gauge.set(std::numeric_limits<double>::infinity());
  EXPECT_NE(metrics.text().find("\ng +Inf\n"), std::string::npos);
}

TEST(Metrics, CountsOfManyThreadsAddUp) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&metrics] {
      for (int at = 0; at < 1000; ++at) {
        metrics.counter("c", "h").add();
        metrics.histogram("d", "h", kDurationBounds).observe(0.5);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics.counter("c", "h").value(), 4000U);
  EXPECT_DOUBLE_EQ(metrics.histogram("d", "h", kDurationBounds).sum(), 2000.0);
}

}  // namespace
}  // namespace ladder::http
