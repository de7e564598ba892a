// Everything of a connection as one archive, in the layout of `ladder export`, made while it is sent.
#pragma once

#include "http/message/message.h"
#include "server/resource_server.h"

#include <memory>
#include <string>

namespace ladder::console {

// Its thread ends with it.
std::unique_ptr<http::BodyStream> export_stream(server::ResourceServer& server, const server::Access& owner,
                                                server::ConnectionSummary connection, server::SourceDocument source,
                                                std::string ladder_version, Instant now);

}  // namespace ladder::console
