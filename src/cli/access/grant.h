// A grant as the grant commands and doctor show it.
#pragma once

#include "cli/terminal/console.h"
#include "server/resource_server.h"

#include <string>

namespace ladder::cli {

void show_grant(Console& console, const server::GrantSummary& summary,
                const server::ReadBudget* budget = nullptr);  // several lines, or JSON where that was asked for

// "title, path (added: the key), text (added: nobody named it)"; the names alone when the origins are not known.
std::string fields_text(const server::GrantSummary& summary, std::size_t stream);

// Says what a widened grant gives beyond what was named, and why: "notes gives text, which nobody named; version 2 of the
// declaration required it".
std::string widening_text(const server::GrantSummary& summary);

// The declarations that Ladder brings along are renewed by the commands that make grants; others are their owner's.
bool is_shipped_source(std::string_view source_id);

// The command that makes a grant of what was named in this one; "" when it cannot be typed, since a name has a comma or a slash
// in it.
std::string grant_again(const grant::Grant& grant, const std::vector<grant::FieldOrigin>& origins);

// Says how to narrow a widened grant: that command, and what has to happen before it.
std::string retry_hint_of_widening(const server::GrantSummary& summary);

}  // namespace ladder::cli
