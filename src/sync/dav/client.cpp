#include "sync/dav/client.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/percent.h"
#include "base/text/visible_text.h"
#include "http/message/origin.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ladder::sync::dav {
namespace {

constexpr std::string_view kDav = "DAV:", kCal = "urn:ietf:params:xml:ns:caldav", kCard = "urn:ietf:params:xml:ns:carddav",
                           kServer = "http://calendarserver.org/ns/";
constexpr int kMaxRedirects = 5, kMaxRounds = 2000;
constexpr std::size_t kMaxItems = 1'000'000, kMaxCollections = 1000, kMaxAnswer = 64 * limits::kMiB;
constexpr auto kTimeout = std::chrono::seconds(60);

std::string_view word_for(Method method) {
  switch (method) {
    case Method::kOptions:
      return "OPTIONS";
    case Method::kPropfind:
      return "PROPFIND";
    case Method::kReport:
      return "REPORT";
    case Method::kGet:
      break;
  }
  return "GET";
}

struct Parts {
  std::string origin, path;  // "https://host:port", "/path?query"
};
std::optional<Parts> split(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  const std::size_t slash = url.find('/', scheme + 3);
  const std::string_view origin = url.substr(0, slash);
  const auto parsed = http::parse_origin(origin);
  if (!parsed || (!parsed->tls && !http::is_loopback(parsed->host))) return std::nullopt;
  std::string path(slash == std::string_view::npos ? "/" : url.substr(slash));
  path = path.substr(0, path.find('#'));
  const bool is_plain = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_plain) return std::nullopt;
  return Parts{http::canonical_text(*parsed), std::move(path)};
}

// "dav.mail.example" → "mail.example"
std::string_view domain_of(std::string_view host) {
  const std::size_t last = host.rfind('.');
  const std::size_t before = last == std::string_view::npos || last == 0 ? std::string_view::npos : host.rfind('.', last - 1);
  return before == std::string_view::npos ? host : host.substr(before + 1);
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::string href_in(const Element* parent) {
  const Element* const href = parent == nullptr ? nullptr : parent->find(kDav, "href");
  return href == nullptr ? std::string() : trimmed(href->text);
}

// "HTTP/1.1 404 Not Found" → 404
int status_of(const Element* status) {
  if (status == nullptr) return 0;
  const std::string text = trimmed(status->text);
  const std::size_t space = text.find(' ');
  int number = 0;
  for (const char c : std::string_view(text).substr(space == std::string::npos ? text.size() : space + 1).substr(0, 3)) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  return number;
}

// The properties of a response that the server has.
const Element* props_of(const Element& response) {
  for (const Element& child : response.children) {
    if (!child.is(kDav, "propstat")) continue;
    const int status = status_of(child.find(kDav, "status"));
    if (status == 0 || (status >= 200 && status < 300)) return child.find(kDav, "prop");
  }
  return nullptr;
}

bool is_gone(int status) { return status == 404 || status == 410; }

// The server lists something without telling what it is: it shortened the list (507), or could not read a part.
bool leaves_out(const Element& response) {
  const int status = status_of(response.find(kDav, "status"));
  return !is_gone(status) && (status >= 400 || props_of(response) == nullptr);
}

// Servers encode paths differently, so paths are compared in this form.
std::string comparable(std::string_view path) { return percent_decode_bytes(path).value_or(std::string(path)); }

// The path of an item of the collection; nullopt if the reference is not one.
std::optional<std::string> item_path(const Collection& collection, std::string_view href) {
  const auto url = resolve(collection.url, href);
  const auto parts = url ? split(*url) : std::nullopt;
  const auto here = split(collection.url);
  if (!parts || !here || parts->origin != here->origin) return std::nullopt;
  const std::string path = comparable(parts->path), folder = comparable(here->path);
  const bool is_inside =
      path.size() > folder.size() && path.starts_with(folder) && path.find('/', folder.size()) == std::string::npos;
  return is_inside && path.find("..") == std::string::npos ? std::optional(parts->path) : std::nullopt;
}

std::unexpected<Error> wrong(std::string_view what) { return fail(Code::kRsProtocol, format("the server sent {}", what)); }

}  // namespace

