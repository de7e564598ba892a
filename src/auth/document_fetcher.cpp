// Fetching a client's document over the network: the one request that a stranger can make Ladder send. The address is looked at
// after the lookup, by whoever connects to it, so that no name leads inside.
#include "auth/clients.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "http/client.h"
#include "http/message/message.h"

#include <charconv>

namespace ladder::auth {
namespace {

constexpr auto kTimeout = std::chrono::seconds(5);
constexpr std::size_t kMaxBytes = 5 * limits::kKiB;

std::string_view why(http::ClientFault fault) {
  switch (fault) {
    case http::ClientFault::kTimeout:
      return "it did not answer within 5 seconds";
    case http::ClientFault::kTooLarge:
      return "it is larger than 5 KiB";
    case http::ClientFault::kProtocol:
      return "what answered does not speak HTTPS";
    case http::ClientFault::kCancelled:
      return "the fetch was stopped";
    case http::ClientFault::kUnreachable:
      break;
  }
  return "its name is unknown, its address is not a public one, or its certificate is not valid";
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
    if (!answer) return fail(Code::kInvalidRequest, std::string(why(answer.error().fault)));
    if (answer->status != 200) return fail(Code::kInvalidRequest, format("it answered with status {}, not 200", answer->status));
    const std::string_view type = answer->headers.get("Content-Type").value_or("");
    const std::string_view media = http::trimmed(type.substr(0, type.find(';')));
    if (!http::equal_without_case(media, "application/json") && !media.ends_with("+json")) {
      return fail(Code::kInvalidRequest, "it is not JSON");
    }
    return Document{answer->body, max_age(answer->headers)};
  }
};

}  // namespace

std::unique_ptr<DocumentFetcher> make_document_fetcher() { return std::make_unique<Fetcher>(); }

}  // namespace ladder::auth
