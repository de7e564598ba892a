// Looks at the server's public address as hosts do: fetches its metadata the way they fetch it.
#include "auth/body.h"
#include "base/text/format.h"
#include "cli/doctor/finding.h"
#include "http/client.h"
#include "http/message/origin.h"

#include <algorithm>
#include <array>
#include <span>

namespace ladder::cli {
namespace {

constexpr auto kTimeout = std::chrono::seconds(10);
constexpr std::string_view kCheck = "reach";

struct Fetched {
  int status = 0;
  std::string challenge;  // WWW-Authenticate
  auth::Body body{std::string_view()};
};

class Visitor {
 public:
  Visitor(http::Client& client, std::string base, Findings& findings)
      : client_(client), base_(std::move(base)), findings_(findings) {}

  // Nothing when it cannot be reached, which is then a finding.
  std::optional<Fetched> fetch(const std::string& method, const std::string& target) {
    http::ClientRequest request;
    request.method = method;
    request.target = target;
    request.headers.set("Accept", "application/json");
    if (method == "POST") {
      request.headers.set("Content-Type", "application/json");
      request.body = "{}";
    }
    const auto answer = client_.send(request, {});
    if (!answer) {
      findings_.problem(kCheck, base_ + target, answer.error().message,
                        "let the proxy or tunnel hand the path on, and start `ladder serve --public-url` with this address");
      return std::nullopt;
    }
    return Fetched{answer->status, std::string(answer->headers.get("WWW-Authenticate").value_or("")), auth::Body(answer->body)};
  }

  void expect(const std::string& target, bool holds, std::string right, std::string wrong) {
    if (holds) findings_.ok(kCheck, base_ + target, std::move(right));
    else {
      findings_.problem(kCheck, base_ + target, std::move(wrong),
                        "start `ladder serve` with exactly this --public-url, and let the proxy change neither path nor headers");
    }
  }

