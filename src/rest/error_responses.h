// Responses to requests that a handler or a token check refused.
#pragma once

#include "rest/addresses.h"
#include "rest/callers.h"

namespace ladder::rest {

class ErrorResponses {
 public:
  ErrorResponses(const Callers& callers, const Addresses& addresses, server::Reads& reads)
      : callers_(callers), addresses_(addresses), reads_(reads) {}

  // Tells a caller without a valid token where to get one (PDPP "tokens").
  http::Response refused(const Error& error, const http::Request& request, const Trace& trace) const;
  // The same for a routed request. An insufficient-access error lists the missing access in the form of an authorization request.
  http::Response failed(const Error& error, const http::Request& request, const http::Match& match, Trace& trace) const;

 private:
  const Callers& callers_;
  const Addresses& addresses_;
  server::Reads& reads_;
};

}  // namespace ladder::rest
