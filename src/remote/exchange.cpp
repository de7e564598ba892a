#include "remote/exchange.h"

#include "base/format.h"
#include "remote/refusal.h"

namespace ladder::remote {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kRangeNotSatisfiable = 416;

// A bearer that could end the header and start another is no bearer.
bool is_sendable(const std::string& token) { return !token.empty() && token.find_first_of(" \t\r\n") == std::string::npos; }

}  // namespace

Exchange::Exchange(Endpoint endpoint, std::unique_ptr<http::Client> client, std::shared_ptr<Credentials> credentials)
    : endpoint_(std::move(endpoint)), client_(std::move(client)), credentials_(std::move(credentials)) {}

Result<std::string> Exchange::get(std::string_view operation, std::string target, const std::stop_token& stop) {
  http::ClientRequest request;
  request.target = std::move(target);
  LADDER_TRY(auto response, send(operation, std::move(request), stop));
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
  LADDER_TRY(auto response, send(operation, std::move(request), stop));
  if (response.status >= 400 && response.status != kRangeNotSatisfiable) {
    return std::unexpected(refusal_of(response, endpoint_.url, operation));
  }
  return response;
}

Result<http::ClientResponse> Exchange::send(std::string_view operation, http::ClientRequest request,
                                            const std::stop_token& stop) {
  LADDER_TRY(std::string token, credentials_->token());
  request.target.insert(0, endpoint_.prefix);
  request.headers.set("Accept", "application/json");
  request.headers.set("User-Agent", "ladder");
  for (bool again = false;; again = true) {
    if (!is_sendable(token)) return fail(Code::kAuthentication, "the token cannot be sent: it is empty or holds white space");
    request.headers.set("Authorization", "Bearer " + token);
    auto response = client_->send(request, stop);
    if (!response) return std::unexpected(failure(operation, response.error()));
    if (response->status != kUnauthorized || again) return *std::move(response);
    auto other = credentials_->instead_of(token);
    if (!other) return *std::move(response);
    token = *std::move(other);
  }
}

Error Exchange::failure(std::string_view operation, const http::ClientError& error) const {
  const bool names_server = error.message.find(endpoint_.origin) != std::string::npos;
  const std::string what =
      names_server ? format("{}: {}", operation, error.message) : format("{} of {}: {}", operation, endpoint_.url, error.message);
  switch (error.fault) {
    case http::ClientFault::kUnreachable:
      return {Code::kRsUnreachable, what};
    case http::ClientFault::kTimeout:
      return {Code::kRsTimeout, what};
    case http::ClientFault::kCancelled:
      return {Code::kCancelled, what};
    case http::ClientFault::kTooLarge:
      return {Code::kResourceLimit, what + "; ask for fewer records, or for some of their fields"};
    case http::ClientFault::kProtocol:
      break;
  }
  return {Code::kRsProtocol, what};
}

std::unexpected<Error> Exchange::misunderstood(std::string_view operation, std::string_view why) const {
  return fail(Code::kRsProtocol, format("the answer of {} to {} cannot be understood: {}", endpoint_.url, operation, why));
}

}  // namespace ladder::remote