std::optional<std::string> resolve(std::string_view base, std::string_view reference) {
  const auto from = split(base);
  if (!from || reference.empty()) return std::nullopt;
  std::string url;
  if (reference.starts_with("//")) url = from->origin.substr(0, from->origin.find(':') + 1) + std::string(reference);
  else if (reference.starts_with('/')) url = from->origin + std::string(reference);
  else if (reference.find("://") != std::string_view::npos) url = reference;
  else
    url = from->origin + from->path.substr(0, from->path.find('?')).substr(0, from->path.rfind('/') + 1) + std::string(reference);
  const auto to = split(url);
  if (!to) return std::nullopt;
  const auto from_host = http::parse_origin(from->origin), to_host = http::parse_origin(to->origin);
  if (!from_host || !to_host) return std::nullopt;
  const bool is_same = from->origin == to->origin;
  const bool is_relative = from_host->tls && to_host->tls && domain_of(from_host->host) == domain_of(to_host->host) &&
                           domain_of(to_host->host).find('.') != std::string_view::npos &&
                           to_host->host.find_first_not_of("0123456789.") != std::string::npos;
  if (!is_same && !is_relative) return std::nullopt;
  return to->origin + to->path;
}

Result<std::unique_ptr<Client>> Client::open(Account account, Service service, std::stop_token stop) {
  if (account.address.find("://") == std::string::npos) account.address = "https://" + account.address;
  if (!split(account.address))
    return fail(
        Code::kInvalidRequest,
        format("'{}' is not the address of a server: use https://host or https://host/path; http is possible only on this "
               "computer",
               visible_label(account.address)),
        "--url");
  return std::unique_ptr<Client>(new Client(std::move(account), service, std::move(stop)));
}

Result<http::Client*> Client::server_of(const std::string& origin) {
  auto& server = servers_[origin];
  if (!server) {
    http::ClientOptions options;
    options.origin = origin;
    options.timeout = kTimeout;
    options.max_body_bytes = kMaxAnswer;
    options.ca_file = account_.ca_file;
    LADDER_TRY(server, http::Client::create(options));
  }
  return server.get();
}

Result<Client::Answer> Client::ask(Method method, std::string url, std::string_view depth, const std::string& body) {
  for (int hops = 0; hops <= kMaxRedirects; ++hops) {
    const auto parts = split(url);
    if (!parts) return wrong("an address that cannot be used");
    LADDER_TRY(http::Client* const server, server_of(parts->origin));
    http::ClientRequest request;
    request.method = word_for(method);
    request.target = parts->path;
    request.headers.set("User-Agent", "Ladder");
    request.headers.set("Accept", "*/*");
    if (!account_.secret.empty())
      request.headers.set("Authorization", account_.is_token ? "Bearer " + account_.secret
                                                             : "Basic " + base64::encode(account_.user + ":" + account_.secret));
    if (!depth.empty()) request.headers.set("Depth", std::string(depth));
    if (!body.empty()) request.headers.set("Content-Type", "application/xml; charset=utf-8");
    request.body = body;
    const auto answer = server->send(request, stop_);
    if (!answer) {
      switch (answer.error().fault) {
        case http::ClientFault::kCancelled:
          return fail(Code::kCancelled, "stopped");
        case http::ClientFault::kTimeout:
          return fail(Code::kRsTimeout, answer.error().message);
        case http::ClientFault::kTooLarge:
        case http::ClientFault::kProtocol:
          return fail(Code::kRsProtocol, answer.error().message);
        default:
          return fail(Code::kRsUnreachable, answer.error().message);
      }
    }
    const bool is_redirect = answer->status == 301 || answer->status == 302 || answer->status == 307 || answer->status == 308;
    if (!is_redirect) return Answer{std::move(url), answer->status, answer->body};
    const auto next = resolve(url, answer->headers.get("Location").value_or(""));
    if (!next)
      return fail(
          Code::kRsProtocol,
          format("{} refers to another server; name that one with --url, if you trust it with your password", parts->origin));
    url = *next;
  }
  return wrong("too many redirects");
}

