#include "remote/endpoint.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace ladder::remote {
namespace {

TEST(Endpoint, is_taken_apart) {
  const auto plain = parse_endpoint("http://127.0.0.1:8080/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->url, "http://127.0.0.1:8080");
  EXPECT_EQ(plain->authority, "127.0.0.1:8080");
  EXPECT_TRUE(plain->is_loopback && !plain->tls && plain->prefix.empty());

  const auto prefixed = parse_endpoint(" https://ada:secret@data.example/owner/ada/?q=1#top ");
  ASSERT_TRUE(prefixed);
  EXPECT_EQ(prefixed->url, "https://data.example/owner/ada");
  EXPECT_EQ(prefixed->origin, "https://data.example");
  EXPECT_EQ(prefixed->prefix, "/owner/ada");
  EXPECT_FALSE(prefixed->is_loopback);

  const auto bare = parse_endpoint("data.example");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->url, "https://data.example");
  EXPECT_TRUE(parse_endpoint("http://[::1]:7663")->is_loopback);
  EXPECT_FALSE(parse_endpoint("http://127.0.0.1.data.example")->is_loopback) << "a name, wherever it leads";
}

TEST(Endpoint, refuses_what_is_no_address) {
  for (const char* const text :
       {"", " ", "ftp://data.example", "https://", "https://a b", "https:///path", "http://x:port", "\xff"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, Code::kInvalidRequest);
    EXPECT_EQ(endpoint.error().param, "--provider-url");
  }
}

}  // namespace
}  // namespace ladder::remote
