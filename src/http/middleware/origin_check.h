// A browser says in the Origin header which page sends a request. Pages of this host and of loopback may; others need to be
// configured. Programs send no Origin and pass.
#pragma once

#include "http/message.h"

#include <string>
#include <vector>

namespace ladder::http {

// `allowed` holds whole origins, e.g. "https://app.example". Empty when the request may go on, else why it is answered 403.
std::string origin_fault(const std::vector<std::string>& allowed, const Request& request);

}  // namespace ladder::http
