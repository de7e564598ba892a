// Renders search hits for people: title, author and time, the matching text with the words in bold, and the commands to
// continue.
#pragma once

#include "api/search.h"
#include "cli/terminal/console.h"
#include "server/read/reads.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// `flags` are appended to the printed commands; `group_command` returns the command that lists the hits of a group.
using GroupCommand = std::function<std::string(const std::string& group)>;
std::string hits_text(const Console& console, const std::vector<api::SearchHit>& hits, std::string_view flags,
                      const GroupCommand& group_command);

// The same in about three lines a hit, numbered on from `first`, for a person at a terminal: `ladder show NUMBER` and
// `ladder more NUMBER` continue (last_list.h).
std::string numbered_hits_text(const Console& console, const std::vector<api::SearchHit>& hits, std::size_t first);

// Formats a time for people: 2026-04-01, or 2026-04-01 12:30 with its zone; other text is unchanged.
std::string read_time(std::string_view text);

// Looks up titles and authors of search hits: the fields that the source declares as title and author (x_pdpp_role).

// Fills in missing titles and authors. They stay empty if the source declares none or the caller may not read them. Never
// fails, since titles are optional.
void name_hits(server::Reads& reads, const server::Access& access, std::vector<api::SearchHit>& hits);

}  // namespace ladder::cli
