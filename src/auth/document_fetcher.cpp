// Fetches a client's metadata document, the only request that an unauthenticated client can make Ladder send. The
// connector checks the address after DNS lookup, so that no name resolves to an internal address.
#include "auth/clients.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "http/client.h"
#include "http/message/message.h"

#include <charconv>
#include <deque>
#include <map>

namespace ladder::auth {
namespace {

constexpr auto kTimeout = std::chrono::seconds(5);
constexpr std::size_t kMaxBytes = 5 * limits::kKiB;

std::string why(const http::ClientError& error) {
  switch (error.fault) {
    case http::ClientFault::kTimeout:
      return "it did not answer within 5 seconds";
    case http::ClientFault::kTooLarge:
      return "it is larger than 5 KiB";
    case http::ClientFault::kProtocol:
      return "its server does not speak HTTPS";
    case http::ClientFault::kCancelled:
      return "the fetch was stopped";
    case http::ClientFault::kForbidden:
      return "its address is not a public one, so it was not fetched";
    case http::ClientFault::kCertificate:
      return format("the certificate of its server is not valid: {}", error.certificate);
    case http::ClientFault::kUnreachable:
      break;
  }
  return "its server was not found or refused the connection";
}

std::int64_t max_age(const http::Headers& headers) {
  const auto control = headers.get("Cache-Control");
  if (!control) return -1;
  if (control->find("no-store") != std::string_view::npos || control->find("no-cache") != std::string_view::npos) return 0;
  constexpr std::string_view kName = "max-age=";
  const auto at = control->find(kName);
  if (at == std::string_view::npos) return -1;
  std::int64_t seconds = -1;
  const char* from = control->data() + at + kName.size();
  std::from_chars(from, control->data() + control->size(), seconds);
  return seconds;
}

class Fetcher final : public DocumentFetcher {
 public:
  Result<Document> fetch(const std::string& url) override {
    const auto uri = parse_uri(url);
    if (!uri || !is_document_address(url)) return fail(Code::kInvalidRequest, "its address is not https with a path");
    http::ClientOptions options;
    options.origin = origin_of(*uri);
    options.timeout = kTimeout;
    options.max_body_bytes = kMaxBytes;
    options.nearest = http::AddressScope::kPublic;
    LADDER_TRY(const auto client, http::Client::create(options));
    http::ClientRequest request;
    request.target = uri->path;
    request.headers.set("Accept", "application/json");
    request.headers.set("User-Agent", "Ladder");
    const auto answer = client->send(request, {});
    if (!answer) return fail(Code::kInvalidRequest, why(answer.error()));
    if (answer->status != 200) return fail(Code::kInvalidRequest, format("it answered with status {}, not 200", answer->status));
    const std::string_view media = http::media_type(answer->headers.get("Content-Type").value_or(""));
    if (!http::equal_without_case(media, "application/json") && !media.ends_with("+json")) {
      return fail(Code::kInvalidRequest,
                  format("its content type is {}, not JSON", media.empty() ? "missing" : printable(media)));
    }
    return Document{answer->body, max_age(answer->headers)};
  }
};

}  // namespace

std::unique_ptr<DocumentFetcher> make_document_fetcher() { return std::make_unique<Fetcher>(); }

namespace {

constexpr int kAtOnce = 2;  // each blocks a worker for at most 5 s
constexpr std::size_t kPerMinute = 20;
constexpr Instant kMinute = 60 * kSecond;
constexpr Instant kFailedFor = 30 * kSecond;
constexpr std::size_t kMaxRemembered = 1'000;

// Rate-limits fetches, because any client can choose the URLs: it protects Ladder and the hosts that are named.
class RateLimitedFetcher final : public DocumentFetcher {
 public:
  RateLimitedFetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock) : inner_(std::move(inner)), clock_(clock) {}

  Result<Document> fetch(const std::string& url) override {
    const auto uri = parse_uri(url);
    if (!uri) return fail(Code::kInvalidRequest, "its address is not https with a path");
    if (Status fit = begin(url, uri->host); !fit) return std::unexpected(fit.error());
    auto answer = inner_->fetch(url);
    const MutexLock lock(mutex_);
    --running_;
    if (!answer && failed_.size() < kMaxRemembered) failed_[url] = {clock_.now() + kFailedFor, answer.error().message};
    return answer;
  }

 private:
  struct Failure {
    Instant until = 0;
    std::string why;
  };

  Status begin(const std::string& url, const std::string& host) {
    const MutexLock lock(mutex_);
    const Instant now = clock_.now();
    std::erase_if(failed_, [&](const auto& one) { return one.second.until <= now; });
    if (const auto known = failed_.find(url); known != failed_.end()) return fail(Code::kInvalidRequest, known->second.why);
    while (!called_.empty() && called_.front().first <= now - kMinute) called_.pop_front();
    std::size_t of_host = 0;
    for (const auto& [at, name] : called_) of_host += name == host ? 1 : 0;
    if (running_ >= kAtOnce || of_host >= kPerMinute || called_.size() >= kMaxRemembered) {
      return fail(Code::kRateLimited, "too many documents are being fetched; try again in a minute");
    }
    ++running_;
    called_.emplace_back(now, host);
    return {};
  }

  std::unique_ptr<DocumentFetcher> inner_;
  const Clock& clock_;
  Mutex mutex_;
  int running_ LADDER_GUARDED_BY(mutex_) = 0;
  std::deque<std::pair<Instant, std::string>> called_ LADDER_GUARDED_BY(mutex_);  // time and host
  std::map<std::string, Failure> failed_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<DocumentFetcher> make_rate_limited_fetcher(std::unique_ptr<DocumentFetcher> inner, const Clock& clock) {
  return std::make_unique<RateLimitedFetcher>(std::move(inner), clock);
}

}  // namespace ladder::auth
