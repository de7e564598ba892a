#include "http/message/origin.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ladder::http {
namespace {

AddressScope scope(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  const bool is_v6 = text.find(':') != std::string::npos;
  EXPECT_EQ(inet_pton(is_v6 ? AF_INET6 : AF_INET, text.c_str(), bytes.data()), 1) << text;
  return address_scope_of(std::span(bytes).first(is_v6 ? 16 : 4));
}

TEST(AddressScope, ClassifiesAddresses) {
  for (const char* const text :
       {"1.1.1.1",          "9.255.255.255",   "11.0.0.0",        "100.63.255.255",       "100.128.0.0", "126.255.255.255",
        "128.0.0.0",        "172.15.255.255",  "172.32.0.0",      "192.167.255.255",      "192.169.0.0", "198.17.255.255",
        "198.20.0.0",       "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888", "2a00::1",     "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1"}) {
    EXPECT_EQ(scope(text), AddressScope::kPublic) << text;
  }
  for (const char* const text : {"10.0.0.1", "100.64.0.1", "100.127.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1",
                                 "fc00::1", "fdff::1", "::ffff:10.0.0.1", "64:ff9b::192.168.0.1", "2002:a00:1::1"}) {
    EXPECT_EQ(scope(text), AddressScope::kPrivate) << text;
  }
  for (const char* const text : {"127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"}) {
    EXPECT_EQ(scope(text), AddressScope::kLoopback) << text;
  }
  for (const char* const text : {"0.0.0.0",        "169.254.169.254", "192.0.0.8",   "192.0.2.1", "198.18.0.1",
                                 "198.19.255.255", "198.51.100.1",    "203.0.113.1", "224.0.0.1", "239.1.1.1",
                                 "240.0.0.1",      "255.255.255.255", "::",          "::7f00:1",  "fe80::1",
                                 "febf::1",        "fec0::1",         "ff02::1",     "2001::1",   "2001:db8::1",
                                 "3fff::1",        "64:ff9b:1::1",    "100::1",      "4000::1",   "::ffff:169.254.169.254"}) {
    EXPECT_EQ(scope(text), AddressScope::kSpecial) << text;
  }
  EXPECT_EQ(address_scope_of({}), AddressScope::kSpecial);
}

TEST(Origin, CanonicalTextMatchesBrowsers) {
  for (const auto& [given, written] : {std::pair{"HTTPS://Data.Example:443/", "https://data.example"},
                                       {"http://data.example:80", "http://data.example"},
                                       {"https://data.example:80", "https://data.example:80"},
                                       {"http://[::1]:7663", "http://[::1]:7663"},
                                       {"https://[::1]", "https://[::1]"}}) {
    const auto origin = parse_origin(given);
    ASSERT_TRUE(origin) << given;
    EXPECT_EQ(canonical_text(*origin), written);
  }
}

}  // namespace
}  // namespace ladder::http
