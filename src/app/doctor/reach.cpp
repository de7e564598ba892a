// Checks the server's public address from a host's point of view: fetches its metadata as hosts do, and sends requests that
// proxies are known to break. Every problem is reported with its remedy.
#include "app/doctor/finding.h"
#include "auth/body.h"
#include "base/text/format.h"
#include "http/client.h"
#include "http/message/origin.h"
#include "http/middleware/host_check.h"

#include <algorithm>
#include <array>

namespace ladder::app {
namespace {

constexpr auto kTimeout = std::chrono::seconds(10);
constexpr std::string_view kCheck = "reach";
constexpr std::string_view kOfMcp = "/.well-known/oauth-protected-resource/mcp";
constexpr std::string_view kOfRoot = "/.well-known/oauth-protected-resource";
constexpr std::string_view kOfServer = "/.well-known/oauth-authorization-server";
// A well-formed token that does not exist. Its rejection shows that the header arrived.
constexpr std::string_view kUnknownToken = "Bearer ldr_c_0000000000000000000000000000000000000000000";

struct Sent {
  std::string method = "GET";
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct Fetched {
  int status = 0;
  std::string challenge, location, server, any_origin;
  auth::Body body{std::string_view()};
  http::AddressScope from = http::AddressScope::kPublic;

  bool is_json() const { return body.tree().is_object(); }
  // Returns the error message of the server behind the proxy, if there is one.
  std::string said() const { return body.object("error").text("message"); }
};

bool lists(const auth::Body& body, std::string_view name, std::string_view value) {
  return std::ranges::any_of(body.texts(name), [&](const std::string& one) { return one == value; });
}

// Strict parsers in hosts reject a document that contains a null.
bool has_null(const boost::json::value& value) {
  if (value.is_null()) return true;
  if (const auto* object = value.if_object()) {
    return std::ranges::any_of(*object, [](const auto& member) { return has_null(member.value()); });
  }
  if (const auto* array = value.if_array()) return std::ranges::any_of(*array, has_null);
  return false;
}

class ReachCheck {
 public:
  ReachCheck(http::Client& client, std::string base, Findings& findings)
      : client_(client), base_(std::move(base)), is_https_(base_.starts_with("https://")), findings_(findings) {}

  // Returns false if there is no response; the other checks are then skipped.
  bool responds();
  void check_resource();
  void check_root();
  void check_server();
  void check_challenge();
  void check_user_agents();
  void check_forms();

  const std::vector<Need>& met() const { return met_; }

 private:
  std::expected<Fetched, http::ClientError> fetch(const Sent& sent);
  // Returns this server's response, or nothing if another server responds, which is then a finding.
  std::optional<Fetched> fetch_own_response(const Sent& sent, int status);
  void report_unexpected(const std::string& target, const Fetched& found, int wanted);
  void expect(std::string_view target, bool holds, std::string right, std::string wrong, std::string remedy = {});
  bool meets(Need need, bool holds) {
    if (holds) met_.push_back(need);
    return holds;
  }