namespace {

// Returns an error for a status that is not a result.
Status check_status(int status, std::string_view url) {
  const std::string where = visible_label(url.substr(0, url.find('/', url.find("://") + 3)));
  if (status == 401 || status == 403)
    return fail(Code::kAuthentication,
                format("{} rejected the sign-in of this account (status {}); check the user name and the "
                       "password, and create an app password if the provider offers them",
                       where, status),
                "password");
  if (status == 404 || status == 410) return fail(Code::kNotFound, format("{} has nothing at this address", visible_label(url)));
  if (status == 207 || status == 200) return {};
  if (status == 429 || status >= 500) return fail(Code::kRsUnreachable, format("{} answered with status {}", where, status));
  return fail(Code::kRsProtocol, format("{} answered with status {}", where, status));
}

Result<Element> multistatus(int status, std::string_view url, const std::string& body) {
  LADDER_CHECK(check_status(status, url));
  if (status != 207) return fail(Code::kRsProtocol, format("{} is not a CalDAV or CardDAV server", visible_label(url)));
  LADDER_TRY(Element root, parse_xml(body));
  if (!root.is(kDav, "multistatus")) return wrong("another document than a multistatus");
  return root;
}

std::string propfind(std::string_view wanted) {
  return format(
      R"(<?xml version="1.0" encoding="utf-8"?><d:propfind xmlns:d="DAV:" xmlns:c="{}" xmlns:a="{}" xmlns:s="{}"><d:prop>{})"
      "</d:prop></d:propfind>",
      kCal, kCard, kServer, wanted);
}

}  // namespace

Result<Element> Client::properties(std::string& url, std::string_view depth, std::string_view wanted) {
  LADDER_TRY(Answer answer, ask(Method::kPropfind, url, depth, propfind(wanted)));
  url = answer.url;
  return multistatus(answer.status, answer.url, answer.body);
}

// Returns the calendars or address books at a URL and directly below it.
Result<Collections> Client::collections_at(const std::string& at) {
  std::string url = at;
  LADDER_TRY(const Element answer,
             properties(url, "1",
                        "<d:resourcetype/><d:displayname/><d:sync-token/><d:supported-report-set/><s:getctag/>"
                        "<c:supported-calendar-component-set/>"));
  const bool calendars = service_ == Service::kCalendars;
  Collections all;
  std::vector<Collection>& found = all.found;
  for (const Element& response : answer.children) {
    if (!response.is(kDav, "response")) continue;
    if (leaves_out(response)) all.is_cut = true;
    const Element* const props = props_of(response);
    const Element* const type = props == nullptr ? nullptr : props->find(kDav, "resourcetype");
    if (type == nullptr || type->find(calendars ? kCal : kCard, calendars ? "calendar" : "addressbook") == nullptr) continue;
    const auto resolved = resolve(url, href_in(&response));
    if (!resolved || found.size() >= kMaxCollections) continue;
    Collection& collection = found.emplace_back();
    collection.url = resolved->ends_with('/') ? *resolved : *resolved + '/';
    const Element* const name = props->find(kDav, "displayname");
    collection.name = name == nullptr ? std::string() : trimmed(name->text);
    if (collection.name.empty()) {
      const std::string path = comparable(std::string_view(collection.url).substr(0, collection.url.size() - 1));
      collection.name = path.substr(path.rfind('/') + 1);
    }
    const Element* const token = props->find(kDav, "sync-token");
    const Element* const tag = props->find(kServer, "getctag");
    if (token != nullptr && !trimmed(token->text).empty()) collection.token = trimmed(token->text);
    collection.has_reports = !collection.token.empty();
    if (!collection.has_reports && tag != nullptr && !trimmed(tag->text).empty()) collection.token = "ctag:" + trimmed(tag->text);
  }
  return all;
}

