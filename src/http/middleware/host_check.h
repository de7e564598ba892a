// Checks the Host and Origin headers of requests.
#pragma once

#include "http/message/message.h"
#include "http/message/origin.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

// A web page in the owner's browser can make any name resolve to 127.0.0.1 (DNS rebinding), but the Host header still contains
// that name. A server bound to loopback therefore accepts only loopback names and its configured public names.
struct HostRule {
  std::string bound_address;              // the listening address, e.g. "127.0.0.1" or "0.0.0.0"
  std::vector<std::string> public_hosts;  // configured names; with a port, only that port
};

// Returns "" if the request is allowed, else the reason for a 421. A public bind without configured names accepts every Host.
std::string host_fault(const HostRule& rule, const Request& request);

// Reports whether `host` (a Host header) is in the list.
bool is_named(const std::vector<std::string>& names, std::string_view host);

// Browsers name the page that sends a request in the Origin header. Pages of this host and of loopback are allowed; others must
// be configured. Programs send no Origin and are allowed.

// `allowed` contains complete origins, e.g. "https://app.example". Returns "" if the request is allowed, else the reason for a
// 403.
std::string origin_fault(const std::vector<std::string>& allowed, const Request& request);

}  // namespace ladder::http
