// Hits for people: of each its title, author and time, the text that proves it with the matched words in bold, and the commands
// that go on.
#pragma once

#include "api/search.h"
#include "cli/terminal/console.h"
#include "server/resource_server.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// `flags` end the commands that are printed; `group_command` gives the one that lists the hits of a group.
using GroupCommand = std::function<std::string(const std::string& group)>;
std::string hits_text(const Console& console, const std::vector<api::SearchHit>& hits, std::string_view flags,
                      const GroupCommand& group_command);

// A time as people read it: 2026-04-01, or 2026-04-01 12:30 with its zone; anything else as it stands.
std::string read_time(std::string_view text);

// Titles and authors of the records that a search found: the fields that their source declares to be the title and
// the author (x_pdpp_role).

// Fills the title and the author of the hits that have none; empty where the source declares none, or the caller may not read
// them. Never a failure: a title is a courtesy.
void name_hits(server::ResourceServer& server, const server::Access& access, std::vector<api::SearchHit>& hits);

}  // namespace ladder::cli
