#include "sync/feed_sync.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "crypto/hash.h"
#include "http/client.h"
#include "http/message/origin.h"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::sync {
namespace {

constexpr std::string_view kFolder = "feed";
constexpr int kMaxRedirects = 5;
constexpr auto kTimeout = std::chrono::seconds(60);
constexpr std::size_t kMaxKnownEntries = 10'000;  // whose keys are kept, to count the new ones
constexpr std::size_t kMaxValidatorBytes = 1024;  // of an ETag

struct Address {
  std::string origin, path;  // "https://host:port", "/path?query"
  bool tls = false;
};
std::optional<Address> split(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  const std::size_t end = url.find_first_of("/?#", scheme + 3);
  const auto origin = http::parse_origin(url.substr(0, end));
  if (!origin) return std::nullopt;
  std::string path(end == std::string_view::npos ? "/" : url.substr(end));
  path = path.substr(0, path.find('#'));
  if (!path.starts_with('/')) path.insert(0, "/");
  const bool is_plain = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_plain) return std::nullopt;
  return Address{http::canonical_text(*origin), std::move(path), origin->tls};
}

// The server's validators for the next fetch, and the digest of the content for servers without any.
struct Validators {
  std::string etag, modified, digest;
};
Validators validators_of(std::string_view token) {
  Validators found;
  for (std::string* const each : {&found.etag, &found.modified, &found.digest}) {
    *each = token.substr(0, token.find('\n'));
    token.remove_prefix(std::min(token.size(), each->size() + 1));
  }
  return found;
}
std::string header_of(const http::ClientResponse& response, std::string_view name) {
  const std::string value(response.headers.get(name).value_or(""));
  return value.size() <= kMaxValidatorBytes ? value : std::string();
}

std::string digest_of(std::string_view body) { return base64url::encode(crypto::view(crypto::sha256(body))); }

Error error_of(const http::ClientError& error, const Source& source, std::string_view origin) {
  switch (error.fault) {
    case http::ClientFault::kCancelled:
      return {Code::kCancelled, "stopped"};
    case http::ClientFault::kTimeout:
      return {Code::kRsTimeout, error.message};
    case http::ClientFault::kForbidden:
      return {Code::kInvalidRequest,
              format("{} is {}; Ladder does not read feeds there{}", visible_label(origin),
                     source.allows_private ? "an address of a network where no feed can be"
                                           : "in a private network or on this computer",
                     source.allows_private ? "" : ", unless you add the feed with `ladder sync add feed … --allow-private`"),
              "--url"};
    case http::ClientFault::kTooLarge:
      return {Code::kRsProtocol, format("the feed is larger than {} MB", kMaxFeedBytes / (std::size_t{1024} * 1024))};
    case http::ClientFault::kProtocol:
      return {Code::kRsProtocol, error.message};
    default:
      return {Code::kRsUnreachable, error.message};
  }
}

Status check_status(int status, std::string_view origin) {
  const std::string where = visible_label(origin);
  if (status == 200) return {};
  if (status == 401 || status == 403)
    return fail(Code::kInvalidRequest, format("{} does not let Ladder read the feed (status {})", where, status), "--url");
  if (status == 404 || status == 410)
    return fail(Code::kNotFound,
                format("{} no longer has the feed (status {}); add its new address, and remove this source", where, status),
                "--url");
  if (status == 429 || status >= 500) return fail(Code::kRsUnreachable, format("{} answered with status {}", where, status));
  return fail(Code::kRsProtocol, format("{} answered with status {}", where, status));
}

// The importer, which parses it, is a process of its own and does not know the address.
bool looks_like_feed(std::string_view body) {
  constexpr std::array<std::string_view, 4> kSigns = {"<rss", "http://www.w3.org/2005/Atom", "http://purl.org/rss/1.0/",
                                                      "http://purl.org/atom/ns#"};
  constexpr std::size_t kHeadBytes = 8 * 1024;
  const std::string_view head = body.substr(0, kHeadBytes);
  const bool is_wide = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");  // UTF-16
  return is_wide || std::ranges::any_of(kSigns, [&](std::string_view sign) { return head.find(sign) != std::string_view::npos; });
}

Result<http::ClientResponse> get(const Source& source, const Address& address, http::AddressScope nearest,
                                 const Validators& known, const std::stop_token& stop) {
  http::ClientOptions options;
  options.origin = address.origin;
  options.timeout = kTimeout;
  options.max_body_bytes = kMaxFeedBytes;
  options.ca_file = source.server.ca_file;
  options.nearest = nearest;
  LADDER_TRY(const auto client, http::Client::create(options));
  http::ClientRequest request;
  request.target = address.path;
  request.headers.set("User-Agent", "Ladder");
  request.headers.set("Accept", "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5");
  if (!known.etag.empty()) request.headers.set("If-None-Match", known.etag);
  if (!known.modified.empty()) request.headers.set("If-Modified-Since", known.modified);
  auto answer = client->send(request, stop);
  if (!answer) return std::unexpected(error_of(answer.error(), source, address.origin));
  return *std::move(answer);
}

}  // namespace

