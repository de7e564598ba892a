// Renders grants for the grant commands and doctor.
#pragma once

#include "cli/terminal/console.h"
#include "server/owner/grants.h"
#include "server/owner/owner_ledger.h"

#include <string>

namespace ladder::cli {

void show_grant(Console& console, const server::GrantSummary& summary,
                const server::ReadBudget* budget = nullptr);  // several lines, or JSON if requested

std::string budget_text(const server::ReadBudget& budget);

// Returns "title, path (added: the key), text (added: required by the source)", or only the names if the origins are
// unknown.
std::string fields_text(const server::GrantSummary& summary, std::size_t stream);

// Describes what a widened grant allows beyond the named fields, and why: "notes was granted with title, and also allows text,
// which was not named; version 2 of the declaration required it".
std::string widening_text(const server::GrantSummary& summary);

// Returns the command that creates a grant with the fields named in this one, or "" if a name contains a comma or a
// slash.
std::string recreate_command(const grant::Grant& grant, const std::vector<grant::FieldOrigin>& origins);

// Returns the command that replaces a widened grant, and the steps that must come first.
std::string retry_hint_of_widening(const server::GrantSummary& summary);

}  // namespace ladder::cli
