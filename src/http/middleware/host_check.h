// Host headers and origins taken apart: what host_check and origin_check both compare.
#pragma once

#include "http/message/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

struct HostName {
  std::string host;  // lower case; an IPv6 address without its brackets
  std::string port;  // empty when none is given

  bool operator==(const HostName&) const = default;
};

// "localhost", "localhost:7663", "[::1]:7663"; nullopt for anything else, such as user@host, a path or a bad port.
std::optional<HostName> parse_host(std::string_view text);

bool is_loopback(std::string_view host);  // localhost, 127.0.0.0/8 or ::1, as parse_host writes them

// A page in the owner's browser can make any name resolve to 127.0.0.1 (DNS rebinding); the Host header still tells its name. A
// server bound to loopback therefore answers to loopback names and to the public names it was given, and to no other.
struct HostRule {
  std::string bound_address;              // what the server listens on, e.g. "127.0.0.1" or "0.0.0.0"
  std::vector<std::string> public_hosts;  // names given in the configuration; with a port, that port only
};

// Empty when the request may go on, else why it is answered 421. A public bind without configured names takes every Host.
std::string host_fault(const HostRule& rule, const Request& request);

// Says whether `host` (a Host header) is one of the names in the list.
bool is_named(const std::vector<std::string>& names, std::string_view host);

// A browser says in the Origin header which page sends a request. Pages of this host and of loopback may; others need to be
// configured. Programs send no Origin and pass.

// `allowed` holds whole origins, e.g. "https://app.example". Empty when the request may go on, else why it is answered 403.
std::string origin_fault(const std::vector<std::string>& allowed, const Request& request);

}  // namespace ladder::http
