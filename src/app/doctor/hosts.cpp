// The requirements of each known host, and the verdict on each. They are taken from the hosts' sources and from tests.
#include "app/doctor/finding.h"
#include "base/text/format.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace ladder::app {
namespace {

std::string_view word_of(Need need) {
  switch (need) {
    case Need::kReached:
      return "an address that responds";
    case Need::kSafe:
      return "https, because it is not on this computer";
    case Need::kTls:
      return "an https address";
    case Need::kPublic:
      return "a public internet address";
    case Need::kResource:
      return "metadata of the resource with exactly this address";
    case Need::kRootResource:
      return "metadata of the resource at the root";
    case Need::kServer:
      return "metadata of the authorization server, complete and without null";
    case Need::kPkce:
      return "PKCE with S256";
    case Need::kDocuments:
      return "clients described by a document, without a secret";
    case Need::kRegistration:
      return "registration of clients";
    case Need::kChallenge:
      return "a 401 that says where to get a token";
    case Need::kBearer:
      return "the Authorization header to arrive";
    case Need::kForms:
      return "forms to arrive at the token endpoint";
    case Need::kClaudeAgent:
    case Need::kOpenAiAgent:
      return "its own programs not to be blocked";
    case Need::kAnyOrigin:
      return "access for pages of other origins";
  }
  return "";
}

struct Host {
  std::string_view name;
  std::initializer_list<Need> needs;  // in addition to kOfAll
};

// Requirements of every host, in order of importance.
constexpr std::array kOfAll = {Need::kReached,   Need::kSafe,   Need::kServer, Need::kPkce,
                               Need::kChallenge, Need::kBearer, Need::kForms};
// Requirements per host, based on how it connects.
constexpr std::initializer_list<Need> kClaude = {Need::kTls, Need::kPublic, Need::kResource, Need::kDocuments,
                                                 Need::kClaudeAgent};
constexpr std::initializer_list<Need> kChatGpt = {Need::kTls, Need::kPublic, Need::kRootResource, Need::kDocuments,
                                                  Need::kOpenAiAgent};
constexpr std::initializer_list<Need> kByDocument = {Need::kResource, Need::kDocuments};
constexpr std::initializer_list<Need> kByRegistration = {Need::kResource, Need::kRegistration};
constexpr std::initializer_list<Need> kInBrowser = {Need::kResource, Need::kRegistration, Need::kAnyOrigin};
constexpr std::array kHosts = {
    Host{"claude.ai", kClaude},          Host{"ChatGPT", kChatGpt},     Host{"Claude Code", kByDocument},
    Host{"Cursor", kByRegistration},     Host{"VS Code", kByDocument},  Host{"Codex", kByDocument},
    Host{"Gemini CLI", kByRegistration}, Host{"opencode", kByDocument}, Host{"MCP Inspector", kInBrowser},
};

}  // namespace

void check_hosts(const std::vector<Need>& met, Findings& findings) {
  constexpr std::string_view kHost = "host";
  const auto is_met = [&](Need need) { return std::ranges::find(met, need) != met.end(); };
  for (const Host& host : kHosts) {
    std::vector<Need> lacks;
    for (const Need need : kOfAll) {
      if (!is_met(need)) lacks.push_back(need);
    }
    for (const Need need : host.needs) {
      if (!is_met(need)) lacks.push_back(need);
    }
    const std::string name(host.name);
    if (lacks.empty()) {
      findings.ok(kHost, name, "pass: it can connect by this address");
      continue;
    }
    const bool unreached = lacks.front() == Need::kReached;
    // An address that works only on this network is not a configuration error.
    const bool only_near = std::ranges::all_of(lacks, [](Need need) { return need == Need::kTls || need == Need::kPublic; });
    std::string said;
    for (const Need need : lacks) {
      if (unreached && need != Need::kReached) break;  // the other requirements were not checked
      said += format("{}{}", said.empty() ? "" : ", ", word_of(need));
    }
    if (only_near) {
      findings.warn(kHost, name, format("fail: it needs {}; it connects from its own servers", said),
                    is_met(Need::kTls) ? "make the name resolve to a public address, or use a tunnel (ladder help public-address)"
                                       : "put it behind a TLS proxy or a tunnel (ladder help public-address)");
    } else {
      findings.problem(kHost, name, format("fail: it needs {}", said), "fix the problems with the address above");
    }
  }
}

}  // namespace ladder::app
