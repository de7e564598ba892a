// Converts a server's error response (PDPP "errors") to the Error that this process would return.
#pragma once

#include "base/error/error.h"
#include "http/client.h"

#include <string_view>

namespace ladder::remote {

// Keeps code, parameter, choices and details. An unknown code becomes the closest one for its HTTP status and is kept as
// `rule`; a body that is not an error envelope is named after its status, http_502.
Error refusal_of(const http::ClientResponse& response, std::string_view server, std::string_view operation);

// Returns the server's request id from its header (PDPP "servers and adapters"); empty if it is missing or contains unusual
// characters.
std::string request_id_of(const http::ClientResponse& response);

// Converts the error response of a redirect target to an Error. That server does not know tokens and grants, so its status means
// little, and its text may contain parts of the signed URL: only the status and the remedy are reported.
Error redirect_target_error(int status, std::string_view server, std::string_view elsewhere, std::string_view operation);

}  // namespace ladder::remote
