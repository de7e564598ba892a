// HTTP headers that mirror parts of a message (Mcp-Method, Mcp-Name). A value that is not valid in a header is sent as
// =?base64?…?=.
#pragma once

#include "mcp/protocol/answer.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/versions.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

// Returns the decoded value of a header, without surrounding spaces; nullopt if the encoding is not strict base64 of UTF-8.
std::optional<std::string> header_text(std::string_view value);

// Determines the era of a message and checks it before its method is handled (docs/reference/mcp.md has the table).
//
//   claim                 params._meta has io.modelcontextprotocol/protocolVersion with any value: the message is modern
//   no claim, HTTP        the header MCP-Protocol-Version decides; without it the message is legacy
//   no claim, stdio       decided by the first request; before it: legacy
//
// Order of the modern checks: required _meta, header against body, version, Mcp-Method and Mcp-Name.
struct Routed {
  Era era = Era::kLegacy;
  std::optional<Fault> fault;
};

// Valid for all kinds except kInvalid.
Routed route(const Message& message, const Envelope& envelope);
// Returns the reason if a batch is not accepted.
std::optional<Fault> check_array(const Incoming& incoming, const Envelope& envelope);

bool has_claim(const Message& message);
// Returns the era that the first request selects over stdio: that of a supported version, nullopt for any other.
std::optional<Era> era_of_first(const Message& request);

}  // namespace ladder::mcp
