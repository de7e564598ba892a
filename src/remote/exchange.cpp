#include "remote/exchange.h"

#include "base/format.h"
#include "remote/redirect.h"
#include "remote/refusal.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kRangeNotSatisfiable = 416;
constexpr std::string_view kFewerRecords = "ask for fewer records, or for some of their fields";
constexpr std::string_view kNoParts =
    "the server sends blobs only as a whole (it knows no Range), and this one is too large for that";

// A bearer that could end the header and start another is no bearer.
bool is_sendable(const std::string& token) { return !token.empty() && token.find_first_of(" \t\r\n") == std::string::npos; }

}  // namespace

Result<Exchange> Exchange::create(Endpoint endpoint, http::ClientOptions options, std::shared_ptr<Credentials> credentials) {
  options.origin = endpoint.origin;
  LADDER_TRY(auto client, http::Client::create(options));
  return Exchange(std::move(endpoint), options, std::move(client), std::move(credentials));
}

Exchange::Exchange(Endpoint endpoint, const http::ClientOptions& options, std::unique_ptr<http::Client> client,
                   std::shared_ptr<Credentials> credentials)
    : endpoint_(std::move(endpoint)),
      timeout_(options.timeout),
      client_(std::move(client)),
      others_(std::make_unique<OtherServers>(options)),
      credentials_(std::move(credentials)) {}

Result<std::string> Exchange::get(std::string_view operation, std::string target, const std::stop_token& stop) {
  http::ClientRequest request;
  request.target = std::move(target);
  LADDER_TRY(auto response, send(operation, std::move(request), kFewerRecords, stop));
  if (response.status < 200 || response.status > 299) {
    if (response.status < 400) {
      return misunderstood(operation, format("it sends on to another address (HTTP status {})", response.status));
    }
    return std::unexpected(refusal_of(response, endpoint_.url, operation));
  }
  return std::move(response.body);
}

Result<http::ClientResponse> Exchange::bytes(std::string_view operation, http::ClientRequest request,
                                             const std::stop_token& stop) {
  request.deadline = std::chrono::steady_clock::now() + timeout_;
  LADDER_TRY(auto response, send(operation, request, kNoParts, stop));
  if (sends_on(response) && request.method == "GET") return follow(operation, request, std::move(response), stop);
  if (response.status >= 400 && response.status != kRangeNotSatisfiable) {
    return std::unexpected(refusal_of(response, endpoint_.url, operation));
  }
  return response;
}

// The token stays behind, also at the same origin: what is sent on to carries its own right to be read, and storage refuses two.
Result<http::ClientResponse> Exchange::follow(std::string_view operation, const http::ClientRequest& first,
                                              http::ClientResponse response, const std::stop_token& stop) {
  http::ClientRequest request;
  request.deadline = first.deadline;
  request.headers.set("Accept", "*/*");
  request.headers.set("User-Agent", "ladder");
  if (const auto range = first.headers.get("Range")) request.headers.set("Range", std::string(*range));
  LADDER_TRY(http::Origin sender, http::parse_origin(endpoint_.origin));
  http::Reach nearest = nearest_for(response.from);
  for (int hops = 0; sends_on(response); ++hops) {
    if (hops == kMostHops) {
      return misunderstood(operation, format("it is sent on more than {} times, last by {}", kMostHops, address_of(sender)));
    }
    auto hop = next_hop(sender, response);
    if (!hop) return misunderstood(operation, hop.error());
    const bool stays = hops == 0 && same_origin(sender, hop->origin);
    std::shared_ptr<http::Client> client = client_;
    if (!stays) {
      LADDER_TRY(client, others_->client(hop->origin, nearest));
    }
    request.target = std::move(hop->target);
    auto answer = client->send(request, stop);
    sender = std::move(hop->origin);
    if (!answer) return std::unexpected(failure(operation, answer.error(), address_of(sender), kNoParts));
    response = *std::move(answer);
    nearest = std::min(nearest, nearest_for(response.from));
  }
  if (response.status >= 400 && response.status != kRangeNotSatisfiable) {
    return std::unexpected(refused_elsewhere(response.status, endpoint_.url, address_of(sender), operation));
  }
  return response;
}

Result<http::ClientResponse> Exchange::send(std::string_view operation, http::ClientRequest request, std::string_view smaller,
                                            const std::stop_token& stop) {
  LADDER_TRY(std::string token, credentials_->token());
  request.target.insert(0, endpoint_.prefix);
  request.headers.set("Accept", "application/json");
  request.headers.set("User-Agent", "ladder");
  for (bool again = false;; again = true) {
    if (!is_sendable(token)) return fail(Code::kAuthentication, "the token cannot be sent: it is empty or holds white space");
    request.headers.set("Authorization", "Bearer " + token);
    auto response = client_->send(request, stop);
    if (!response) return std::unexpected(failure(operation, response.error(), endpoint_.origin, smaller));
    if (response->status != kUnauthorized || again) return *std::move(response);
    auto other = credentials_->instead_of(token);
    if (!other) return *std::move(response);
    token = *std::move(other);
  }
}

Error Exchange::failure(std::string_view operation, const http::ClientError& error, const std::string& asked,
                        std::string_view smaller) const {
  const bool is_elsewhere = asked != endpoint_.origin;
  const bool names_server = !is_elsewhere && error.message.find(asked) != std::string::npos;
  std::string what = names_server ? std::string(operation) : format("{} of {}", operation, endpoint_.url);
  if (is_elsewhere) what += format(", which sends on to {}", asked);
  what += ": " + error.message;
  switch (error.fault) {
    case http::ClientFault::kUnreachable:
      return {Code::kRsUnreachable, what};
    case http::ClientFault::kTimeout:
      return {Code::kRsTimeout, what};
    case http::ClientFault::kCancelled:
      return {Code::kCancelled, what};
    case http::ClientFault::kTooLarge:
      return {Code::kResourceLimit, format("{}; {}", what, smaller)};
    case http::ClientFault::kProtocol:
      break;
  }
  return {Code::kRsProtocol, what};
}

std::unexpected<Error> Exchange::misunderstood(std::string_view operation, std::string_view why) const {
  return fail(Code::kRsProtocol, format("the answer of {} to {} cannot be understood: {}", endpoint_.url, operation, why));
}

}  // namespace ladder::remote