// Returns the address of the collections of the account: below its principal, or the given one.
Result<std::string> Client::home_of(std::string url) {
  const bool calendars = service_ == Service::kCalendars;
  const std::string_view home_name = calendars ? "calendar-home-set" : "addressbook-home-set";
  const std::string wanted = format("<d:current-user-principal/><{}:{}/>", calendars ? "c" : "a", home_name);
  for (int step = 0; step < 2; ++step) {
    LADDER_TRY(const Element answer, properties(url, "0", wanted));
    std::string principal;
    for (const Element& response : answer.children) {
      const Element* const props = response.is(kDav, "response") ? props_of(response) : nullptr;
      if (props == nullptr) continue;
      if (const auto home = resolve(url, href_in(props->find(calendars ? kCal : kCard, home_name)))) return *home;
      if (const Element* const user = props->find(kDav, "current-user-principal")) principal = href_in(user);
    }
    const auto next = resolve(url, principal);
    if (!next) break;
    url = *next;
  }
  return fail(Code::kNotFound, format("{} does not say where the {} of this account are; name their address with --url",
                                      visible_label(account_.address), calendars ? "calendars" : "address books"));
}

Result<Collections> Client::discover() {
  const auto parts = split(account_.address);
  const bool is_bare = parts->path == "/";
  if (!is_bare) {
    // The address may be that of a calendar, or of a folder of calendars.
    auto here = collections_at(account_.address);
    if (!here && here.error().code != Code::kNotFound && here.error().code != Code::kRsProtocol) return here;
    if (here && !here->found.empty()) return here;
  }
  Result<std::string> home = fail(Code::kNotFound, "");
  if (is_bare) home = home_of(parts->origin + (service_ == Service::kCalendars ? "/.well-known/caldav" : "/.well-known/carddav"));
  if (!home && (home.error().code == Code::kNotFound || home.error().code == Code::kRsProtocol)) home = home_of(account_.address);
  LADDER_CHECK(home);
  LADDER_TRY(auto found, collections_at(*home));
  if (!found.found.empty()) return found;
  return fail(Code::kNotFound, format("the account has no {}", service_ == Service::kCalendars ? "calendar" : "address book"));
}

// Adds a piece of the changes. Returns false if the server no longer knows the token.
Result<bool> Client::report_changes(const Collection& collection, std::string token, Changes& changes) {
  std::set<std::string> seen = {token};
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::string body =
        format(R"(<?xml version="1.0" encoding="utf-8"?><d:sync-collection xmlns:d="DAV:"><d:sync-token>{}</d:sync-token>)"
               "<d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>",
               xml_escaped(token));
    LADDER_TRY(const Answer answer, ask(Method::kReport, collection.url, "0", body));
    const bool is_refused = answer.status == 400 || answer.status == 403 || answer.status == 409 || answer.status == 412 ||
                            answer.status == 405 || answer.status == 415 || answer.status == 501;
    if (is_refused) return false;
    LADDER_TRY(const Element root, multistatus(answer.status, answer.url, answer.body));
    bool is_cut = false;
    for (const Element& response : root.children) {
      if (!response.is(kDav, "response")) continue;
      const int status = status_of(response.find(kDav, "status"));
      if (status == 507) is_cut = true;  // the next part follows
      else if (leaves_out(response)) changes.is_cut = true;
      const auto path = item_path(collection, href_in(&response));
      if (!path) continue;
      if (is_gone(status)) {
        changes.gone.push_back(*path);
        continue;
      }
      if (leaves_out(response)) continue;
      const Element* const tag = props_of(response)->find(kDav, "getetag");
      if (tag == nullptr || trimmed(tag->text).empty()) return wrong("an item without an entity tag");
      if (changes.items.size() >= kMaxItems) return wrong("too many items");
      changes.items.push_back({*path, trimmed(tag->text)});
    }
    const Element* const next = root.find(kDav, "sync-token");
    token = next == nullptr ? std::string() : trimmed(next->text);
    if (token.empty()) return wrong("changes without a sync token");
    changes.token = token;
    if (!is_cut) return true;
    if (!seen.insert(token).second) return wrong("the same part of the changes again");
  }
  return wrong("too many parts of the changes");
}

