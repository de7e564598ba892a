#include "auth/clients.h"

#include "auth/body.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "json/parse.h"
#include "json/writer.h"

#include <algorithm>
#include <array>

namespace ladder::auth {
namespace {

constexpr std::size_t kMaxRegistrationBytes = 16 * limits::kKiB;
constexpr std::size_t kMaxDocumentBytes = 5 * limits::kKiB;
constexpr std::size_t kMaxJsonDepth = 8;
constexpr std::size_t kMaxNameChars = 200;
constexpr std::size_t kIdBytes = 12;
constexpr std::int64_t kMaxClients = 100'000;
constexpr AttemptLimit kRegistrations{600, 6 * kSecond};  // per address: all users of a hosted client share a few addresses
constexpr std::int64_t kMinAge = 60, kUsualAge = 3600, kMaxAge = 86'400;

// Well-known hosts. Being listed confirms only that the redirect URI belongs to them.
constexpr std::array<std::string_view, 12> kKnownHosts = {
    "claude.ai",  "claude.com",  "chatgpt.com", "vscode.dev", "insiders.vscode.dev", "www.cursor.com",
    "cursor.com", "opencode.ai", "github.com",  "grok.com",   "gemini.google.com",   "chat.mistral.ai"};

std::string client_body(const Client& client) {
  json::Writer out;
  out.begin_object().member("kind", client.kind).optional_member("name", client.name).optional_member("uri", client.uri);
  out.member("redirect_uris", client.redirect_uris).optional_member("application_type", client.application_type);
  out.member("fetched_at", client.fetched_at).optional_member("fetch_fault", client.fetch_fault).end_object();
  return out.take();
}

Client client_of(const store::AuthItem& item) {
  const Body body(item.body);
  Client client;
  client.client_id = item.key;
  client.kind = body.text("kind");
  client.name = body.text("name");
  client.uri = body.text("uri");
  client.redirect_uris = body.texts("redirect_uris");
  client.application_type = body.text("application_type");
  client.created_at = item.created_at;
  client.fetched_at = body.number("fetched_at");
  client.fetch_fault = body.text("fetch_fault");
  return client;
}

// Returns a display name: one line with bounded length.
std::string tidy_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) out += c;
  }
  while (out.size() > kMaxNameChars || !utf8::is_valid(out)) out.pop_back();
  return out;
}

std::string tidy_uri(std::string_view uri) {
  const auto parsed = parse_uri(uri);
  return parsed && parsed->scheme == "https" && !parsed->has_user ? std::string(uri) : std::string();
}

void describe(Client& client, const Body& body) {
  client.name = tidy_name(body.text("client_name"));
  client.uri = tidy_uri(body.text("client_uri"));
  const std::string type = body.text("application_type");
  if (type == "web" || type == "native") client.application_type = type;
}

}  // namespace

OAuthResult<Registration> read_registration(std::string_view text) {
  auto tree = json::parse(text, kMaxRegistrationBytes, kMaxJsonDepth);
  if (!tree || !tree->is_object()) return refuse("invalid_client_metadata", "the body is not one JSON object within 16 KiB");
  const Body body(*std::move(tree));
  Registration made;
  Client& client = made.client;
  client.kind = "dynamic";
  describe(client, body);
  // A client without redirect URIs uses the device flow or polls.
  if (!body.has("redirect_uris")) return made;
  const auto uris = body.texts("redirect_uris");
  if (uris.empty()) return refuse("invalid_redirect_uri", "redirect_uris is empty");
  if (uris.size() > kMaxRedirects) return refuse("invalid_redirect_uri", "redirect_uris has more than 10 URIs");
  for (const std::string& uri : uris) (is_acceptable_redirect(uri) ? client.redirect_uris : made.dropped).push_back(uri);
  if (client.redirect_uris.empty()) {
    return refuse("invalid_redirect_uri",
                  "none of redirect_uris is acceptable: https, http on loopback, or a scheme with a dot; no fragment");
  }
  return made;
}

