// What people call the records that a search found, and who wrote them: the fields that their source declares to be the title and
// the author (x_pdpp_role).
#pragma once

#include "port/search.h"
#include "rs/resource_server.h"

#include <vector>

namespace ladder::cli {

// Fills the title and the author of the hits that have none; empty where the source declares none, or the caller may not read
// them. Never a failure: a title is a courtesy.
void name_hits(rs::ResourceServer& server, const rs::Access& access, std::vector<port::SearchHit>& hits);

}  // namespace ladder::cli
