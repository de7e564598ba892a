// Sends requests to another resource server: its address, the token, and its responses.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "http/client.h"
#include "remote/answer.h"
#include "remote/redirect.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::remote {

// Remembers the kind of each token, which the server reports in `bearer.token_kind` of its schema (PDPP "schema and streams").
// Ladder reads only with client tokens (design D16), so it sends no other request before the kind is known. Thread-safe.
class TokenKinds {
 public:
  static constexpr std::size_t kMaxTokens = 16;  // a new token replaces an old one; more than a few are outdated

  // Records the token kind from a schema body. A schema without it changes nothing.
  void learn(const std::string& token, std::string_view schema_body);
  bool knows(const std::string& token);
  // Succeeds for a client token. Returns kPermission for an owner's token or an unknown kind, kRsProtocol if the server did not
  // report the kind. `server` is the address for the message.
  Status check(const std::string& token, std::string_view server);

 private:
  Mutex mutex_;
  std::map<std::string, std::string> kinds_ LADDER_GUARDED_BY(mutex_);
};

// The parsed address of a resource server. Its path is prepended to every target.
struct Endpoint {
  std::string url;        // https://host[:port][/prefix], without a trailing slash; safe to show
  std::string origin;     // https://host[:port]
  std::string prefix;     // "" or "/prefix"
  std::string authority;  // host[:port], as written
  bool tls = true;
  bool is_loopback = false;
};

// Defaults to https:// and ignores user name, query and fragment. Returns kInvalidRequest for anything else.
Result<Endpoint> parse_endpoint(std::string_view text);

// The token for a remote server. It may change while the program runs, because other programs refresh it.

// Thread-safe.
class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual Result<std::string> token() = 0;  // kAuthentication if there is no token
  // The server rejected this token. Returns a newer one if there is one.
  virtual std::optional<std::string> instead_of(const std::string& refused) = 0;
  // Returns the grant of the token, if known; cursors are bound to it.
  virtual std::string grant_id() const = 0;
  virtual std::string origin() const = 0;  // its source, in words: "of the environment", "in FILE"
  // Reports whether the credential cache identifies the token as a client's, for servers that do not report it.
  virtual bool is_known_client(const std::string& /*token*/) { return false; }
};

// A constant token.
class FixedToken final : public Credentials {
 public:
  explicit FixedToken(std::string token, std::string grant_id = {}) : token_(std::move(token)), grant_id_(std::move(grant_id)) {}
  Result<std::string> token() override { return token_; }
  std::optional<std::string> instead_of(const std::string&) override { return std::nullopt; }
  std::string grant_id() const override { return grant_id_; }
  std::string origin() const override { return "of the environment"; }

 private:
  std::string token_, grant_id_;
};

// Sends one request and returns its response, or a typed error that names the server and the request: rs_unreachable,
// rs_timeout, rs_protocol_error, resource_limit (the response is too large), cancelled, or the server's own error. A read of
// bytes may be redirected to another server, which does not get the token. A token of unknown kind is only used to request the
// schema, which reports the kind. Thread-safe.

// The body of a 2xx response and the server's request id; empty if it sends none.
struct Reply {
  std::string body;
  std::string request_id;
};

class Exchange {
 public:
  // Does not connect yet. Returns kInvalidRequest for an invalid address or certificate file.
  static Result<Exchange> create(Endpoint endpoint, http::ClientOptions options, std::shared_ptr<Credentials> credentials);

  // Uses an existing client; `options` apply to redirect targets.
  Exchange(Endpoint endpoint, const http::ClientOptions& options, std::unique_ptr<http::Client> client,
           std::shared_ptr<Credentials> credentials);

  // Sends a GET for JSON. `operation` names it for people, e.g. "search".
  Result<Reply> get(std::string_view operation, std::string target, const std::stop_token& stop);
  // Sends a GET for a schema, which reports the token kind. Returns kPermission if it is not a client token.
  Result<Reply> get_schema(std::string target, const std::stop_token& stop);
  // Returns any response below 400, and 416, which the caller of a byte read handles. Redirects of a GET are followed within
  // one timeout; those of a HEAD are not, since a URL is signed for one method.
  Result<http::ClientResponse> bytes(std::string_view operation, http::ClientRequest request, const std::stop_token& stop);

  // Returns kRsProtocol: the response is invalid, for this reason.
  std::unexpected<Error> misunderstood(std::string_view operation, std::string_view why) const;

  const Endpoint& endpoint() const { return endpoint_; }
  const Credentials& credentials() const { return *credentials_; }

 private:
  enum class Tells : std::uint8_t { kData, kKind };
  Result<Reply> get(std::string_view operation, std::string target, Tells tells, const std::stop_token& stop);
  Result<http::ClientResponse> send(std::string_view operation, http::ClientRequest request, Tells tells,
                                    std::string_view smaller, const std::stop_token& stop);
  // Returns nullopt if the token is a client's, else the server's error response.
  Result<std::optional<http::ClientResponse>> ask_kind(const std::string& token, const http::ClientRequest& before,
                                                       const std::stop_token& stop);
  Status check_kind(const std::string& token);
  Result<http::ClientResponse> follow(std::string_view operation, const http::ClientRequest& first, http::ClientResponse response,
                                      const std::stop_token& stop);
  // `asked` is where the failure happened; `smaller` the advice for a response that is too large.
  Error failure(std::string_view operation, const http::ClientError& error, const std::string& asked,
                std::string_view smaller) const;

  Endpoint endpoint_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<http::Client> client_;
  std::unique_ptr<OtherServers> others_;
  std::unique_ptr<TokenKinds> kinds_;
  std::shared_ptr<Credentials> credentials_;
};

// Applies `read` to a JSON body. Returns an error if a required member is missing.
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
