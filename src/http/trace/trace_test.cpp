#include "http/trace/trace.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kParent = "00f067aa0ba902b7";

std::string header(std::string_view version, std::string_view trace, std::string_view parent, std::string_view flags) {
  return std::string(version) + "-" + std::string(trace) + "-" + std::string(parent) + "-" + std::string(flags);
}

TEST(Trace, ReadsTraceAndParent) {
  const std::string text = header("00", kTrace, kParent, "01");
  EXPECT_EQ(parse_traceparent(text).trace_id, kTrace);
  EXPECT_EQ(parse_traceparent(text).parent_id, kParent);
  EXPECT_TRUE(parse_traceparent(text).sampled);
  EXPECT_FALSE(parse_traceparent(header("00", kTrace, kParent, "02")).sampled);
  EXPECT_EQ(parse_traceparent(header("cc", kTrace, kParent, "01-what-comes-later")).trace_id, kTrace);
}

TEST(Trace, RejectsInvalidHeaders) {
  const std::string zeros(32, '0');
  for (const std::string& text :
       {std::string(), std::string("00"), header("ff", kTrace, kParent, "01"), header("00", zeros, kParent, "01"),
        header("00", kTrace, zeros.substr(16), "01"), header("00", kTrace, kParent, "01-more"),
        header("00", kTrace, kParent, "0g"), header("00", "4BF92F3577B34DA6A3CE929D0E0E4736", kParent, "01"),
        header("cc", kTrace, kParent, "01x")}) {
    EXPECT_FALSE(parse_traceparent(text)) << text;
  }
}

TEST(Trace, ChildrenHaveTheirOwnIdInTheSameTrace) {
  const std::string text = header("00", kTrace, kParent, "00");
  const SpanContext here = continue_trace(parse_traceparent(text), "vendor=1");
  EXPECT_EQ(here.trace_id, kTrace);
  EXPECT_EQ(here.parent_id, kParent);
  EXPECT_NE(here.span_id, kParent);
  EXPECT_FALSE(here.sampled);
  const SpanContext below = child_of(here);
  EXPECT_EQ(below.parent_id, here.span_id);
  EXPECT_EQ(below.state, "vendor=1");
  const std::string sent = below.traceparent();
  EXPECT_EQ(parse_traceparent(sent).trace_id, kTrace);
  EXPECT_EQ(parse_traceparent(sent).parent_id, below.span_id);
  EXPECT_FALSE(parse_traceparent(sent).sampled);
  const std::string fresh = begin_trace().traceparent();
  EXPECT_TRUE(parse_traceparent(fresh).sampled);
}

TEST(Trace, DropsAStateThatCouldEndAHeader) {
  const std::string text = header("00", kTrace, kParent, "01");
  EXPECT_EQ(continue_trace(parse_traceparent(text), "a=1\r\nEvil: yes").state, "");
  EXPECT_EQ(continue_trace(parse_traceparent(text), std::string(kMaxStateBytes + 1, 'a')).state, "");
}

TEST(Trace, TheInnermostScopeIsCurrent) {
  EXPECT_EQ(Scope::current(), nullptr);
  const SpanContext outer = begin_trace(), inner = child_of(outer);
  {
    const Scope first(outer, nullptr);
    {
      const Scope second(inner, nullptr);
      EXPECT_EQ(Scope::current()->context().span_id, inner.span_id);
    }
    EXPECT_EQ(Scope::current()->context().span_id, outer.span_id);
  }
  EXPECT_EQ(Scope::current(), nullptr);
}

}  // namespace
}  // namespace ladder::http
