// One request to the server and its answer, or a typed error that names the server and what was asked of it: rs_unreachable,
// rs_timeout, rs_protocol_error, resource_limit (the answer is too large), cancelled, or what the server itself said.
// A read of bytes may be sent on to another server; the token goes to none but the first. Thread-safe.
#pragma once

#include "base/result.h"
#include "http/client.h"
#include "remote/answer.h"
#include "remote/credentials.h"
#include "remote/endpoint.h"
#include "remote/other_servers.h"

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::remote {

class Exchange {
 public:
  // Connects to nothing yet. kInvalidRequest for an address or a file of certificates that cannot be used.
  static Result<Exchange> create(Endpoint endpoint, http::ClientOptions options, std::shared_ptr<Credentials> credentials);

  // The same with a client that is there already; `options` are for servers that it sends on to.
  Exchange(Endpoint endpoint, const http::ClientOptions& options, std::unique_ptr<http::Client> client,
           std::shared_ptr<Credentials> credentials);

  // A GET of JSON: the body of a 2xx. `operation` is what a person calls it, e.g. "search".
  Result<std::string> get(std::string_view operation, std::string target, const std::stop_token& stop);
  // Any answer below 400, and 416, which a read of bytes has to look at. A GET that is sent on is followed, all of it within one
  // timeout; a HEAD is not, since a URL is signed for one method.
  Result<http::ClientResponse> bytes(std::string_view operation, http::ClientRequest request, const std::stop_token& stop);

  // kRsProtocol: the server's answer cannot be understood, for this reason.
  std::unexpected<Error> misunderstood(std::string_view operation, std::string_view why) const;

  const Endpoint& endpoint() const { return endpoint_; }
  const Credentials& credentials() const { return *credentials_; }

 private:
  Result<http::ClientResponse> send(std::string_view operation, http::ClientRequest request, std::string_view smaller,
                                    const std::stop_token& stop);
  Result<http::ClientResponse> follow(std::string_view operation, const http::ClientRequest& first, http::ClientResponse response,
                                      const std::stop_token& stop);
  // `asked` is where the fault happened; `smaller` what to do about an answer that is too large.
  Error failure(std::string_view operation, const http::ClientError& error, const std::string& asked,
                std::string_view smaller) const;

  Endpoint endpoint_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<http::Client> client_;
  std::unique_ptr<OtherServers> others_;
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
