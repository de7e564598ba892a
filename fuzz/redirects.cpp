// Redirects of blob reads to another address: the first line of the input is the server's own origin, the rest its
// Location. Both are rejected, or give a target that fits into a request line, encrypted wherever required; and
// messages do not depend on the query, which is a credential.
#include "frame.h"
#include "http/middleware/host_check.h"
#include "remote/redirect.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

std::expected<remote::Hop, std::string> follow(const http::Origin& sender, std::string_view location) {
  http::ClientResponse response;
  response.status = 302;
  response.headers.set("Location", std::string(location));
  return remote::next_hop(sender, response);
}

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::string without_secrets(std::string_view location) {
  std::string text(location);
  const auto query = std::ranges::find(text, '?');
  std::replace_if(query, text.end(), is_letter_or_digit, 'q');
  return text;
}

}  // namespace

void run(std::string_view input) {
  const auto sender = http::parse_origin(take_line(input));
  if (!sender) return;
  const Exact location(input);
  const auto hop = follow(*sender, location.view());
  const auto masked = follow(*sender, without_secrets(location.view()));
  FUZZ_CHECK(hop.has_value() == masked.has_value());
  if (!hop) {
    FUZZ_CHECK(hop.error() == masked.error());
    return;
  }
  FUZZ_CHECK(remote::same_origin(hop->origin, masked->origin));
  FUZZ_CHECK(!hop->origin.host.empty() && hop->target.starts_with('/'));
  FUZZ_CHECK(std::ranges::all_of(hop->target, [](char c) { return c > ' ' && c < 0x7F && c != '#'; }));
  FUZZ_CHECK(hop->origin.header.find_first_of("/?#@ \r\n") == std::string::npos);
  const bool stays = remote::same_origin(*sender, hop->origin);
  const bool on_this_machine = http::is_loopback(sender->host) && http::is_loopback(hop->origin.host);
  FUZZ_CHECK(hop->origin.tls || (!sender->tls && (stays || on_this_machine)));
  // The absolute address leads to the same target.
  const auto again = follow(*sender, remote::address_of(hop->origin) + hop->target);
  FUZZ_CHECK(again && remote::same_origin(again->origin, hop->origin) && again->target == hop->target);
}

}  // namespace ladder::fuzz
