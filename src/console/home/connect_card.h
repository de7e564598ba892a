// How an agent is connected: the address to copy, links and lines of each host.
#pragma once

#include "auth/authorization.h"
#include "html/html.h"

namespace ladder::console {

html::Writer connect_card(const auth::Place& place);

}  // namespace ladder::console
