// Looks at the server's public address as hosts do: fetches its metadata the way they fetch it.
#include "auth/body.h"
#include "base/text/format.h"
#include "cli/doctor/finding.h"
#include "http/client.h"
#include "http/message/origin.h"

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

}  // namespace

void check_reach(std::string base, Findings& findings) {
  while (base.ends_with('/')) base.pop_back();
  http::ClientOptions options;
  options.origin = base;
  options.timeout = kTimeout;
  auto client = http::Client::create(options);
  if (!client) return findings.problem(kCheck, base, client.error().message, "give an address such as https://data.example");
  Visitor visitor(**client, base, findings);
  const std::string of_mcp = "/.well-known/oauth-protected-resource/mcp";
  if (const auto found = visitor.fetch("GET", of_mcp)) {
    visitor.expect(of_mcp, found->status == 200 && found->body.text("resource") == base + "/mcp",
                   "names the address that owners type: Claude, VS Code, Gemini CLI compare it",
                   format("answers {} with resource \"{}\", not \"{}/mcp\"", found->status, found->body.text("resource"), base));
    visitor.expect(of_mcp, lists(found->body, "authorization_servers", base), "names this server as its authorization server",
                   "names no authorization server, or another one");
  }
  const std::string of_server = "/.well-known/oauth-authorization-server";
  if (const auto found = visitor.fetch("GET", of_server)) {
    visitor.expect(of_server, found->status == 200 && found->body.text("issuer") == base, "has the issuer that hosts expect",
                   format("answers {} with issuer \"{}\"", found->status, found->body.text("issuer")));
    visitor.expect(of_server, lists(found->body, "code_challenge_methods_supported", "S256"), "has PKCE S256", "lacks PKCE S256");
    visitor.expect(of_server,
                   found->body.flag("client_id_metadata_document_supported") &&
                       lists(found->body, "token_endpoint_auth_methods_supported", "none"),
                   "takes documents of clients: claude.ai, Codex, VS Code, opencode",
                   "does not say that it takes documents of clients");
    visitor.expect(of_server, !found->body.text("registration_endpoint").empty(),
                   "registers clients: Cursor, Gemini CLI, older hosts", "registers no clients");
  }
  if (const auto found = visitor.fetch("POST", "/mcp")) {
    visitor.expect("/mcp", found->status == 401 && found->challenge.find(of_mcp) != std::string::npos,
                   "tells who has no token where to get one",
                   format("answers {} without the challenge that hosts need", found->status));
  }
  if (!base.starts_with("https://")) {
    findings.warn(kCheck, base, "is no https address, so claude.ai and ChatGPT cannot connect; programs on this computer can",
                  "put a proxy with TLS or a tunnel before it (docs/connect.md)");
  }
}

}  // namespace ladder::cli
