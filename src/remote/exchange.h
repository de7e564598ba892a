// Requests to another resource server and its answers: where it is, whose token is sent, and what comes back.
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

// Remembers whose tokens these are, as the server tells in `bearer.token_kind` of its schema (PDPP "schema and streams"). Ladder
// reads with a client's token only (design D16), so nothing else is asked of a server before it has told. Thread-safe.
class TokenKinds {
 public:
  static constexpr std::size_t kMaxTokens = 16;  // a refreshed token takes the place of another; more than a few are old

  // Keeps what a schema body says of this token. A schema that says nothing changes nothing.
  void learn(const std::string& token, std::string_view schema_body);
  bool knows(const std::string& token);
  // Fine for a client's token. kPermission for an owner's, or one of a kind that is not known here; kRsProtocol when the server
  // has not told. `server` is its address, to be named.
  Status check(const std::string& token, std::string_view server);

 private:
  Mutex mutex_;
  std::map<std::string, std::string> kinds_ LADDER_GUARDED_BY(mutex_);
};

// The address of a resource server, parsed once. A path in it stays in front of every target.
struct Endpoint {
  std::string url;        // https://host[:port][/prefix], without a slash at its end; fit to show
  std::string origin;     // https://host[:port]
  std::string prefix;     // "" or "/prefix"
  std::string authority;  // host[:port], as written
  bool tls = true;
  bool is_loopback = false;
};

// https:// unless it says http://; user name, query and fragment are left out. kInvalidRequest for anything else.
Result<Endpoint> parse_endpoint(std::string_view text);

// The token a remote server is asked with. It may change while the program runs: others refresh it.

// Thread-safe.
class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual Result<std::string> token() = 0;  // kAuthentication when there is none any more
  // The server refused this one: another one, if there is one meanwhile.
  virtual std::optional<std::string> instead_of(const std::string& refused) = 0;
  // The grant it belongs to, when that is known; cursors are bound to it.
  virtual std::string grant_id() const = 0;
  virtual std::string origin() const = 0;  // where it is from, in words: "of the environment", "in FILE"
  // The credential cache calls it a client's; for servers that do not say.
  virtual bool is_known_client(const std::string& /*token*/) { return false; }
};

// One that never changes.
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

// One request to the server and its answer, or a typed error that names the server and what was asked of it: rs_unreachable,
// rs_timeout, rs_protocol_error, resource_limit (the answer is too large), cancelled, or what the server itself said.
// A read of bytes may be sent on to another server; the token goes to none but the first. Nothing but the schema is asked with a
// token whose kind is not known yet: the server is asked for that first. Thread-safe.

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

// Applies `read` to a JSON body; an error when something it needs is missing.
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
