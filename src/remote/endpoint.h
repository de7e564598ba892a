// Where a resource server is: its address, taken apart once. A path in it stays in front of every target.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace ladder::remote {

struct Endpoint {
  std::string url;        // https://host[:port][/prefix], without a slash at its end; fit to show
  std::string origin;     // https://host[:port]
  std::string prefix;     // "" or "/prefix"
  std::string authority;  // host[:port], as written
  bool tls = true;
  bool is_loopback = false;
};

// https:// unless it says http://; user name, query and fragment are left out. kInvalidRequest for anything else.
Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace ladder::remote
