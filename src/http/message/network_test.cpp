#include "http/message/network.h"

#include <gtest/gtest.h>

namespace ladder::http {
namespace {

bool is_in(std::string_view address, std::string_view network) { return Network::parse(network).value().contains(address); }

TEST(Network, ContainsTheAddressesOfItsPrefix) {
  EXPECT_TRUE(is_in("10.1.2.3", "10.0.0.0/8"));
  EXPECT_FALSE(is_in("11.1.2.3", "10.0.0.0/8"));
  EXPECT_TRUE(is_in("192.168.7.255", "192.168.4.0/22"));
  EXPECT_FALSE(is_in("192.168.8.0", "192.168.4.0/22"));
  EXPECT_TRUE(is_in("203.0.113.7", "203.0.113.7"));
  EXPECT_FALSE(is_in("203.0.113.8", "203.0.113.7"));
  EXPECT_TRUE(is_in("fd00:1::2", "fd00::/8"));
  EXPECT_FALSE(is_in("fe80::1", "fd00::/8"));
  EXPECT_TRUE(is_in("::ffff:10.1.2.3", "10.0.0.0/8")) << "IPv4 in IPv6 form";
  EXPECT_FALSE(is_in("::1", "0.0.0.0/0")) << "the other family";
  EXPECT_FALSE(is_in("not an address", "::/0"));
}

TEST(Network, IsAnAddressWithAnOptionalPrefix) {
  for (const std::string_view text :
       {"", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "proxy.example", "::/129", "10.0.0.0/8 "})
    EXPECT_FALSE(Network::parse(text)) << text;
}

}  // namespace
}  // namespace ladder::http
