#include "http/message/network.h"

#include "base/text/number.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace ladder::http {
namespace {

constexpr int kIpv4Prefix = 96;  // the bits before an IPv4 address in IPv6 form

}  // namespace

std::optional<Network::Bytes> Network::bytes_of(std::string_view address) {
  Bytes bytes{};
  const std::string text(address);
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return bytes;
  bytes[10] = bytes[11] = 0xff;
  if (::inet_pton(AF_INET, text.c_str(), bytes.data() + kIpv4Prefix / 8) == 1) return bytes;
  return std::nullopt;
}

std::optional<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto first = bytes_of(text.substr(0, slash));
  if (!first) return std::nullopt;
  Network network;
  network.first_ = *first;
  if (slash == std::string_view::npos) return network;
  const int before = text.find(':') == std::string_view::npos ? kIpv4Prefix : 0;
  const auto bits = parse_number<int>(text.substr(slash + 1));
  if (!bits || *bits < 0 || *bits > 128 - before) return std::nullopt;
  network.bits_ = before + *bits;
  return network;
}

bool Network::contains(std::string_view address) const {
  const auto bytes = bytes_of(address);
  if (!bytes) return false;
  const auto whole = static_cast<std::size_t>(bits_ / 8);
  if (!std::equal(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(whole), bytes->begin())) return false;
  const int rest = bits_ % 8;
  return rest == 0 || (first_[whole] ^ (*bytes)[whole]) >> (8 - rest) == 0;
}

}  // namespace ladder::http
