// The answer of PDPP's own consent endpoints to an approval: the grant, or the grants of several sources as a package,
// and the token when there is one to give.
#pragma once

#include "auth/authorization.h"
#include "http/message/message.h"

namespace ladder::pages {

http::Response approval_answer(const auth::TokenAnswer& answer);

}  // namespace ladder::pages
