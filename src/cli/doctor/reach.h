// The demands of hosts on the public address of a server, and which of them an address was seen to meet.
#pragma once

#include "cli/doctor/finding.h"

#include <cstdint>
#include <vector>

namespace ladder::cli {

enum class Need : std::uint8_t {
  kReached,       // something answers
  kSafe,          // https, or http on this computer
  kTls,           // https
  kPublic,        // an address of the internet
  kResource,      // RFC 9728 for /mcp, with exactly this address
  kRootResource,  // RFC 9728 at the root
  kServer,        // RFC 8414, complete and without null
  kPkce,          // S256
  kDocuments,     // clients described by a document, without a secret
  kRegistration,  // RFC 7591
  kChallenge,     // a 401 that says where to get a token
  kBearer,        // the Authorization header arrives
  kForms,         // forms arrive at the token endpoint
  kClaudeAgent,   // the programs of claude.ai are let in
  kOpenAiAgent,   // the programs of ChatGPT are let in
  kAnyOrigin,     // pages of other origins may ask (CORS)
};

// One line for each known host: it can connect, or what it lacks.
void judge_hosts(const std::vector<Need>& met, Findings& findings);  // doctor_hosts.cpp

}  // namespace ladder::cli
