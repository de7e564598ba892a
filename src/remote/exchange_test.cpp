#include "remote/exchange.h"

#include "base/error/error.h"

#include <gtest/gtest.h>
#include <thread>

namespace ladder::remote {
namespace {

TEST(Endpoint, ParsesAddresses) {
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
  EXPECT_FALSE(parse_endpoint("http://127.0.0.1.data.example")->is_loopback) << "a name, whatever it resolves to";
}

TEST(Endpoint, RejectsInvalidAddresses) {
  for (const char* const text :
       {"", " ", "ftp://data.example", "https://", "https://a b", "https:///path", "http://x:port", "\xff"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, Code::kInvalidRequest);
    EXPECT_EQ(endpoint.error().param, "--provider-url");
  }
}

// Simulates Internet servers that redirect to addresses near this machine. The first response comes from a fake client; the
// redirect is followed by the real client.

using http::AddressScope;

// A server that reports the token kind and redirects every other request.
class RedirectingClient final : public http::Client {
 public:
  RedirectingClient(std::string location, AddressScope from, bool late)
      : location_(std::move(location)), from_(from), late_(late) {}
  std::expected<http::ClientResponse, http::ClientError> send(const http::ClientRequest& request, std::stop_token) override {
    http::ClientResponse response;
    if (request.target.find("/schema") != std::string::npos) {
      response.status = 200;
      response.body = R"({"bearer":{"token_kind":"client"}})";
      return response;
    }
    if (late_) std::this_thread::sleep_until(*request.deadline);
    response.status = 302;
    response.headers.set("Location", location_);
    response.from = from_;
    return response;
  }

 private:
  std::string location_;
  AddressScope from_;
  bool late_;
};

Result<http::ClientResponse> read(std::string location, AddressScope provider, bool late = false) {
  http::ClientOptions options;
  options.timeout = late ? std::chrono::milliseconds(50) : std::chrono::seconds(20);
  Exchange exchange(*parse_endpoint("https://data.example"), options,
                    std::make_unique<RedirectingClient>(std::move(location), provider, late),
                    std::make_shared<FixedToken>("token"));
  return exchange.bytes("blob", {}, {});
}

TEST(Exchange, NeverFollowsRedirectsToCloserAddresses) {
  const std::vector<std::pair<std::string, AddressScope>> refused = {
      {"https://127.0.0.1:1/x?sig=secret", AddressScope::kPublic},
      {"https://127.0.0.1:1/x?sig=secret", AddressScope::kPrivate},
      {"https://localhost:1/x?sig=secret", AddressScope::kPublic},
      {"https://127.1:1/x?sig=secret", AddressScope::kPublic},
      {"https://2130706433:1/x?sig=secret", AddressScope::kPublic},
      {"https://[::ffff:127.0.0.1]:1/x?sig=secret", AddressScope::kPublic},
      {"https://10.0.0.1/x?sig=secret", AddressScope::kPublic},
      {"https://[fd00::1]/x?sig=secret", AddressScope::kPublic},
      {"https://169.254.169.254/x?sig=secret", AddressScope::kPublic},
      {"https://169.254.169.254/x?sig=secret", AddressScope::kPrivate},
      {"https://169.254.169.254/x?sig=secret", AddressScope::kLoopback}};
  for (const auto& [location, provider] : refused) {
    const auto answer = read(location, provider);
    ASSERT_FALSE(answer) << location;
    EXPECT_EQ(answer.error().code, Code::kRsProtocol) << location << " " << answer.error().message;
    EXPECT_NE(answer.error().message.find("address"), std::string::npos) << answer.error().message;
    EXPECT_EQ(answer.error().message.find("secret"), std::string::npos) << answer.error().message;
  }
  // An allowed address is connected to, but nothing listens there.
  const auto home = read("https://127.0.0.1:1/x?sig=secret", AddressScope::kLoopback);
  ASSERT_FALSE(home);
  EXPECT_EQ(home.error().code, Code::kRsUnreachable) << home.error().message;
  EXPECT_NE(home.error().message.find("https://127.0.0.1:1"), std::string::npos) << home.error().message;
  EXPECT_EQ(home.error().message.find("secret"), std::string::npos) << home.error().message;
}

TEST(Exchange, HasOneTimeoutPerOperation) {
  const auto answer = read("https://127.0.0.1:1/x?sig=secret", AddressScope::kLoopback, true);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kRsTimeout) << "with its own timeout it finds no server: " << answer.error().message;
}

}  // namespace
}  // namespace ladder::remote
