// A grant as the grant commands show it.
#pragma once

#include "cli/console.h"
#include "json/writer.h"
#include "rs/resource_server.h"

namespace ladder::cli {

void write_grant(json::Writer& out, const rs::GrantSummary& summary);
void show_grant(Console& console, const rs::GrantSummary& summary);  // several lines, or JSON where that was asked for

}  // namespace ladder::cli