Result<Client> read_document(std::string_view url, std::string_view text) {
  auto tree = json::parse(text, kMaxDocumentBytes, kMaxJsonDepth);
  if (!tree || !tree->is_object()) return fail(Code::kInvalidRequest, "the document is not one JSON object within 5 KiB");
  const Body body(*std::move(tree));
  if (body.text("client_id") != url) return fail(Code::kInvalidRequest, "the document has another client_id than its URL");
  if (body.has("client_secret"))
    return fail(Code::kInvalidRequest, "the document contains a client_secret, which must not be public");
  // Ladder always uses "none" with PKCE, also for documents that prefer keys. Only shared secrets are rejected.
  if (body.text("token_endpoint_auth_method").starts_with("client_secret")) {
    return fail(Code::kInvalidRequest, "the document asks for a shared secret, which a public document cannot have");
  }
  Client client;
  client.client_id = url;
  client.kind = "document";
  describe(client, body);
  std::string refused;
  for (const std::string& uri : body.texts("redirect_uris")) {
    if (!is_acceptable_redirect(uri)) refused = uri;
    else if (client.redirect_uris.size() < kMaxRedirects) client.redirect_uris.push_back(uri);
  }
  if (!client.redirect_uris.empty()) return client;
  if (refused.empty()) return fail(Code::kInvalidRequest, "the document has no redirect_uris");
  return fail(
      Code::kInvalidRequest,
      format("the document's redirect_uris cannot be used, such as {}: https, http on loopback, or a scheme with a dot; no "
             "user and no fragment",
             printable(refused)));
}

OAuthResult<bool> count_attempt(store::AuthStore& items, Instant now, const std::string& key, const AttemptLimit& limit,
                                Counting counting) {
  LADDER_OAUTH_TRY(const auto item, items.find("rate", key));
  const Body before(item ? std::string_view(item->body) : std::string_view("{}"));
  // `full_until` is the time at which the bucket is full again; each attempt advances it by one step.
  const Instant full_until = std::max(now, before.number("full_until"));
  const Instant used = full_until - now;
  if (used > (limit.burst - 1) * limit.step) {
    const Instant wait = used - (limit.burst - 1) * limit.step;
    return std::unexpected(
        OAuthError{429, "slow_down", "too many requests from that address; try again later", (wait + kSecond - 1) / kSecond});
  }
  if (counting == Counting::kLook) return true;
  json::Writer body;
  body.begin_object().member("full_until", full_until + limit.step).end_object();
  store::AuthChange change;
  change.puts.push_back({"rate", key, 0, body.take(), now, full_until + limit.step, item ? item->version : 0});
  LADDER_OAUTH_TRY([[maybe_unused]] const bool counted, items.apply(change));  // losing a race still counts the other attempt
  return true;
}

OAuthResult<Registration> Clients::add(std::string_view text, std::string_view address) {
  auto made = read_registration(text);
  if (!made) return made;
  LADDER_OAUTH_TRY(const std::int64_t known, items_.count("client"));
  if (known >= kMaxClients) return std::unexpected(OAuthError{429, "slow_down", "too many clients; try again later", 3600});
  auto allowed = count_attempt(items_, clock_.now(), "register:" + std::string(address), kRegistrations);
  if (!allowed) return std::unexpected(allowed.error());
  Client& client = made->client;
  client.client_id = "cli_" + crypto::random_hex(kIdBytes);
  client.created_at = clock_.now();
  store::AuthChange change;
  change.puts.push_back(
      {"client", client.client_id, 0, client_body(client), client.created_at, client.created_at + kUnusedClientLife, 0});
  LADDER_OAUTH_TRY(const bool added, items_.apply(change));
  if (!added) return refuse("server_error", "try again", 500);
  return made;
}

Status Clients::enter(std::string_view client_id, std::string_view name, const std::vector<std::string>& redirect_uris) {
  Client client;
  client.client_id = client_id;
  client.kind = "entered";
  client.name = tidy_name(name);
  if (client_id.empty() || client_id.size() > limits::kMaxNameBytes || !utf8::is_valid(client_id)) {
    return fail(Code::kInvalidRequest, "a client's id is UTF-8 of at most 255 bytes", "client");
  }
  for (const std::string& uri : redirect_uris) {
    if (!is_acceptable_redirect(uri)) {
      return fail(Code::kInvalidRequest,
                  format("{} can't be used as a redirect URI: https, http on loopback, or a scheme with a dot; no fragment", uri),
                  "redirect");
    }
    client.redirect_uris.push_back(uri);
  }
  if (client.redirect_uris.empty()) return fail(Code::kInvalidRequest, "set a redirect URI with --redirect", "redirect");
  LADDER_TRY(const auto item, items_.find("client", client_id));
  store::AuthChange change;
  change.puts.push_back(
      {"client", client.client_id, 0, client_body(client), clock_.now(), std::nullopt, item ? item->version : 0});
  LADDER_CHECK(items_.apply(change));
  return {};
}