Result<Changes> Client::list_all(const Collection& collection) {
  Changes changes;
  changes.is_complete = true;
  changes.token = collection.token;
  std::string url = collection.url;
  LADDER_TRY(const Element root, properties(url, "1", "<d:getetag/><d:resourcetype/>"));
  for (const Element& response : root.children) {
    if (response.is(kDav, "response") && leaves_out(response)) changes.is_cut = true;
    const Element* const props = response.is(kDav, "response") ? props_of(response) : nullptr;
    const auto path = item_path(collection, href_in(&response));
    const Element* const type = props == nullptr ? nullptr : props->find(kDav, "resourcetype");
    const bool is_folder = type != nullptr && type->find(kDav, "collection") != nullptr;
    if (props == nullptr || !path || is_folder) continue;
    const Element* const tag = props->find(kDav, "getetag");
    if (tag == nullptr || trimmed(tag->text).empty()) return wrong("an item without an entity tag");
    if (changes.items.size() >= kMaxItems) return wrong("too many items");
    changes.items.push_back({*path, trimmed(tag->text)});
  }
  return changes;
}

Result<Changes> Client::changes(const Collection& collection, const std::string& token) {
  if (!collection.has_reports) return list_all(collection);
  const bool is_known = !token.empty() && !token.starts_with("ctag:");
  for (const std::string& from : is_known ? std::vector<std::string>{token, ""} : std::vector<std::string>{""}) {
    Changes changes;
    LADDER_TRY(const bool valid, report_changes(collection, from, changes));
    changes.is_complete = from.empty();
    if (valid) return changes;
  }
  return list_all(collection);
}

Result<bool> Client::fetch(const Collection& collection, std::span<const std::string> paths, const TakeContent& take) {
  const bool calendars = service_ == Service::kCalendars;
  std::string hrefs;
  std::map<std::string, std::string, std::less<>> wanted;  // comparable → as asked
  for (const std::string& path : paths) {
    hrefs += "<d:href>" + xml_escaped(path) + "</d:href>";
    wanted.emplace(comparable(path), path);
  }
  const std::string_view space = calendars ? kCal : kCard;
  const std::string_view data_name = calendars ? "calendar-data" : "address-data";
  const std::string name = calendars ? "calendar-multiget" : "addressbook-multiget";
  const std::string body = format(
      R"(<?xml version="1.0" encoding="utf-8"?><x:{0} xmlns:d="DAV:" xmlns:x="{1}"><d:prop><d:getetag/><x:{2}/></d:prop>{3}</x:{0}>)",
      name, space, data_name, hrefs);
  LADDER_TRY(const Answer answer, ask(Method::kReport, collection.url, "1", body));
  if (answer.status == 400 || answer.status == 405 || answer.status == 501) {
    for (const std::string& path : paths) {
      const auto url = resolve(collection.url, path);
      if (!url) continue;
      LADDER_TRY(const Answer one, ask(Method::kGet, *url, "", ""));
      if (is_gone(one.status)) continue;
      LADDER_CHECK(check_status(one.status, one.url));
      LADDER_CHECK(take(path, "", one.body));
    }
    return true;
  }
  LADDER_TRY(const Element root, multistatus(answer.status, answer.url, answer.body));
  for (const Element& response : root.children) {
    const Element* const props = response.is(kDav, "response") ? props_of(response) : nullptr;
    const Element* const data = props == nullptr ? nullptr : props->find(space, data_name);
    const auto path = item_path(collection, href_in(&response));
    const auto asked = path ? wanted.find(comparable(*path)) : wanted.end();
    if (asked == wanted.end()) continue;
    if (is_gone(status_of(response.find(kDav, "status")))) wanted.erase(asked);
    if (data == nullptr) continue;
    const Element* const tag = props->find(kDav, "getetag");
    LADDER_CHECK(take(asked->second, tag == nullptr ? "" : trimmed(tag->text), data->text));
    wanted.erase(asked);
  }
  return wanted.empty();
}

}  // namespace ladder::sync::dav
