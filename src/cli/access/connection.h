// A connection as the connection commands show it.
#pragma once

#include "json/writer.h"
#include "server/resource_server.h"

#include <string>

namespace ladder::cli {

void write_connection(json::Writer& out, const server::ConnectionSummary& connection);
std::string connection_text(const server::ConnectionSummary& connection);  // several lines
std::int64_t record_count(const server::ConnectionSummary& connection);

}  // namespace ladder::cli
