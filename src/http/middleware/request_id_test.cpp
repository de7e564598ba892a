#include "http/middleware/request_id.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

std::string taken(const std::string& sent) {
  Request request;
  request.headers.add("request-id", sent);
  take_request_id(request);
  return request.id;
}

TEST(RequestId, AHarmlessOneIsTakenOver) {
  EXPECT_EQ(taken("a"), "a");
  EXPECT_EQ(taken("Trace-1.2_x"), "Trace-1.2_x");
  EXPECT_EQ(taken(std::string(128, 'x')), std::string(128, 'x'));
}

TEST(RequestId, AnyOtherIsReplacedByOurOwn) {
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

}  // namespace
}  // namespace ladder::http
