// Cross-origin resource sharing (the Fetch standard): pages of an origin that the operator allowed may call this server from a
// browser, read its answers, and are told so when the browser asks beforehand. Nobody else is told anything. No credentials but
// the token that the page itself sends take part.
#pragma once

#include "http/message/message.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::http {

// The answer to a preflight (OPTIONS with Access-Control-Request-Method) of an allowed origin; the same for every path, so that
// it says nothing of what exists. nullopt for any other request.
std::optional<Response> preflight_answer(const std::vector<std::string>& allowed, const Request& request);

// Lets an allowed origin read the answer and the headers that its client needs.
void send_cors(const std::vector<std::string>& allowed, const Request& request, Response& response);

}  // namespace ladder::http
