// Parses and checks untrusted URIs: redirect URIs and client metadata document URLs. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

struct Uri {
  std::string scheme;  // lower case
  std::string host;    // lower case, with the brackets of an IPv6 address; empty for private-use schemes without a host
  std::string port;    // as written; empty if absent
  std::string path;    // from the first slash on
  std::string query;   // with the question mark
  bool has_user = false;
  bool has_fragment = false;
};

// Accepts printable ASCII without spaces, quotes, backslashes or angle brackets, with a scheme, at most 2,048
// characters.
std::optional<Uri> parse_uri(std::string_view text);

bool is_loopback_host(std::string_view host);  // localhost, 127.0.0.1, [::1]

// Returns the origin, such as "https://claude.ai"; empty without a host.
std::string origin_of(const Uri& uri);

// Returns true if a client may register the URI: https to any host, http to this machine, or a private-use scheme
// that is known or contains a dot (RFC 8252, 7.1); without user and fragment.
bool is_acceptable_redirect(std::string_view uri);

// Compares exactly, except for the port of loopback addresses, which native programs choose at run time (RFC 8252,
// 7.3).
bool is_same_redirect(std::string_view registered, std::string_view requested);

// Returns true for a valid client metadata document URL: https with a path, and without user, query, fragment or dot
// segments.
bool is_document_address(std::string_view client_id);

// Adds percent-encoded parameters to the query of the URI.
std::string with_parameters(std::string_view uri, const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace ladder::auth
