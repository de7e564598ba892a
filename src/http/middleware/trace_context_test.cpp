#include "http/middleware/trace_context.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kParent = "00f067aa0ba902b7";

std::string header(std::string_view version, std::string_view trace, std::string_view parent, std::string_view flags) {
  return std::string(version) + "-" + std::string(trace) + "-" + std::string(parent) + "-" + std::string(flags);
}

TEST(TraceContext, ReadsTraceAndParent) {
  const std::string text = header("00", kTrace, kParent, "01");
  EXPECT_EQ(parse_traceparent(text).trace_id, kTrace);
  EXPECT_EQ(parse_traceparent(text).parent_id, kParent);
  EXPECT_EQ(parse_traceparent(header("cc", kTrace, kParent, "01-what-comes-later")).trace_id, kTrace);
}

TEST(TraceContext, AnythingElseIsNone) {
  const std::string zeros(32, '0');
  for (const std::string& text :
       {std::string(), std::string("00"), header("ff", kTrace, kParent, "01"), header("00", zeros, kParent, "01"),
        header("00", kTrace, zeros.substr(16), "01"), header("00", kTrace, kParent, "01-more"),
        header("00", kTrace, kParent, "0g"), header("00", "4BF92F3577B34DA6A3CE929D0E0E4736", kParent, "01"),
        header("cc", kTrace, kParent, "01x")}) {
    EXPECT_EQ(parse_traceparent(text).trace_id, "") << text;
  }
}

TEST(TraceContext, TwoHeadersAreNone) {
  Request request;
  request.headers.add("traceparent", header("00", kTrace, kParent, "01"));
  EXPECT_EQ(trace_of(request).trace_id, kTrace);
  request.headers.add("traceparent", header("00", kTrace, kParent, "01"));
  EXPECT_EQ(trace_of(request).trace_id, "");
}

}  // namespace
}  // namespace ladder::http
