// Addresses that strangers name: where a client wants its answer sent, and where it says it is described. Pure rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

struct Uri {
  std::string scheme;  // lower case
  std::string host;    // lower case, brackets of an IPv6 address kept; empty for private-use schemes without one
  std::string port;    // as written, empty when there is none
  std::string path;    // from the first slash on
  std::string query;   // with its question mark
  bool has_user = false;
  bool has_fragment = false;
};

// Printable ASCII without spaces, quotes, backslashes or angle brackets, with a scheme, at most 2,048 characters.
std::optional<Uri> parse_uri(std::string_view text);

bool is_loopback_host(std::string_view host);  // localhost, 127.0.0.1, [::1]: names that no other machine can have

// "https://claude.ai" of an address; empty without a host.
std::string origin_of(const Uri& uri);

// Says whether a client may register it: https to any host, http to this machine, private-use schemes of known programs or with a
// dot in their name (RFC 8252, 7.1); no user, no fragment.
bool is_acceptable_redirect(std::string_view uri);

// Exact, but for the port of this machine's addresses: a native program takes the one that is free (RFC 8252, 7.3).
bool is_same_redirect(std::string_view registered, std::string_view requested);

// https, a path, no user, query or fragment, no dot segments: what a client metadata document may be called.
bool is_document_address(std::string_view client_id);

// The address with parameters added to its query, percent-encoded.
std::string with_parameters(std::string_view uri, const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace ladder::auth
