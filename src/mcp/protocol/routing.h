// Values that HTTP headers mirror from a message (Mcp-Method, Mcp-Name). What a header can't carry as it is travels as
// =?base64?…?=.
#pragma once

#include "mcp/protocol/answer.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/options.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

// The text a header stands for, without the spaces around it; nullopt when it is encoded and the encoding is not strict base64 of
// UTF-8.
std::optional<std::string> header_text(std::string_view value);

// Tells which era a message belongs to, and what is wrong with it before its method is looked at (docs/mcp.md has the table).
//
//   claim                 params._meta has io.modelcontextprotocol/protocolVersion, whatever it says: the message is modern
//   no claim, HTTP        the header MCP-Protocol-Version decides; without one it is legacy
//   no claim, stdio       what the first request settled; before it: legacy
//
// The order of the modern checks: required _meta, header against body, version, Mcp-Method and Mcp-Name.
struct Routed {
  Era era = Era::kLegacy;
  std::optional<Fault> fault;
};

// For anything but kInvalid.
Routed route(const Message& message, const Envelope& envelope);
// Why an array is not taken, if so.
std::optional<Fault> check_array(const Incoming& incoming, const Envelope& envelope);

bool has_claim(const Message& message);
// The era that a request settles over stdio, when none is settled yet: that of a version that we speak, nullopt for any other.
std::optional<Era> era_of_first(const Message& request);

}  // namespace ladder::mcp