Result<Client> Clients::find(std::string_view client_id) {
  if (is_document_address(client_id)) return find_by_document(std::string(client_id));
  if (client_id.size() > limits::kMaxNameBytes || !utf8::is_valid(client_id)) {
    return fail(Code::kNotFound, "there is no such client", "client_id");
  }
  LADDER_TRY(const auto item, items_.find("client", client_id));
  if (!item || (item->expires_at && clock_.now() >= *item->expires_at)) {
    if (client_id.find("://") != std::string_view::npos) {
      return fail(Code::kInvalidRequest, "its address is not https with a path and without user, query, fragment and dots",
                  "client_id");
    }
    return fail(Code::kNotFound, "client_id is not registered here, or its registration has expired unused", "client_id");
  }
  return client_of(*item);
}

// Uses the stored copy while it is fresh, and then fetches a new one. If that fails, the old copy stays in use and
// the error is recorded.
Result<Client> Clients::find_by_document(const std::string& url) {
  const Instant now = clock_.now();
  LADDER_TRY(const auto item, items_.find("client", url));
  std::optional<Client> kept;
  if (item) {
    kept = client_of(*item);
    if (now < Body(item->body).number("fresh_until")) return *std::move(kept);
    if (kept->kind == "entered") return *std::move(kept);
  }
  if (!item) {
    LADDER_TRY(const std::int64_t known, items_.count("client"));
    if (known >= kMaxClients) return fail(Code::kInvalidRequest, "too many clients are known here; try again later", "client_id");
  }
  auto fetched = fetcher_.fetch(url);
  Result<Client> read = fetched ? read_document(url, fetched->body) : std::unexpected(fetched.error());
  std::int64_t age = kMinAge;
  Client client;
  if (read) {
    client = *std::move(read);
    client.fetched_at = now;
    age = std::clamp(fetched->max_age_seconds < 0 ? kUsualAge : fetched->max_age_seconds, kMinAge, kMaxAge);
  } else {
    if (!kept) return fail(read.error().code, read.error().message, "client_id");
    client = *std::move(kept);
    client.fetch_fault = read.error().message;
  }
  client.created_at = item ? item->created_at : now;
  std::string body = client_body(client);
  body.insert(body.size() - 1, format(",\"fresh_until\":{}", now + age * kSecond));
  store::AuthChange change;
  change.puts.push_back(
      {"client", url, 0, std::move(body), client.created_at, now + kUnusedClientLife, item ? item->version : 0});
  LADDER_CHECK(items_.apply(change));  // with concurrent fetches, either copy is valid
  return client;
}

Result<std::optional<Client>> Clients::recall(std::string_view client_id) {
  LADDER_TRY(const auto item, items_.find("client", client_id));
  if (!item) return std::nullopt;
  return client_of(*item);
}

Status Clients::note_use(std::string_view client_id) {
  LADDER_TRY(auto item, items_.find("client", client_id));
  if (!item || !item->expires_at) return {};
  item->expires_at.reset();
  store::AuthChange change;
  change.puts.push_back(*std::move(item));
  LADDER_CHECK(items_.apply(change));
  return {};
}

bool may_redirect(const Client& client, std::string_view redirect_uri) {
  return std::ranges::any_of(client.redirect_uris,
                             [&](const std::string& known) { return is_same_redirect(known, redirect_uri); });
}

Trust trust_of(std::string_view redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  if (!uri) return Trust::kUnknown;
  if (uri->scheme == "http" && is_loopback_host(uri->host)) return Trust::kThisComputer;
  if (uri->scheme == "https" && uri->port.empty() && std::ranges::find(kKnownHosts, uri->host) != kKnownHosts.end()) {
    return Trust::kKnown;
  }
  return uri->scheme == "https" ? Trust::kUnknown : Trust::kThisComputer;
}

std::string shown_origin(std::string_view redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  if (!uri || uri->scheme != "https") return "an app on this computer";
  return uri->host + (uri->port.empty() ? "" : ":" + uri->port);
}

std::string app_title(std::string_view redirect_uri, std::string_view name) {
  const bool is_local = trust_of(redirect_uri) == Trust::kThisComputer;
  return is_local && !name.empty() ? format("“{}” on this computer", name) : shown_origin(redirect_uri);
}

}  // namespace ladder::auth
