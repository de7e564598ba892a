// What a transport knows beside the message.
#pragma once

#include "mcp/version.h"

#include <optional>
#include <string>

namespace ladder::mcp {

struct Envelope {
  bool http = false;
  std::optional<std::string> protocol_version, method, name;  // HTTP: MCP-Protocol-Version, Mcp-Method, Mcp-Name as sent
  std::optional<Era> era = {};    // stdio: what the first request settled; HTTP: never, every request stands alone
  std::string negotiated = {};    // stdio: the version that initialize settled; empty before
  std::string request_id = {};    // the transport's own, for results and logs; may be empty
  std::string provider_url = {};  // where this caller reaches the resource server; empty: as the options say
};

}  // namespace ladder::mcp
