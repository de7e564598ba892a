// A page in the owner's browser can make any name resolve to 127.0.0.1 (DNS rebinding); the Host header still tells its name. A
// server bound to loopback therefore answers to loopback names and to the public names it was given, and to no other.
#pragma once

#include "http/message.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::http {

struct HostRule {
  std::string bound_address;              // what the server listens on, e.g. "127.0.0.1" or "0.0.0.0"
  std::vector<std::string> public_hosts;  // names given in the configuration; with a port, that port only
};

// Empty when the request may go on, else why it is answered 421. A public bind without configured names takes every Host.
std::string host_fault(const HostRule& rule, const Request& request);

// Whether `host` (a Host header) is one of the names in the list.
bool is_named(const std::vector<std::string>& names, std::string_view host);

}  // namespace ladder::http
