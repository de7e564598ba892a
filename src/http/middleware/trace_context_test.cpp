#include "http/middleware/trace_context.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

constexpr const char* kHeader = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class Sink final : public trace::SpanSink {
 public:
  bool wants_spans() const override { return true; }
  void add(trace::Span) override {}
};

TEST(TraceContext, TwoHeadersAreNone) {
  Request request;
  request.headers.add("traceparent", kHeader);
  EXPECT_EQ(span_of(request, nullptr).trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span_of(request, nullptr).parent_id, "00f067aa0ba902b7");
  request.headers.add("traceparent", kHeader);
  EXPECT_FALSE(span_of(request, nullptr));
}

TEST(TraceContext, ATraceIsBegunWhereSpansAreWanted) {
  const Request request;
  const Sink sink;
  EXPECT_FALSE(span_of(request, nullptr));
  const auto begun = span_of(request, &sink);
  EXPECT_EQ(begun.trace_id.size(), 32U);
  EXPECT_EQ(begun.parent_id, "");
}

TEST(TraceContext, ASpanHoldsNoPathQueryOrInventedMethod) {
  Request request;
  request.method = "STEAL";
  request.target = "/v1/streams/notes/records/secret-id?q=words";
  const auto span = server_span(trace::begin_trace(), {request, "/v1/streams/{stream}/records/{id}", 503, 10, 20});
  EXPECT_EQ(span.name, "_OTHER /v1/streams/{stream}/records/{id}");
  EXPECT_TRUE(span.failed);
  for (const auto& [name, value] : span.texts) {
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
    EXPECT_EQ(value.find("STEAL"), std::string::npos) << name;
    EXPECT_EQ(value.find("words"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace ladder::http
