#include "http/middleware/origin_check.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

bool passes(const char* origin, const char* host = "localhost:7663", const std::vector<std::string>& allowed = {}) {
  Request request;
  request.headers.add("Host", host);
  if (origin != nullptr) request.headers.add("Origin", origin);
  return origin_fault(allowed, request).empty();
}

TEST(OriginCheck, ProgramsSendNone) { EXPECT_TRUE(passes(nullptr)); }

TEST(OriginCheck, LoopbackAndTheSameHostPass) {
  EXPECT_TRUE(passes("http://localhost:3000"));
  EXPECT_TRUE(passes("http://127.0.0.1"));
  EXPECT_TRUE(passes("https://[::1]:1"));
  EXPECT_TRUE(passes("https://data.example", "data.example"));
  EXPECT_TRUE(passes("https://data.example", "data.example:443"));
  EXPECT_TRUE(passes("http://data.example:8080", "data.example:8080"));
}

TEST(OriginCheck, OthersNeedToBeConfigured) {
  for (const auto origin : {"https://evil.example", "null", "", "http://localhost.evil.example", "http://a@localhost",
                            "file://localhost", "http://localhost/path", "https://data.example:444", "localhost"}) {
    EXPECT_FALSE(passes(origin, "data.example")) << origin;
  }
  EXPECT_TRUE(passes("https://app.example", "data.example", {"https://app.example"}));
  EXPECT_FALSE(passes("https://app.example.evil", "data.example", {"https://app.example"}));
}

TEST(OriginCheck, TwoOriginsAreNone) {
  Request request;
  request.headers.add("Origin", "http://localhost");
  request.headers.add("Origin", "https://evil.example");
  EXPECT_FALSE(origin_fault({}, request).empty());
}

}  // namespace
}  // namespace ladder::http
