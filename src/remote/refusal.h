// Turns a server's refusal (PDPP "errors", PDPP "errors") into the Error that this process would have made.
#pragma once

#include "base/error/error.h"
#include "http/client.h"

#include <string_view>

namespace ladder::remote {

// The same code, parameter, choices and details. A code that is not in our list becomes the nearest one of its HTTP status, and
// its own name is kept as `rule`; a body that is no envelope is named by its status, http_502.
Error refusal_of(const http::ClientResponse& response, std::string_view server, std::string_view operation);

// The server's id of the request, by header (PDPP "servers and adapters"); empty when it does not say, or not in plain words.
std::string request_id_of(const http::ClientResponse& response);

// Turns the refusal of a server that it sent on to into an Error. That one knows nothing of tokens and grants, so its status says
// little and its words may repeat what the signed URL is made of: only the status is told, and what to do.
Error refused_elsewhere(int status, std::string_view server, std::string_view elsewhere, std::string_view operation);

}  // namespace ladder::remote
