// One request to the server and its answer, or a typed error that names the server and what was asked of it: rs_unreachable,
// rs_timeout, rs_protocol_error, resource_limit (the answer is too large), cancelled, or what the server itself said.
// A read of bytes may be sent on to another server; the token goes to none but the first. Nothing but the schema is asked with a
// token whose kind is not known yet: the server is asked for that first. Thread-safe.
#pragma once

#include "base/result.h"
#include "http/client.h"
#include "remote/answer.h"
#include "remote/credentials.h"
#include "remote/endpoint.h"
#include "remote/other_servers.h"
#include "remote/token_kinds.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::remote {

// The body of a 2xx and what the server calls the request; empty when it does not say.
struct Reply {
  std::string body;
  std::string request_id;
};

class Exchange {
 public:
  // Connects to nothing yet. kInvalidRequest for an address or a file of certificates that cannot be used.
  static Result<Exchange> create(Endpoint endpoint, http::ClientOptions options, std::shared_ptr<Credentials> credentials);

  // The same with a client that is there already; `options` are for servers that it sends on to.
  Exchange(Endpoint endpoint, const http::ClientOptions& options, std::unique_ptr<http::Client> client,
           std::shared_ptr<Credentials> credentials);

  // A GET of JSON. `operation` is what a person calls it, e.g. "search".
  Result<Reply> get(std::string_view operation, std::string target, const std::stop_token& stop);
  // The same for a schema, which tells whose the token is: kPermission when it is no client's.
  Result<Reply> get_schema(std::string target, const std::stop_token& stop);
  // Any answer below 400, and 416, which a read of bytes has to look at. A GET that is sent on is followed, all of it within one
  // timeout; a HEAD is not, since a URL is signed for one method.
  Result<http::ClientResponse> bytes(std::string_view operation, http::ClientRequest request, const std::stop_token& stop);

  // kRsProtocol: the server's answer cannot be understood, for this reason.
  std::unexpected<Error> misunderstood(std::string_view operation, std::string_view why) const;

  const Endpoint& endpoint() const { return endpoint_; }
  const Credentials& credentials() const { return *credentials_; }

 private:
  enum class Tells : std::uint8_t { kData, kKind };
  Result<Reply> get(std::string_view operation, std::string target, Tells tells, const std::stop_token& stop);
  Result<http::ClientResponse> send(std::string_view operation, http::ClientRequest request, Tells tells,
                                    std::string_view smaller, const std::stop_token& stop);
  // nullopt: the token is a client's. Else the server's refusal to say so.
  Result<std::optional<http::ClientResponse>> ask_kind(const std::string& token, const http::ClientRequest& before,
                                                       const std::stop_token& stop);
  Status check_kind(const std::string& token);
  Result<http::ClientResponse> follow(std::string_view operation, const http::ClientRequest& first, http::ClientResponse response,
                                      const std::stop_token& stop);
  // `asked` is where the fault happened; `smaller` what to do about an answer that is too large.
  Error failure(std::string_view operation, const http::ClientError& error, const std::string& asked,
                std::string_view smaller) const;

  Endpoint endpoint_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<http::Client> client_;
  std::unique_ptr<OtherServers> others_;
  std::unique_ptr<TokenKinds> kinds_;
  std::shared_ptr<Credentials> credentials_;
};

// What `read` makes of a JSON body, unless something it needed was missing.
template <class Read>
auto understood(const Exchange& exchange, std::string_view operation, std::string_view body, Read read)
    -> Result<decltype(read(std::declval<Answer&>()))> {
  auto answer = Answer::parse(body);
  if (!answer) return exchange.misunderstood(operation, "it is not JSON: " + answer.error());
  auto value = read(*answer);
  if (!answer->complaint().none()) return exchange.misunderstood(operation, answer->complaint().what());
  return value;
}

}  // namespace ladder::remote
