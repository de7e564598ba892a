// A grant as the grant commands show it.
#pragma once

#include "json/writer.h"
#include "rs/resource_server.h"

#include <string>

namespace ladder::cli {

void write_grant(json::Writer& out, const rs::GrantSummary& summary);
std::string grant_text(const rs::GrantSummary& summary);  // several lines

}  // namespace ladder::cli
