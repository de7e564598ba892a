#include "http/otlp/exporter.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace ladder::http {
namespace {

trace::Span span_named(std::string name) {
  trace::Span span;
  span.context = trace::begin_trace();
  span.name = std::move(name);
  span.begin = 1'700'000'000'000'000;
  span.end = span.begin + 1500;
  return span;
}

TEST(Otlp, SerializesASpan) {
  trace::Span span = span_named("GET /healthz");
  span.context.parent_id = "00f067aa0ba902b7";
  span.failed = true;
  span.texts = {{"http.route", "/healthz"}};
  span.numbers = {{"http.response.status_code", 503}};
  const auto body = boost::json::parse(otlp_json({span}, "1.2.3"));
  EXPECT_EQ(body.at_pointer("/resourceSpans/0/resource/attributes/0/value/stringValue"), "ladder");
  const auto& written = body.at_pointer("/resourceSpans/0/scopeSpans/0/spans/0");
  EXPECT_EQ(written.at("traceId"), span.context.trace_id.c_str());
  EXPECT_EQ(written.at("spanId"), span.context.span_id.c_str());
  EXPECT_EQ(written.at("parentSpanId"), "00f067aa0ba902b7");
  EXPECT_EQ(written.at("kind"), 2);
  EXPECT_EQ(written.at("startTimeUnixNano"), "1700000000000000000");
  EXPECT_EQ(written.at("endTimeUnixNano"), "1700000000001500000");
  EXPECT_EQ(written.at_pointer("/attributes/0/value/stringValue"), "/healthz");
  EXPECT_EQ(written.at_pointer("/attributes/1/value/intValue"), "503");
  EXPECT_EQ(written.at_pointer("/status/code"), 2);
}

TEST(Otlp, RejectsInvalidAddresses) {
  OtlpExporter exporter({.version = "1"});
  for (const char* url : {"collector", "ftp://host", "http://", "http://host?x=1", "http://ho st"}) {
    const Status set = exporter.set_endpoint(url);
    ASSERT_FALSE(set) << url;
    EXPECT_EQ(set.error().code, Code::kInvalidRequest);
    EXPECT_FALSE(exporter.wants_spans());
  }
  EXPECT_TRUE(exporter.set_endpoint("https://collector.example/otlp/"));
  EXPECT_TRUE(exporter.wants_spans());
  EXPECT_TRUE(exporter.set_endpoint(""));
  EXPECT_FALSE(exporter.wants_spans());
}

// No server listens on loopback's discard port: queued spans are tried and counted as failed, the rest are dropped.
TEST(Otlp, CountsRejectedSpansWithoutBlocking) {
  OtlpExporter exporter({.version = "1", .max_queue = 4, .max_batch = 1000, .every = std::chrono::seconds(1)});
  ASSERT_TRUE(exporter.set_endpoint("http://127.0.0.1:9"));
  trace::Span unwanted = span_named("nobody looks");
  unwanted.context.sampled = false;
  exporter.add(unwanted);
  for (int i = 0; i < 10; ++i) exporter.add(span_named("a"));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (exporter.figures().failed == 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto figures = exporter.figures();
  EXPECT_EQ(figures.sent, 0U);
  EXPECT_EQ(figures.failed + figures.dropped, 10U);
  EXPECT_GE(figures.dropped, 2U) << "adding to a full queue does not block";
}

}  // namespace
}  // namespace ladder::http
