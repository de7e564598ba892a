#include "http/middleware/request_headers.h"

#include "base/limits.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

Result<std::string> token(const std::string& header) {
  Request request;
  request.headers.add("Authorization", header);
  return bearer_token(request);
}

TEST(Bearer, TheSchemeIsCaseInsensitiveWithOneSpace) {
  EXPECT_EQ(token("Bearer abc").value(), "abc");
  EXPECT_EQ(token("bEARER a-._~+/=").value(), "a-._~+/=");
  EXPECT_EQ(token("Bearer " + std::string(limits::kMaxTokenBytes, 'x')).value().size(), limits::kMaxTokenBytes);
}

TEST(Bearer, RejectsAnythingElse) {
  for (const std::string& header :
       {std::string("Bearer"), std::string("Bearer "), std::string("Bearer  abc"), std::string("Bearer a b"),
        std::string("Basic abc"), std::string(), std::string("abc"), std::string("Bearer\tabc"),
        "Bearer " + std::string(limits::kMaxTokenBytes + 1, 'x'), std::string("Bearer a\xc3\xa9")}) {
    const auto found = token(header);
    ASSERT_FALSE(found.has_value()) << header;
    EXPECT_EQ(found.error().code, Code::kAuthentication);
    EXPECT_EQ(found.error().message.find("abc"), std::string::npos) << "a token is never repeated";
  }
  EXPECT_FALSE(bearer_token(Request{}).has_value());
  Request twice;
  twice.headers.add("Authorization", "Bearer a");
  twice.headers.add("authorization", "Bearer b");
  EXPECT_FALSE(bearer_token(twice).has_value());
}

TEST(Version, AcceptsAnAbsentOrCurrentVersion) {
  Request request;
  EXPECT_TRUE(check_version(request).has_value());
  request.headers.add("pdpp-version", "2026-04-06");
  EXPECT_TRUE(check_version(request).has_value());
}

TEST(Version, RejectsAnyOther) {
  for (const auto sent : {"2025-01-01", "", "2026-04-06 ", "1"}) {
    Request request;
    request.headers.add("PDPP-Version", sent);
    const auto checked = check_version(request);
    ASSERT_FALSE(checked.has_value()) << sent;
    EXPECT_EQ(checked.error().code, Code::kUnsupportedVersion);
    EXPECT_EQ(checked.error().param, "PDPP-Version");
  }
  Request twice;
  twice.headers.add("PDPP-Version", "2026-04-06");
  twice.headers.add("PDPP-Version", "2030-01-01");
  EXPECT_FALSE(check_version(twice).has_value());
}

TEST(Version, IsEchoed) {
  Response response;
  send_version(response);
  EXPECT_EQ(response.headers.get("PDPP-Version"), "2026-04-06");
}

std::string taken(const std::string& sent) {
  Request request;
  request.headers.add("request-id", sent);
  take_request_id(request);
  return request.id;
}

TEST(RequestId, AcceptsAValidId) {
  EXPECT_EQ(taken("a"), "a");
  EXPECT_EQ(taken("Trace-1.2_x"), "Trace-1.2_x");
  EXPECT_EQ(taken(std::string(128, 'x')), std::string(128, 'x'));
}

TEST(RequestId, ReplacesAnInvalidId) {
  for (const std::string& sent :
       {std::string(), std::string(129, 'x'), std::string("a b"), std::string("a\"b"), std::string("é"), std::string("a\nb")}) {
    const std::string id = taken(sent);
    EXPECT_NE(id, sent);
    EXPECT_TRUE(id.starts_with("req_"));
    EXPECT_EQ(id.size(), 20U);
    EXPECT_TRUE(is_request_id(id));
  }
  EXPECT_NE(new_request_id(), new_request_id());
}

TEST(RequestId, IsSentUnderBothNames) {
  Response response;
  response.headers.add("Request-Id", "old");
  send_request_id("r1", response);
  EXPECT_EQ(response.headers.get("Request-Id"), "r1");
  EXPECT_EQ(response.headers.get("x-request-id"), "r1");
  EXPECT_EQ(response.headers.count("Request-Id"), 1U);
}

constexpr const char* kHeader = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class Sink final : public SpanSink {
 public:
  bool wants_spans() const override { return true; }
  void add(Span) override {}
};

TEST(TraceContext, IgnoresRepeatedHeaders) {
  Request request;
  request.headers.add("traceparent", kHeader);
  EXPECT_EQ(span_of(request, nullptr).trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span_of(request, nullptr).parent_id, "00f067aa0ba902b7");
  request.headers.add("traceparent", kHeader);
  EXPECT_FALSE(span_of(request, nullptr));
}

TEST(TraceContext, StartsATraceIfSpansAreEnabled) {
  const Request request;
  const Sink sink;
  EXPECT_FALSE(span_of(request, nullptr));
  const auto begun = span_of(request, &sink);
  EXPECT_EQ(begun.trace_id.size(), 32U);
  EXPECT_EQ(begun.parent_id, "");
}

TEST(TraceContext, ASpanContainsNoPathQueryOrUnknownMethod) {
  Request request;
  request.method = "STEAL";
  request.target = "/v1/streams/notes/records/secret-id?q=words";
  const auto span = server_span(begin_trace(), {request, "/v1/streams/{stream}/records/{id}", 503, 10, 20});
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
