// The access token of a request: "Authorization: Bearer TOKEN". Nowhere else is one looked for, and none is ever repeated in an
// answer.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"

#include <string>

namespace ladder::http {

// kAuthentication when there is none, or more than one, or it is empty, too long or has characters no token has.
Result<std::string> bearer_token(const Request& request);

}  // namespace ladder::http
