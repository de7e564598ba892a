// A byte stream to a server over TCP, with or without TLS. Every call blocks until it is done, its deadline passes or its stop
// token is set; after a failure the stream is closed.
#pragma once

#include "http/client.h"
#include "http/message/origin.h"

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::http {

// How long the caller will wait.
struct WaitLimit {
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop;
};

// The server of a stream. `shown` names it in messages: "https://data.example".
struct Peer {
  std::string host, port, shown;
};

class Stream {
 public:
  static std::unique_ptr<Stream> create(Peer peer);
  virtual ~Stream() = default;

  // Addresses that are closer than `nearest` are not connected to; nullopt allows all of them.
  virtual std::expected<void, ClientError> connect(const WaitLimit& wait_limit, std::optional<AddressScope> nearest) = 0;
  // Encrypts the stream from now on and verifies the server's certificate. An empty `ca_file` selects the system's.
  virtual std::expected<void, ClientError> start_tls(const WaitLimit& wait_limit, const std::string& ca_file) = 0;
  virtual std::expected<void, ClientError> write(const WaitLimit& wait_limit, std::string_view bytes) = 0;
  // Appends the bytes that have arrived, at least one. kUnreachable if the server closed the stream.
  virtual std::expected<void, ClientError> read(const WaitLimit& wait_limit, std::string& into) = 0;
  // The same, but returns false and keeps the stream open if nothing arrives until the deadline.
  virtual std::expected<bool, ClientError> poll(const WaitLimit& wait_limit, std::string& into) = 0;
  virtual AddressScope scope() const = 0;  // of the connected address
};

}  // namespace ladder::http
