// A small HTTP client for JSON over loopback and TLS. Each call sends one request; connections are kept alive and pooled by
// origin.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "http/message/message.h"
#include "http/message/origin.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::http {

struct ClientRequest {
  std::string method = "GET";
  std::string target;  // path and query
  Headers headers;
  std::string body;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};  // used if earlier than the client's timeout
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
  AddressScope from = AddressScope::kPublic;  // scope of the address that responded
};

enum class ClientFault : std::uint8_t {
  kUnreachable,
  kTimeout,
  kProtocol,
  kTooLarge,
  kCancelled,
  kForbidden,    // the address is outside ClientOptions::nearest and farthest; nothing was sent
  kCertificate,  // the certificate does not match the server's name
};

struct ClientError {
  ClientFault fault = ClientFault::kUnreachable;
  std::string message;
  std::string certificate = {};  // for kCertificate: the problem with it
};

struct ClientOptions {
  std::string origin;                         // http://host:port or https://host[:port]
  std::chrono::milliseconds timeout{30'000};  // for a whole exchange
  std::size_t max_body_bytes = 64 * 1024 * 1024;
  std::string ca_file;                     // empty: the system's certificates
  std::optional<AddressScope> nearest{};   // addresses closer than this are not connected to, for any name
  std::optional<AddressScope> farthest{};  // addresses farther than this are not connected to, for any name
};

// Thread-safe.
class Client {
 public:
  static Result<std::unique_ptr<Client>> create(const ClientOptions& options);  // kInvalidRequest on a bad origin
  virtual ~Client() = default;
  virtual std::expected<ClientResponse, ClientError> send(const ClientRequest& request, std::stop_token stop) = 0;
};

}  // namespace ladder::http
