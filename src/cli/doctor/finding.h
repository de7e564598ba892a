// The findings of `ladder doctor`, each with a result and a remedy, and the host requirements used by some checks.
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
  std::string thing;       // the checked object: a path, an address, a program
  std::string text;        // its state
  std::string remedy = {};  // the remedy; empty if none is needed
};

class Findings {
 public:
  void ok(std::string_view check, std::string thing, std::string text) {
    all_.push_back({Health::kOk, check, std::move(thing), std::move(text)});
  }
  void warn(std::string_view check, std::string thing, std::string text, std::string remedy) {
    all_.push_back({Health::kWarning, check, std::move(thing), std::move(text), std::move(remedy)});
  }
  void problem(std::string_view check, std::string thing, std::string text, std::string remedy) {
    all_.push_back({Health::kProblem, check, std::move(thing), std::move(text), std::move(remedy)});
  }
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

// --- one function per subject, each in the named file ---

void check_settings(const Context& context, Findings& findings);      // doctor_environment.cpp
void check_place(const Context& context, Findings& findings);         // permissions and free space of a file store
void check_grants(Session& session, Findings& findings);              // doctor.cpp
void check_programs(const Context& context, Findings& findings);      // doctor_environment.cpp: ladder-extract, time zones
void check_environment(const Context& context, Findings& findings);   // credential cache, address of serve
// Hosts that start ladder: doctor_clients.cpp. `session` is null if there is no store to check their tokens against.
void check_clients(const Context& context, Session* session, Findings& findings);
// Checks the public address as hosts see it: doctor_reach.cpp. `ca_file`: PEM certificates to trust; empty: the system's.
void check_reach(std::string public_url, const std::string& ca_file, Findings& findings);

// The requirements of hosts on a server's public address. The checks collect the ones that are met.
enum class Need : std::uint8_t {
  kReached,       // the server responds
  kSafe,          // https, or http on this computer
  kTls,           // https
  kPublic,        // a public internet address
  kResource,      // RFC 9728 for /mcp, with exactly this address
  kRootResource,  // RFC 9728 at the root
  kServer,        // RFC 8414, complete and without null
  kPkce,          // S256
  kDocuments,     // clients described by a metadata document, without a secret
  kRegistration,  // RFC 7591
  kChallenge,     // a 401 with a pointer to the metadata
  kBearer,        // the Authorization header arrives
  kForms,         // forms arrive at the token endpoint
  kClaudeAgent,   // claude.ai's programs are not blocked
  kOpenAiAgent,   // ChatGPT's programs are not blocked
  kAnyOrigin,     // pages of other origins are allowed (CORS)
};

// Adds one line per known host: it can connect, or what is missing.
void check_hosts(const std::vector<Need>& met, Findings& findings);  // doctor_hosts.cpp

}  // namespace ladder::cli
