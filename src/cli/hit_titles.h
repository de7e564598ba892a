// What people call the records that a search found: the field which their source declares to be the title (x_pdpp_role).
#pragma once

#include "port/search.h"
#include "rs/resource_server.h"

#include <string>
#include <vector>

namespace ladder::cli {

// One for every hit, in order; empty where the source declares none, or the caller may not read it. Never a failure: a title is a
// courtesy.
std::vector<std::string> titles_of(rs::ResourceServer& server, const rs::Access& access,
                                   const std::vector<port::SearchHit>& hits);

}  // namespace ladder::cli