  http::Client& client_;
  std::string base_;
  bool is_https_;
  bool server_answers_ = false;  // the authorization server's metadata is available
  Findings& findings_;
  std::vector<Need> met_;
};

std::expected<Fetched, http::ClientError> ReachCheck::fetch(const Sent& sent) {
  http::ClientRequest request;
  request.method = sent.method;
  request.target = sent.target;
  request.headers.set("Accept", "application/json");
  for (const auto& [name, value] : sent.headers) request.headers.set(name, value);
  request.body = sent.body;
  const auto answer = client_.send(request, {});
  if (!answer) return std::unexpected(answer.error());
  const auto header = [&](std::string_view name) { return std::string(answer->headers.get(name).value_or("")); };
  return Fetched{answer->status,
                 header("WWW-Authenticate"),
                 header("Location"),
                 header("Server"),
                 header("Access-Control-Allow-Origin"),
                 auth::Body(answer->body),
                 answer->from};
}

void ReachCheck::expect(std::string_view target, bool holds, std::string right, std::string wrong, std::string remedy) {
  const std::string thing = base_ + std::string(target);
  if (holds) return findings_.ok(kCheck, thing, std::move(right));
  if (remedy.empty()) remedy = "configure the proxy to change neither the path nor the body of a response";
  findings_.problem(kCheck, thing, std::move(wrong), std::move(remedy));
}

// Reports an unexpected response: a redirect, a proxy with an unknown path or a failed upstream, or a blocking rule.
void ReachCheck::report_unexpected(const std::string& target, const Fetched& found, int wanted) {
  const std::string by = found.server.empty() ? "" : format(" (its server calls itself {})", found.server);
  const auto tell = [&](std::string text, std::string remedy) {
    findings_.problem(kCheck, base_ + target, std::move(text), std::move(remedy));
  };
  if (found.status >= 300 && found.status < 400) {
    return tell(format("redirects to {} with {}{}; hosts lose their token in a redirect", found.location, found.status, by),
                is_https_ ? "configure the proxy to respond at exactly this address"
                          : "give people the https address, and start `ladder serve --public-url` with it");
  }
  if (found.status == 421) {
    return tell(format("responds 421: {}", found.said().empty() ? "unknown Host" : found.said()),
                "configure the proxy to forward the Host header (nginx: proxy_set_header Host $host), start `ladder serve "
                "--public-url` with this address, or allow the Host that responds with --allow-host");
  }
  if (found.status == 502 || found.status == 503 || found.status == 504) {
    return tell(format("responds {}{}: the proxy is running, but the server behind it is not", found.status, by),
                "start `ladder serve`, and point the proxy or tunnel to its address, http://127.0.0.1:7663 unless set "
                "otherwise");
  }
  if (found.status == 401 || found.status == 403 || found.status == 429) {
    return tell(format("responds {}{}{}: something in front of the server blocks requests", found.status,
                       found.status == wanted ? " in other words than Ladder's" : "", by),
                "remove sign-in pages, bot rules and limits of the proxy or tunnel from this path");
  }
  if (found.is_json() && !found.said().empty()) {
    return tell(format("answers {}, not {}: {}", found.status, wanted, found.said()),
                "start `ladder serve` with exactly this --public-url, and without --issuer");
  }
  tell(format("responds {}{}, which is not Ladder's response: the request went to another server", found.status, by),
       "configure the proxy or tunnel to forward every path to `ladder serve`, including /.well-known/");
}

std::optional<Fetched> ReachCheck::fetch_own_response(const Sent& sent, int status) {
  auto found = fetch(sent);
  if (!found) {
    findings_.problem(kCheck, base_ + sent.target, found.error().message,
                      "check the log of the proxy or tunnel: other paths of this address respond");
    return std::nullopt;
  }
  if (found->status == status && found->is_json()) return *std::move(found);
  report_unexpected(sent.target, *found, status);
  return std::nullopt;
}

bool ReachCheck::responds() {
  const auto origin = http::parse_origin(base_);
  const bool here = origin && http::is_loopback(origin->host);
  meets(Need::kTls, is_https_);
  expect("", meets(Need::kSafe, is_https_ || here), is_https_ ? "is https" : "is on this computer, where http is allowed",
         "is http and not on this computer: hosts send no token there",
         "put it behind a TLS proxy or a tunnel, and use its https address with --public-url (ladder help public-address)");
  const auto found = fetch({.target = std::string(kOfMcp)});
  if (found) {
    met_.push_back(Need::kReached);
    if (meets(Need::kPublic, found->from == http::AddressScope::kPublic)) return true;
    if (!here) {
      findings_.warn(kCheck, base_, format("is a {} address as seen from here", http::word_for(found->from)),
                     "OK if public DNS has a public address for it; otherwise claude.ai and ChatGPT cannot connect");
    }
    return true;
  }
  const std::string& message = found.error().message;
  switch (found.error().fault) {
    case http::ClientFault::kTimeout:
      findings_.problem(kCheck, base_, message,
                        "open the port in the firewall and the router, and check that the tunnel is running");
      break;
    case http::ClientFault::kForbidden:
    case http::ClientFault::kCertificate:
    case http::ClientFault::kProtocol:
      findings_.problem(kCheck, base_, message,
                        is_https_
                            ? "hosts need a certificate from a public authority for exactly this name (Caddy gets one by "
                              "itself); for your own authority, pass its certificate with --ca, and install it on every host"
                            : "the program that listens there is not an HTTP server: check which program uses the port");
      break;
    default:
      findings_.problem(kCheck, base_, message,
                        "check that the name resolves to this machine, and that the proxy or tunnel is running on its port");
  }
  return false;
}

void ReachCheck::check_resource() {
  const auto found = fetch_own_response({.target = std::string(kOfMcp)}, 200);
  if (!found) return;
  const std::string resource = found->body.text("resource");
  const bool names_it = resource == base_ + "/mcp", names_server = lists(found->body, "authorization_servers", base_);
  meets(Need::kResource, names_it && names_server && !has_null(found->body.tree()));
  expect(kOfMcp, names_it, "names the address that owners type: Claude, VS Code, Gemini CLI compare it",
         format("names \"{}\", not \"{}/mcp\": the server is configured with another address", resource, base_),
         format("start `ladder serve --public-url {}`, or use the address that it names", base_));
  if (!names_it) return;
  expect(kOfMcp, names_server, "names this server as its authorization server", "names no authorization server, or another one",
         "start `ladder serve` without --issuer, unless you want another authorization server");
}

void ReachCheck::check_root() {
  const auto found = fetch_own_response({.target = std::string(kOfRoot)}, 200);
  if (!found) return;
  const std::string resource = found->body.text("resource");
  const bool names_it = resource == base_ + "/mcp" || resource == base_;
  expect(kOfRoot, meets(Need::kRootResource, names_it && lists(found->body, "authorization_servers", base_)),
         "has the metadata at the root, which ChatGPT needs", format("names \"{}\", not \"{}\"", resource, base_),
         format("start `ladder serve --public-url {}`", base_));
}

void ReachCheck::check_server() {
  const auto found = fetch_own_response({.target = std::string(kOfServer)}, 200);
  if (!found) return;
  server_answers_ = true;
  const auth::Body& body = found->body;
  const bool issues = body.text("issuer") == base_;
  const bool complete = body.text("authorization_endpoint").starts_with(base_ + "/") &&
                        body.text("token_endpoint").starts_with(base_ + "/") && lists(body, "response_types_supported", "code") &&
                        !has_null(body.tree());
  meets(Need::kServer, issues && complete);
  expect(kOfServer, issues, "has the issuer that hosts expect",
         format("has the issuer \"{}\", not \"{}\"", body.text("issuer"), base_),
         format("start `ladder serve --public-url {}`", base_));
  if (issues) {
    expect(kOfServer, complete, "has the endpoints, on this address, and no null",
           "lacks an endpoint or a response type, has them at another address, or contains a null");
  }
  expect(kOfServer, meets(Need::kPkce, lists(body, "code_challenge_methods_supported", "S256")), "has PKCE S256",
         "lacks PKCE S256");
  expect(kOfServer,
         meets(Need::kDocuments, body.flag("client_id_metadata_document_supported") &&
                                     lists(body, "token_endpoint_auth_methods_supported", "none")),
         "accepts client metadata documents: claude.ai, Codex, VS Code, opencode",
         "does not advertise client metadata documents");
  expect(kOfServer, meets(Need::kRegistration, !body.text("registration_endpoint").empty()),
         "registers clients: Cursor, Gemini CLI, older hosts", "does not register clients");
}

void ReachCheck::check_challenge() {
  Sent sent{.method = "POST", .target = "/mcp", .headers = {{"Content-Type", "application/json"}}, .body = "{}"};
  const auto stranger = fetch_own_response(sent, 401);
  if (!stranger) return;
  const std::string& challenge = stranger->challenge;
  const std::string wanted = format("resource_metadata=\"{}{}\"", base_, kOfMcp);
  expect("/mcp", meets(Need::kChallenge, challenge.find(wanted) != std::string::npos),
         "tells hosts without a token where to get one",
         challenge.empty() ? std::string("responds 401 without WWW-Authenticate: the proxy removes that header")
                           : format("names an address other than {}{} in WWW-Authenticate", base_, kOfMcp),
         challenge.empty() ? "configure the proxy to forward WWW-Authenticate; hosts need it to find the sign-in"
                           : format("start `ladder serve --public-url {}`", base_));
  sent.headers.emplace_back("Authorization", kUnknownToken);
  const auto bearer = fetch_own_response(sent, 401);
  if (!bearer || challenge.empty()) return;
  expect("/mcp", meets(Need::kBearer, bearer->challenge.find("invalid_token") != std::string::npos),
         "receives the token that a host sends",
         "does not receive the token that a host sends: the proxy removes the Authorization header",
         "configure the proxy to forward Authorization (nginx does unless proxy_set_header empties it; Apache: CGIPassAuth On), "
         "and to require no password of its own");
}

// Bot rules identify the hosts' programs by these names.
void ReachCheck::check_user_agents() {
  if (!server_answers_) {  // requests are blocked whatever the name, and that was reported
    met_.insert(met_.end(), {Need::kClaudeAgent, Need::kOpenAiAgent});
    return;
  }
  struct Agent {
    Need need;
    std::string_view host, name;
  };
  constexpr std::array kAgents = {Agent{Need::kClaudeAgent, "claude.ai", "python-httpx/0.28.1"},
                                  Agent{Need::kClaudeAgent, "claude.ai", "Claude-User"},
                                  Agent{Need::kOpenAiAgent, "ChatGPT", "openai-mcp/1.0.0 (ChatGPT)"},
                                  Agent{Need::kOpenAiAgent, "ChatGPT", "Python/3.12 aiohttp/3.9.5"}};
  std::vector<Need> kept_out;
  for (const Agent& agent : kAgents) {
    const auto found = fetch({.target = std::string(kOfServer), .headers = {{"User-Agent", std::string(agent.name)}}});
    if (found && found->status == 200 && found->is_json()) continue;
    kept_out.push_back(agent.need);
    findings_.problem(kCheck, base_ + std::string(kOfServer),
                      format("blocks {}, which sends the name \"{}\": {}", agent.host, agent.name,
                             found ? format("it responds {}", found->status) : found.error().message),
                      "remove the rules against bots and AI crawlers for this name");
  }
  for (const Need need : {Need::kClaudeAgent, Need::kOpenAiAgent})
    meets(need, std::ranges::find(kept_out, need) == kept_out.end());
}

void ReachCheck::check_forms() {
  const std::string target = "/oauth/token";
  const auto found = fetch_own_response(
      {.method = "POST",
       .target = target,
       .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Origin", "https://inspector.example"}},
       .body = "grant_type=doctor"},
      400);
  if (!found) return;
  expect(target, meets(Need::kForms, found->body.text("error") == "unsupported_grant_type"), "receives the forms of hosts",
         "does not receive the form that a host sends", "configure the proxy to change neither the body nor its Content-Type");
  expect(target, meets(Need::kAnyOrigin, found->any_origin == "*"), "allows pages of other origins, such as the MCP Inspector",
         format("says Access-Control-Allow-Origin: \"{}\", not \"*\"", found->any_origin),
         "configure the proxy not to change the CORS headers");
}

}  // namespace

void check_reach(std::string base, const std::string& ca_file, Findings& findings) {
  while (base.ends_with('/')) base.pop_back();
  if (base.ends_with("/mcp")) base.resize(base.size() - std::string_view("/mcp").size());  // as configured in hosts
  if (const auto origin = http::parse_origin(base)) base = http::canonical_text(*origin);  // in the form that `ladder serve` uses
  http::ClientOptions options;
  options.origin = base;
  options.timeout = kTimeout;
  options.ca_file = ca_file;
  auto client = http::Client::create(options);
  if (!client) return findings.problem(kCheck, base, client.error().message, "use an address such as https://data.example");
  ReachCheck check(**client, base, findings);
  if (check.responds()) {
    check.check_resource();
    check.check_root();
    check.check_server();
    check.check_challenge();
    check.check_user_agents();
    check.check_forms();
  }
  check_hosts(check.met(), findings);
}

}  // namespace ladder::app
