#include "http/middleware/host_check.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

bool passes(const HostRule& rule, const char* host) {
  Request request;
  if (host != nullptr) request.headers.add("Host", host);
  return host_fault(rule, request).empty();
}

TEST(HostCheck, OnLoopbackOnlyLoopbackNamesPass) {
  for (const auto bound : {"127.0.0.1", "::1", "localhost"}) {
    const HostRule rule{bound, {}};
    for (const auto host : {"localhost", "localhost:7663", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:7663"}) {
      EXPECT_TRUE(passes(rule, host)) << bound << " " << host;
    }
    for (const auto host :
         {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.1", "::1", "localhost:", "localhost:x",
          "a@localhost", "localhost/x", "", " localhost", "[::1", "127.0.0.1:99999999", "0.0.0.0"}) {
      EXPECT_FALSE(passes(rule, host)) << bound << " " << host;
    }
    EXPECT_FALSE(passes(rule, nullptr));
  }
}

TEST(HostCheck, ConfiguredNamesPassEverywhere) {
  const HostRule local{"127.0.0.1", {"data.example", "other.example:8443"}};
  EXPECT_TRUE(passes(local, "data.example"));
  EXPECT_TRUE(passes(local, "Data.Example:443"));
  EXPECT_TRUE(passes(local, "other.example:8443"));
  EXPECT_FALSE(passes(local, "other.example"));
  EXPECT_FALSE(passes(local, "evil.example"));
  const HostRule open{"0.0.0.0", {"data.example"}};
  EXPECT_TRUE(passes(open, "data.example"));
  EXPECT_FALSE(passes(open, "localhost"));
  EXPECT_FALSE(passes(open, "evil.example"));
}

TEST(HostCheck, APublicBindWithoutNamesAcceptsEveryHost) {
  EXPECT_TRUE(passes({"0.0.0.0", {}}, "anything.example"));
  EXPECT_TRUE(passes({"192.168.1.7", {}}, "192.168.1.7:7663"));
}

TEST(HostName, Parses) {
  EXPECT_EQ(parse_host("Example.COM:80"), (HostName{"example.com", "80"}));
  EXPECT_EQ(parse_host("[FE80::1]"), (HostName{"fe80::1", ""}));
  EXPECT_EQ(parse_host("[]"), std::nullopt);
  EXPECT_EQ(parse_host("a:b:c"), std::nullopt);
  EXPECT_TRUE(is_loopback("127.9.9.9"));
  EXPECT_FALSE(is_loopback("127.0.0"));
  EXPECT_FALSE(is_loopback("127.0.0.1.2"));
}

bool passes(const char* origin, const char* host = "localhost:7663", const std::vector<std::string>& allowed = {}) {
  Request request;
  request.headers.add("Host", host);
  if (origin != nullptr) request.headers.add("Origin", origin);
  return origin_fault(allowed, request).empty();
}

TEST(OriginCheck, AllowsProgramsWithoutAnOrigin) { EXPECT_TRUE(passes(nullptr)); }

TEST(OriginCheck, LoopbackAndTheSameHostPass) {
  EXPECT_TRUE(passes("http://localhost:3000"));
  EXPECT_TRUE(passes("http://127.0.0.1"));
  EXPECT_TRUE(passes("https://[::1]:1"));
  EXPECT_TRUE(passes("https://data.example", "data.example"));
  EXPECT_TRUE(passes("https://data.example", "data.example:443"));
  EXPECT_TRUE(passes("http://data.example:8080", "data.example:8080"));
}

TEST(OriginCheck, OtherOriginsMustBeConfigured) {
  for (const auto origin : {"https://evil.example", "null", "", "http://localhost.evil.example", "http://a@localhost",
                            "file://localhost", "http://localhost/path", "https://data.example:444", "localhost"}) {
    EXPECT_FALSE(passes(origin, "data.example")) << origin;
  }
  EXPECT_TRUE(passes("https://app.example", "data.example", {"https://app.example"}));
  EXPECT_FALSE(passes("https://app.example.evil", "data.example", {"https://app.example"}));
}

TEST(OriginCheck, RejectsTwoOrigins) {
  Request request;
  request.headers.add("Origin", "http://localhost");
  request.headers.add("Origin", "https://evil.example");
  EXPECT_FALSE(origin_fault({}, request).empty());
}

}  // namespace
}  // namespace ladder::http
