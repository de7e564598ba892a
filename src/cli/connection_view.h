// A connection as the connection commands show it.
#pragma once

#include "json/writer.h"
#include "rs/resource_server.h"

#include <string>

namespace ladder::cli {

void write_connection(json::Writer& out, const rs::ConnectionSummary& connection);
std::string connection_text(const rs::ConnectionSummary& connection);  // several lines
std::int64_t record_count(const rs::ConnectionSummary& connection);

}  // namespace ladder::cli
