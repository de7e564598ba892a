// "http://host:port" or "https://host[:port]", taken apart for the client.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace ladder::http {

struct Origin {
  bool tls = false;
  std::string host;    // without brackets
  std::string port;    // as given, else 80 or 443
  std::string header;  // for the Host header: brackets and port as needed
};

// A trailing slash is taken; user names, paths and queries are not. kInvalidRequest.
Result<Origin> parse_origin(std::string_view text);

}  // namespace ladder::http
