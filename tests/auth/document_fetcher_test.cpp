// Client documents are fetched from public addresses only: no name or spelling reaches a server inside.
#include "auth/clients.h"
#include "base/text/format.h"
#include "support/server_fixture.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace ladder::auth {
namespace {

// Listens on every address of this machine and counts connections.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET6, SOCK_STREAM, 0)) {
    const int off = 0;
    setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_any;
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin6_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  bool was_called() const {
    pollfd watched{socket_, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
  }

 private:
  int socket_;
  int port_ = 0;
};

TEST(DocumentFetcher, ConnectsToNoInternalAddress) {
  const Listener listener;
  const auto fetcher = make_document_fetcher();
  for (const char* host : {"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "localhost", "2130706433", "0x7f000001", "0x7f.1",
                           "017700000001", "0", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
                           "[0:0:0:0:0:ffff:7f00:0001]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"}) {
    const auto answer = fetcher->fetch(format("https://{}:{}/client.json", host, listener.port()));
    ASSERT_FALSE(answer) << host;
    EXPECT_EQ(answer.error().code, Code::kInvalidRequest) << host;
    EXPECT_FALSE(listener.was_called()) << host;
  }
}

TEST(DocumentFetcher, RefusesInternalAddressesBeforeConnecting) {
  const auto fetcher = make_document_fetcher();
  for (const char* host : {"10.0.0.1",          "10.255.255.255",
                           "100.64.0.1",        "169.254.169.254",
                           "172.16.0.1",        "172.31.255.255",
                           "192.0.0.8",         "192.0.2.1",
                           "192.168.0.1",       "192.168.255.255",
                           "198.18.0.1",        "198.51.100.1",
                           "203.0.113.1",       "224.0.0.1",
                           "240.0.0.1",         "255.255.255.255",
                           "3232235777",        "0xa9fea9fe",
                           "[fc00::1]",         "[fd12:3456::1]",
                           "[fe80::1]",         "[ff02::1]",
                           "[fec0::1]",         "[2001:db8::1]",
                           "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]",
                           "[64:ff9b::a00:1]",  "[2002:a00:1::1]",
                           "[100::1]"}) {
    const auto answer = fetcher->fetch(format("https://{}/client.json", host));
    ASSERT_FALSE(answer) << host;
    EXPECT_NE(answer.error().message.find("not a public one"), std::string::npos) << host << ": " << answer.error().message;
  }
  for (const char* address : {"http://claude.ai/x", "https://claude.ai", "https://u@claude.ai/x", "https://claude.ai/x#y",
                              "https://claude.ai/../x", "file:///etc/passwd", "ftp://claude.ai/x", ""}) {
    EXPECT_FALSE(fetcher->fetch(address)) << address;
  }
}

// Counts its requests and always fails.
class Nothing final : public DocumentFetcher {
 public:
  explicit Nothing(int& asked) : asked_(asked) {}
  Result<Document> fetch(const std::string&) override {
    ++asked_;
    return fail(Code::kInvalidRequest, "it answered with status 404, not 200");
  }

 private:
  int& asked_;
};

TEST(RateLimitedFetcher, DoesNotRetryAFailureAtOnce) {
  test_support::StillClock clock;
  int asked = 0;
  const auto fetcher = make_rate_limited_fetcher(std::make_unique<Nothing>(asked), clock);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(fetcher->fetch("https://a.example/client.json").error().message, "it answered with status 404, not 200");
  }
  EXPECT_EQ(asked, 1);
  clock.move(31 * kSecond);
  EXPECT_FALSE(fetcher->fetch("https://a.example/client.json"));
  EXPECT_EQ(asked, 2);
}

TEST(RateLimitedFetcher, LimitsRequestsToOneHost) {
  test_support::StillClock clock;
  int asked = 0;
  const auto fetcher = make_rate_limited_fetcher(std::make_unique<Nothing>(asked), clock);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(fetcher->fetch(format("https://victim.example/{}", i)));
  EXPECT_EQ(asked, 20) << "of one host within a minute";
  EXPECT_FALSE(fetcher->fetch("https://other.example/client.json"));
  EXPECT_EQ(asked, 21) << "others are not held back by it";
  clock.move(61 * kSecond);
  EXPECT_FALSE(fetcher->fetch("https://victim.example/again"));
  EXPECT_EQ(asked, 22);
}

}  // namespace
}  // namespace ladder::auth
