// Responses to requests that a handler or a token check refused.
#pragma once

#include "rest/addresses.h"
#include "rest/call.h"
#include "server/read/reads.h"

namespace ladder::rest {

// Tells a caller without a valid token where to get one (PDPP "tokens").
http::Response refused(const Addresses& addresses, const Error& error, const http::Request& request, const Trace& trace);
// The same for a routed request. An insufficient-access error lists the missing access in the form of an authorization request.
http::Response failed(const Addresses& addresses, server::Reads& reads, const Error& error, const Call& call);

}  // namespace ladder::rest