Status check_feed_address(std::string_view url) {
  if (split(url)) return {};
  return fail(
      Code::kInvalidRequest,
      format("'{}' is not the address of a feed: use https://host/path, without a user name or spaces", visible_label(url)),
      "--url");
}

std::optional<std::string> redirect_of(std::string_view base, std::string_view reference) {
  const auto from = split(base);
  if (!from || reference.empty()) return std::nullopt;
  std::string url;
  if (reference.starts_with("//")) url = from->origin.substr(0, from->origin.find(':') + 1) + std::string(reference);
  else if (reference.starts_with('/')) url = from->origin + std::string(reference);
  else if (reference.find("://") != std::string_view::npos) url = reference;
  else {
    const std::string folder = from->path.substr(0, from->path.find('?'));
    url = from->origin + folder.substr(0, folder.rfind('/') + 1) + std::string(reference);
  }
  const auto to = split(url);
  if (!to || (from->tls && !to->tls)) return std::nullopt;
  return to->origin + to->path;
}

Result<std::optional<FetchedFeed>> fetch_feed(const Source& source, std::string_view token, const std::stop_token& stop) {
  LADDER_CHECK(check_feed_address(source.address));
  const Validators known = validators_of(token);
  std::string url = source.address;
  auto nearest = source.allows_private ? http::AddressScope::kLoopback : http::AddressScope::kPublic;
  for (int hops = 0; hops <= kMaxRedirects; ++hops) {
    const auto address = split(url);
    LADDER_TRY(http::ClientResponse answer, get(source, *address, nearest, known, stop));
    if (answer.status == 304 && !known.digest.empty()) return std::nullopt;
    const bool is_redirect =
        answer.status == 301 || answer.status == 302 || answer.status == 303 || answer.status == 307 || answer.status == 308;
    if (is_redirect) {
      const auto next = redirect_of(url, answer.headers.get("Location").value_or(""));
      if (!next)
        return fail(Code::kRsProtocol,
                    format("{} redirects to an address that cannot be followed", visible_label(address->origin)));
      nearest = std::min(nearest, answer.from);
      url = *next;
      continue;
    }
    LADDER_CHECK(check_status(answer.status, address->origin));
    if (!looks_like_feed(answer.body))
      return fail(Code::kRsProtocol,
                  format("{} sent something that is not an RSS or Atom feed; the page of a site often has a link to its feed",
                         visible_label(address->origin)),
                  "--url");
    const std::string digest = digest_of(answer.body);
    FetchedFeed fetched{std::move(answer.body),
                        format("{}\n{}\n{}", header_of(answer, "ETag"), header_of(answer, "Last-Modified"), digest)};
    if (digest == known.digest) return std::nullopt;
    return fetched;
  }
  return fail(Code::kRsProtocol, "the feed redirects too often");
}

ReadFolders feed_folder(std::stop_token stop) {
  return [stop = std::move(stop)](RunParts& run, std::vector<FolderState>& folders) -> Result<std::vector<std::string>> {
    FolderState& folder = state_of(folders, std::string(kFolder), std::string(kFolder));
    LADDER_TRY(const auto fetched, fetch_feed(run.source, folder.token, stop));
    ++run.report.folders;
    if (!fetched) {
      ++run.report.unchanged;
      run.report.messages = static_cast<std::int64_t>(folder.messages);
      return std::vector{folder.wire_name};
    }
    LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
    LADDER_CHECK(run.staging.begin(kFolder));
    LADDER_CHECK(run.staging.add_file("1.xml", fetched->body));
    LADDER_TRY(const std::vector<StoredItem> stored, run.sink.import(run.staging.root()));
    // One entry of the state is the feed, with the records that it lists.
    std::set<RecordKey> before;
    Entry feed{1, {}, {}, false, std::string(kFolder), {}};
    folder.each([&](const Entry& entry) {
      before.insert(entry.records.begin(), entry.records.end());
      return false;
    });
    for (const StoredItem& item : stored) {
      for (const RecordKey& record : item.records) {
        run.report.fetched += before.contains(record) ? 0 : 1;
        if (feed.records.size() < kMaxKnownEntries) feed.records.push_back(record);
      }
      run.report.messages += std::ssize(item.records);
    }
    run.report.fetched_bytes = std::ssize(fetched->body);
    if (folder.chunks.empty()) folder.add(std::move(feed));
    else
      folder.each([&](Entry& entry) {
        entry.records = feed.records;
        return true;
      });
    folder.uid_validity = 1;
    folder.messages = static_cast<std::uint64_t>(run.report.messages);
    folder.token = fetched->token;
    LADDER_CHECK(run.store.save(run.owner, run.source.name, folder));
    LADDER_CHECK(run.staging.clear());
    return std::vector{folder.wire_name};
  };
}

}  // namespace ladder::sync
