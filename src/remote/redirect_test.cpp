#include "remote/redirect.h"

#include <gtest/gtest.h>

namespace ladder::remote {
namespace {

http::Origin origin(const char* text) { return *http::parse_origin(text); }

http::ClientResponse found(std::string location) {
  http::ClientResponse response;
  response.status = 302;
  response.headers.set("Location", std::move(location));
  return response;
}

TEST(Redirect, RecognizesRedirects) {
  http::ClientResponse response;
  for (const int status : {302, 303, 307, 308}) {
    response.status = status;
    EXPECT_TRUE(is_redirect(response)) << status;
  }
  for (const int status : {200, 206, 300, 301, 304, 305, 400}) {
    response.status = status;
    EXPECT_FALSE(is_redirect(response)) << status;
  }
}

TEST(Redirect, ResolvesTheTarget) {
  const auto provider = origin("https://data.example");
  const auto hop = next_hop(provider, found(" https://Store.example:8443/b/1?sig=x%2F&exp=2#top "));
  ASSERT_TRUE(hop) << hop.error();
  EXPECT_EQ(address_of(hop->origin), "https://store.example:8443");
  EXPECT_EQ(hop->target, "/b/1?sig=x%2F&exp=2");
  EXPECT_EQ(next_hop(provider, found("https://store.example"))->target, "/");
  EXPECT_EQ(next_hop(provider, found("https://store.example?sig=x"))->target, "/?sig=x");
  const auto path = next_hop(provider, found("/files/1?sig=x"));
  ASSERT_TRUE(path);
  EXPECT_TRUE(same_origin(path->origin, provider));
  EXPECT_TRUE(next_hop(provider, found("//store.example/x"))->origin.tls) << "as the sender";
  EXPECT_TRUE(same_origin(next_hop(provider, found("HTTPS://DATA.example:443/x"))->origin, provider));
}

TEST(Redirect, RejectsInvalidTargets) {
  const auto provider = origin("https://data.example");
  for (const char* const location :
       {"", " ", "http://store.example/?sig=secret", "http://data.example/?sig=secret", "ftp://store.example/?sig=secret",
        "file:///etc/passwd?secret", "javascript:secret", "relative?sig=secret", "https://", "https:///path?secret",
        "https://ada:secret@store.example/", "https://store.example@evil.example/secret", "https://store.example\\@evil/secret",
        "https://store example/secret", "https://store.example:x/secret", "https://[::1/secret", "https://\xff/secret", "?secret",
        "https://store.example/\x7fsecret"}) {
    const auto hop = next_hop(provider, found(location));
    ASSERT_FALSE(hop) << location;
    EXPECT_EQ(hop.error().find("secret"), std::string::npos) << hop.error();
    EXPECT_NE(hop.error().find("https://data.example"), std::string::npos) << hop.error();
  }
  EXPECT_FALSE(next_hop(provider, found("https://store.example/" + std::string(20'000, 'x'))));
  http::ClientResponse two = found("https://store.example/");
  two.headers.add("Location", "https://other.example/");
  EXPECT_FALSE(next_hop(provider, two));
}

TEST(Redirect, AllowsHttpOnlyLocally) {
  const auto home = origin("http://127.0.0.1:7663");
  EXPECT_TRUE(next_hop(home, found("http://127.0.0.1:9000/x")));
  EXPECT_TRUE(next_hop(home, found("http://localhost/x")));
  EXPECT_TRUE(next_hop(home, found("http://[::1]:9000/x")));
  EXPECT_TRUE(next_hop(home, found("https://store.example/x")));
  EXPECT_FALSE(next_hop(home, found("http://store.example/x")));
  EXPECT_FALSE(next_hop(home, found("http://127.0.0.1.store.example/x")));
  EXPECT_FALSE(next_hop(origin("https://127.0.0.1:7663"), found("http://127.0.0.1:9000/x"))) << "no downgrade";
  const auto plain = origin("http://data.example");
  EXPECT_TRUE(next_hop(plain, found("http://data.example/x"))) << "itself";
  EXPECT_FALSE(next_hop(plain, found("http://data.example:8080/x")));
  EXPECT_FALSE(next_hop(plain, found("http://127.0.0.1/x")));
}

TEST(Redirect, LimitsTheAddressScope) {
  using http::AddressScope;
  EXPECT_EQ(closest_allowed_scope(AddressScope::kPublic), AddressScope::kPublic);
  EXPECT_EQ(closest_allowed_scope(AddressScope::kPrivate), AddressScope::kPrivate);
  EXPECT_EQ(closest_allowed_scope(AddressScope::kLoopback), AddressScope::kLoopback);
  EXPECT_EQ(closest_allowed_scope(AddressScope::kSpecial), AddressScope::kPrivate);
}

}  // namespace
}  // namespace ladder::remote
