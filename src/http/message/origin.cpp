#include "http/message/origin.h"

#include "base/text/format.h"
#include "http/message/message.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ladder::http {
namespace {

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'; }
bool is_address_char(char c) { return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.'; }

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_port(std::string_view text) { return is_digits(text) && text.size() <= 5; }

// Accepts four numbers of at most three digits; 127.0.0.1.evil.example does not match.
bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const auto dot = text.find('.');
    const auto number = text.substr(0, dot);
    if (!is_digits(number) || number.size() > 3) return false;
    if ((dot == std::string_view::npos) != (part == 3)) return false;
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  }
  return true;
}

}  // namespace

std::optional<HostName> parse_host(std::string_view text) {
  HostName name;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name.host = lowered(text.substr(1, end - 1));
    if (name.host.empty() || !std::ranges::all_of(name.host, is_address_char)) return std::nullopt;
    text.remove_prefix(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    name.host = lowered(text.substr(0, colon));
    if (name.host.empty() || !std::ranges::all_of(name.host, is_name_char)) return std::nullopt;
    text.remove_prefix(colon);
  }
  if (text.empty()) return name;
  if (text.front() != ':' || !is_port(text.substr(1))) return std::nullopt;
  name.port = text.substr(1);
  return name;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_ipv4(host));
}

Result<Origin> parse_origin(std::string_view text) {
  const auto bad = [&] {
    return fail(Code::kInvalidRequest,
                format("\"{}\" is not a server address; use http://host:port or https://host", text.substr(0, 200)));
  };
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return bad();
  Origin origin;
  origin.tls = equal_without_case(text.substr(0, mark), "https");
  if (!origin.tls && !equal_without_case(text.substr(0, mark), "http")) return bad();
  auto authority = text.substr(mark + 3);
  if (authority.ends_with('/')) authority.remove_suffix(1);
  auto name = parse_host(authority);
  if (!name) return bad();
  origin.host = name->host;
  origin.header = name->host.find(':') == std::string::npos ? name->host : "[" + name->host + "]";
  if (!name->port.empty()) origin.header += ":" + name->port;
  origin.port = !name->port.empty() ? name->port : origin.tls ? "443" : "80";
  return origin;
}

std::string canonical_text(const Origin& origin) {
  const std::string name = origin.host.find(':') == std::string::npos ? origin.host : "[" + origin.host + "]";
  const bool usual = origin.port == (origin.tls ? "443" : "80");
  return format("{}://{}{}", origin.tls ? "https" : "http", name, usual ? "" : ":" + origin.port);
}

// The ranges are IANA's registries of special-purpose addresses (RFC 6890 and its updates).

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;

struct Range {
  std::array<std::uint8_t, kV6Bytes> prefix;
  std::size_t bits;
  AddressScope scope;
};

constexpr auto kV4Ranges = std::to_array<Range>({
    {{0}, 8, AddressScope::kSpecial},
    {{10}, 8, AddressScope::kPrivate},
    {{100, 64}, 10, AddressScope::kPrivate},
    {{127}, 8, AddressScope::kLoopback},
    {{169, 254}, 16, AddressScope::kSpecial},
    {{172, 16}, 12, AddressScope::kPrivate},
    {{192, 0, 0}, 24, AddressScope::kSpecial},
    {{192, 0, 2}, 24, AddressScope::kSpecial},
    {{192, 88, 99}, 24, AddressScope::kSpecial},
    {{192, 168}, 16, AddressScope::kPrivate},
    {{198, 18}, 15, AddressScope::kSpecial},
    {{198, 51, 100}, 24, AddressScope::kSpecial},
    {{203, 0, 113}, 24, AddressScope::kSpecial},
    {{224}, 3, AddressScope::kSpecial},
});

constexpr auto kV6Ranges = std::to_array<Range>({
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, AddressScope::kLoopback},
    {{0xfc}, 7, AddressScope::kPrivate},
    {{0x20, 0x01}, 23, AddressScope::kSpecial},  // protocol assignments, including Teredo
    {{0x20, 0x01, 0x0d, 0xb8}, 32, AddressScope::kSpecial},
    {{0x3f, 0xff}, 20, AddressScope::kSpecial},
    {{0x20}, 3, AddressScope::kPublic},
});

// Extracts an IPv4 address embedded in an IPv6 one: mapped, NAT64, 6to4.
struct Holder {
  std::array<std::uint8_t, kV6Bytes> prefix;
  std::size_t bits, at;
};
constexpr auto kHolders = std::to_array<Holder>({
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12},
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12},
    {{0x20, 0x02}, 16, 2},
});

bool begins_with(Bytes address, Bytes prefix, std::size_t bits) {
  const std::size_t whole = bits / 8;
  if (!std::ranges::equal(address.first(whole), prefix.first(whole))) return false;
  const std::size_t rest = bits % 8;
  return rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

template <std::size_t kCount>
AddressScope find_in(const std::array<Range, kCount>& ranges, Bytes address, AddressScope otherwise) {
  const auto found =
      std::ranges::find_if(ranges, [&](const Range& range) { return begins_with(address, range.prefix, range.bits); });
  return found == ranges.end() ? otherwise : found->scope;
}

}  // namespace

AddressScope address_scope_of(Bytes address) {
  if (address.size() == kV4Bytes) return find_in(kV4Ranges, address, AddressScope::kPublic);
  if (address.size() != kV6Bytes) return AddressScope::kSpecial;
  for (const Holder& holder : kHolders) {
    if (begins_with(address, holder.prefix, holder.bits)) return address_scope_of(address.subspan(holder.at, kV4Bytes));
  }
  return find_in(kV6Ranges, address, AddressScope::kSpecial);
}

std::string_view word_for(AddressScope scope) {
  switch (scope) {
    case AddressScope::kPublic:
      return "public";
    case AddressScope::kPrivate:
      return "private";
    case AddressScope::kLoopback:
      return "loopback";
    case AddressScope::kSpecial:
      break;
  }
  return "special-purpose";
}

}  // namespace ladder::http