 private:
  http::Client& client_;
  std::string base_;
  Findings& findings_;
};

bool lists(const auth::Body& body, std::string_view name, std::string_view value) {
  for (const std::string& one : body.texts(name)) {
    if (one == value) return true;
  }
  return false;
}

// The demands of hosts on a server; each is checked above by its answer.
enum class Need : std::uint8_t { kTls, kResource, kRootResource, kServer, kPkce, kDocuments, kRegistration, kChallenge };

std::string_view word_of(Need need) {
  switch (need) {
    case Need::kTls:
      return "an https address";
    case Need::kResource:
      return "metadata of the resource with exactly this address";
    case Need::kRootResource:
      return "the same metadata at the root";
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
  }
  return "";
}

struct Host {
  std::string_view name;
  std::array<Need, 6> needs;
};
// The demands of each host, by the way it is known to connect.
constexpr std::array kHosts = {
    Host{"claude.ai", {Need::kTls, Need::kResource, Need::kServer, Need::kPkce, Need::kDocuments, Need::kChallenge}},
    Host{"ChatGPT", {Need::kTls, Need::kRootResource, Need::kServer, Need::kPkce, Need::kDocuments, Need::kChallenge}},
    Host{"Claude Code", {Need::kResource, Need::kServer, Need::kPkce, Need::kDocuments, Need::kChallenge, Need::kChallenge}},
    Host{"Cursor", {Need::kResource, Need::kServer, Need::kPkce, Need::kRegistration, Need::kChallenge, Need::kChallenge}},
    Host{"VS Code", {Need::kResource, Need::kServer, Need::kPkce, Need::kDocuments, Need::kChallenge, Need::kChallenge}},
    Host{"Codex", {Need::kResource, Need::kServer, Need::kPkce, Need::kDocuments, Need::kChallenge, Need::kChallenge}},
    Host{"Gemini CLI", {Need::kResource, Need::kServer, Need::kPkce, Need::kRegistration, Need::kChallenge, Need::kChallenge}},
};

// One line a host: it can connect, or what it lacks.
void judge_hosts(const std::vector<Need>& met, Findings& findings) {
  constexpr std::string_view kHost = "host";
  for (const Host& host : kHosts) {
    std::string lacks;
    bool only_tls = true;
    for (const Need need : host.needs) {
      if (std::ranges::find(met, need) != met.end() || lacks.find(word_of(need)) != std::string::npos) continue;
      lacks += format("{}{}", lacks.empty() ? "" : ", ", word_of(need));
      only_tls = only_tls && need == Need::kTls;
    }
    const std::string name(host.name);
    if (lacks.empty()) {
      findings.ok(kHost, name, "pass: it can connect by this address");
    } else if (only_tls) {
      findings.warn(kHost, name, format("fail: it needs {}; its makers call from their own machines", lacks),
                    "put a proxy with TLS or a tunnel before it (docs/connect.md)");
    } else {
      findings.problem(kHost, name, format("fail: it needs {}", lacks), "mend what is said of the address above");
    }
  }
}

// Strict parsers of hosts refuse a document for a single null.
bool has_null(const boost::json::value& value) {
  if (value.is_null()) return true;
  if (const auto* object = value.if_object()) {
    return std::ranges::any_of(*object, [](const auto& member) { return has_null(member.value()); });
  }
  if (const auto* array = value.if_array()) return std::ranges::any_of(*array, has_null);
  return false;
}

}  // namespace

void check_reach(std::string base, Findings& findings) {
  while (base.ends_with('/')) base.pop_back();
  http::ClientOptions options;
  options.origin = base;
  options.timeout = kTimeout;
  auto client = http::Client::create(options);
  if (!client) return findings.problem(kCheck, base, client.error().message, "give an address such as https://data.example");
  Visitor visitor(**client, base, findings);
  std::vector<Need> met;
  const auto meets = [&met](Need need, bool holds) {
    if (holds) met.push_back(need);
    return holds;
  };
  meets(Need::kTls, base.starts_with("https://"));
  const std::string of_mcp = "/.well-known/oauth-protected-resource/mcp";
  if (const auto found = visitor.fetch("GET", of_mcp)) {
    const bool names_it = found->status == 200 && found->body.text("resource") == base + "/mcp";
    meets(Need::kResource, names_it && lists(found->body, "authorization_servers", base) && !has_null(found->body.tree()));
    visitor.expect(of_mcp, names_it, "names the address that owners type: Claude, VS Code, Gemini CLI compare it",
                   format("answers {} with resource \"{}\", not \"{}/mcp\"", found->status, found->body.text("resource"), base));
    visitor.expect(of_mcp, lists(found->body, "authorization_servers", base), "names this server as its authorization server",
                   "names no authorization server, or another one");
  }
  const std::string of_root = "/.well-known/oauth-protected-resource";
  if (const auto found = visitor.fetch("GET", of_root)) {
    const std::string resource = found->body.text("resource");
    visitor.expect(of_root,
                   meets(Need::kRootResource, found->status == 200 && (resource == base + "/mcp" || resource == base) &&
                                                  lists(found->body, "authorization_servers", base)),
                   "has the metadata for hosts that look at the root: ChatGPT",
                   format("answers {} with resource \"{}\"", found->status, resource));
  }
  const std::string of_server = "/.well-known/oauth-authorization-server";
  if (const auto found = visitor.fetch("GET", of_server)) {
    const bool issues = found->status == 200 && found->body.text("issuer") == base;
    const bool complete = found->body.text("authorization_endpoint").starts_with(base + "/") &&
                          found->body.text("token_endpoint").starts_with(base + "/") &&
                          lists(found->body, "response_types_supported", "code") && !has_null(found->body.tree());
    meets(Need::kServer, issues && complete);
    visitor.expect(of_server, issues, "has the issuer that hosts expect",
                   format("answers {} with issuer \"{}\"", found->status, found->body.text("issuer")));
    visitor.expect(of_server, complete, "has the endpoints, on this address, and no null",
                   "lacks an endpoint or a response type, or has them elsewhere, or holds a null");
    visitor.expect(of_server, meets(Need::kPkce, lists(found->body, "code_challenge_methods_supported", "S256")), "has PKCE S256",
                   "lacks PKCE S256");
    visitor.expect(of_server,
                   meets(Need::kDocuments, found->body.flag("client_id_metadata_document_supported") &&
                                               lists(found->body, "token_endpoint_auth_methods_supported", "none")),
                   "takes documents of clients: claude.ai, Codex, VS Code, opencode",
                   "does not say that it takes documents of clients");
    visitor.expect(of_server, meets(Need::kRegistration, !found->body.text("registration_endpoint").empty()),
                   "registers clients: Cursor, Gemini CLI, older hosts", "registers no clients");
  }
  if (const auto found = visitor.fetch("POST", "/mcp")) {
    visitor.expect("/mcp", meets(Need::kChallenge, found->status == 401 && found->challenge.find(of_mcp) != std::string::npos),
                   "tells who has no token where to get one",
                   format("answers {} without the challenge that hosts need", found->status));
  }
  judge_hosts(met, findings);
}

}  // namespace ladder::cli
