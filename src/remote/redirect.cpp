#include "remote/redirect.h"

#include "base/text/format.h"
#include "http/message/message.h"
#include "http/middleware/host_check.h"

#include <algorithm>
#include <string_view>

namespace ladder::remote {
namespace {

constexpr std::size_t kMaxLocationBytes = 16 * 1024;

// Checks the characters of a URL (RFC 3986), so that all parsers see the same host.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c > 0x20 && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos; });
}

bool is_plain_http_allowed(const http::Origin& sender, const http::Origin& to) {
  if (sender.tls) return false;
  return same_origin(sender, to) || (http::is_loopback(sender.host) && http::is_loopback(to.host));
}

}  // namespace

bool is_redirect(const http::ClientResponse& response) {
  return response.status == 302 || response.status == 303 || response.status == 307 || response.status == 308;
}

bool same_origin(const http::Origin& a, const http::Origin& b) { return a.tls == b.tls && a.host == b.host && a.port == b.port; }

std::string address_of(const http::Origin& origin) { return (origin.tls ? "https://" : "http://") + origin.header; }

std::expected<Hop, std::string> next_hop(const http::Origin& sender, const http::ClientResponse& response) {
  const auto refused = [&](std::string_view why) {
    return std::unexpected(format("{} redirects (HTTP status {}) {}", address_of(sender), response.status, why));
  };
  std::string_view location = http::trimmed(response.headers.get("Location").value_or(""));
  if (location.empty()) return refused("without a Location");
  if (response.headers.count("Location") > 1) return refused("to several addresses at once");
  if (location.size() > kMaxLocationBytes || !is_plain(location)) return refused("to an invalid URL");
  location = location.substr(0, location.find('#'));

  Hop hop;
  if (location.starts_with('/') && !location.starts_with("//")) {
    hop.origin = sender;
    hop.target = location;
    return hop;
  }
  const std::size_t mark = location.starts_with("//") ? 0 : location.find("://");
  if (mark == std::string_view::npos) return refused("to something that is neither a URL nor a path");
  const std::string scheme(mark == 0 ? (sender.tls ? "https" : "http") : location.substr(0, mark));
  std::string_view rest = location.substr(mark == 0 ? 2 : mark + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) return refused("to an address with a user name in it");
  auto origin = http::parse_origin(format("{}://{}", scheme, authority));
  if (!origin) return refused("to something other than https://host");
  hop.origin = *std::move(origin);
  hop.target = rest.starts_with('/') ? rest : "/" + std::string(rest);
  if (!hop.origin.tls && !is_plain_http_allowed(sender, hop.origin)) {
    return refused(format("to {}, which is not encrypted; only https is followed there", address_of(hop.origin)));
  }
  return hop;
}

http::AddressScope closest_allowed_scope(http::AddressScope sender) {
  return sender == http::AddressScope::kSpecial ? http::AddressScope::kPrivate : sender;
}

Result<std::shared_ptr<http::Client>> OtherServers::client(const http::Origin& origin, http::AddressScope nearest) {
  const std::string address = address_of(origin);
  {
    const MutexLock lock(mutex_);
    if (last_ && origin_ == address && nearest_ == nearest) return last_;
  }
  http::ClientOptions options = options_;
  options.origin = address;
  options.nearest = nearest;
  LADDER_TRY(std::shared_ptr<http::Client> made, http::Client::create(options));
  const MutexLock lock(mutex_);
  origin_ = address;
  nearest_ = nearest;
  last_ = made;
  return made;
}

}  // namespace ladder::remote
