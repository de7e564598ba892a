// Findings of `ladder doctor`: each check with its result and its remedy. And the needs of hosts that some checks are about.
#pragma once

#include "cli/app/session.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

enum class Health : std::uint8_t { kOk, kWarning, kProblem };

struct Finding {
  Health health = Health::kOk;
  std::string_view check;  // "permissions"
  std::string thing;       // what was looked at: a path, an address, a program
  std::string text;        // how it is
  std::string mend = {};   // what to do; empty when there is nothing to do
};

class Findings {
 public:
  void ok(std::string_view check, std::string thing, std::string text) {
    all_.push_back({Health::kOk, check, std::move(thing), std::move(text)});
  }
  void warn(std::string_view check, std::string thing, std::string text, std::string mend) {
    all_.push_back({Health::kWarning, check, std::move(thing), std::move(text), std::move(mend)});
  }
  void problem(std::string_view check, std::string thing, std::string text, std::string mend) {
    all_.push_back({Health::kProblem, check, std::move(thing), std::move(text), std::move(mend)});
  }
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

// --- one function per subject, each in the file of its name ---

void check_settings(const Context& context, Findings& findings);      // doctor_surroundings.cpp
void check_place(const Context& context, Findings& findings);         // permissions and room, of a store that is a file
void check_grants(Session& session, Findings& findings);              // doctor.cpp
void check_programs(const Context& context, Findings& findings);      // doctor_surroundings.cpp: ladder-extract, time zones
void check_surroundings(const Context& context, Findings& findings);  // credential cache, address of serve
// Hosts that start ladder: doctor_clients.cpp. `session` is null when there is no store to ask about their tokens.
void check_clients(const Context& context, Session* session, Findings& findings);
// Checks the public address as hosts see it: doctor_reach.cpp. `ca_file`: PEM certificates to trust; empty: the system's.
void check_reach(std::string public_url, const std::string& ca_file, Findings& findings);

// The demands of hosts on the public address of a server, and which of them an address was seen to meet.
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
