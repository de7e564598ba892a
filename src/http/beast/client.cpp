// The client, on Boost.Asio. Every connection has its own io_context, which the calling thread runs until the exchange is done,
// its deadline passes or the caller's stop_token is set. Idle connections are pooled; if the server has closed one, the request
// is retried once.
#include "http/client.h"
#include "base/mutex.h"

#include "base/text/format.h"
#include "http/beast/parsers.h"
#include "http/beast/tls.h"
#include "http/message/message.h"
#include "http/message/origin.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <optional>
#include <thread>

namespace ladder::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxIdle = 16;                     // kept connections
constexpr auto kMaxIdleTime = std::chrono::seconds(60);  // shorter than servers' idle timeouts
constexpr std::size_t kReadBytes = 64 * 1024;

std::unexpected<ClientError> failed(ClientFault fault, std::string message) {
  return std::unexpected(ClientError{fault, std::move(message)});
}

// How long the caller will wait.
struct WaitLimit {
  Time deadline;
  std::stop_token stop;
};

// --- names ---

struct Lookup {
  Mutex mutex;
  std::condition_variable_any done;
  bool finished LADDER_GUARDED_BY(mutex) = false;
  error_code ec LADDER_GUARDED_BY(mutex);
  std::vector<tcp::endpoint> endpoints LADDER_GUARDED_BY(mutex);
};

// getaddrinfo cannot be interrupted, so it runs on a thread that is detached on a timeout.
std::expected<std::vector<tcp::endpoint>, ClientError> resolve(const Origin& origin, const WaitLimit& wait_limit) {
  auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host = origin.host, port = origin.port] {
    asio::io_context io;
    error_code ec;
    const auto found = tcp::resolver(io).resolve(host, port, ec);
    const MutexLock lock(lookup->mutex);
    for (const auto& entry : found) lookup->endpoints.push_back(entry.endpoint());
    lookup->ec = ec;
    lookup->finished = true;
    lookup->done.notify_all();
  }).detach();
  MutexLock lock(lookup->mutex);
  if (!lookup->done.wait_until(lock, wait_limit.stop, wait_limit.deadline,
                               [&]() LADDER_REQUIRES(lookup->mutex) { return lookup->finished; })) {
    if (wait_limit.stop.stop_requested()) return failed(ClientFault::kCancelled, "cancelled");
    return failed(ClientFault::kTimeout, format("looking up {} took too long", origin.host));
  }
  if (lookup->ec || lookup->endpoints.empty()) {
    return failed(ClientFault::kUnreachable, format("cannot resolve {}: {}", origin.host, lookup->ec.message()));
  }
  return lookup->endpoints;
}

std::expected<std::vector<tcp::endpoint>, ClientError> endpoints_of(const Origin& origin, const WaitLimit& wait_limit) {
  const int port = origin.port.size() <= 5 ? std::stoi(origin.port) : 0;
  if (port < 1 || port > 65535) return failed(ClientFault::kUnreachable, format("{} is not a port", origin.port));
  error_code ec;
  const auto address = asio::ip::make_address(origin.host, ec);
  if (ec) return resolve(origin, wait_limit);
  return std::vector<tcp::endpoint>{tcp::endpoint(address, static_cast<std::uint16_t>(port))};
}

AddressScope scope_of(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return address.is_v4() ? address_scope_of(address.to_v4().to_bytes()) : address_scope_of(address.to_v6().to_bytes());
}

// Only addresses that pass this check are connected to, so a name cannot resolve differently later (DNS rebinding).
std::expected<void, ClientError> remove_forbidden(std::vector<tcp::endpoint>& endpoints, AddressScope nearest,
                                                  const Origin& origin) {
  const AddressScope first = scope_of(endpoints.front());
  std::erase_if(endpoints, [nearest](const tcp::endpoint& endpoint) { return scope_of(endpoint) > nearest; });
  if (!endpoints.empty()) return {};
  return failed(ClientFault::kForbidden, format("{} is at a {} address, which is not allowed", origin.header, word_for(first)));
}

// --- one connection ---

class Wire {
 public:
  explicit Wire(const Origin& origin) : origin_(origin), socket_(io_) {}

  std::expected<void, ClientError> connect(const WaitLimit& wait_limit, asio::ssl::context* tls,
                                           std::optional<AddressScope> nearest);
  // `untouched` is set if the server closed before it sent any byte of a response; the request may then be sent again.
  std::expected<ClientResponse, ClientError> exchange(const std::string& head, const std::string& body, ResponseParser& parser,
                                                      const WaitLimit& wait_limit, bool& untouched);
  bool is_reusable() const { return reusable_; }
  bool is_still_open();
  Time idle_since() const { return idle_since_; }
  AddressScope scope() const { return scope_; }

 private:
  struct Done {
    bool done = false;
    error_code ec;
    std::size_t count = 0;
  };
  // Runs one operation to completion, or closes the socket and returns the reason. `what` begins the error message.
  template <class Start>
  std::expected<void, ClientError> run(const WaitLimit& wait_limit, std::string_view what, Done& outcome, Start start);
  std::expected<void, ClientError> handshake(const WaitLimit& wait_limit, asio::ssl::context& context);
  std::string name() const { return (origin_.tls ? "https://" : "http://") + origin_.header; }

  const Origin& origin_;
  asio::io_context io_{1};
  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  bool reusable_ = false;
  AddressScope scope_ = AddressScope::kPublic;
  Time idle_since_{};
};

template <class Start>
std::expected<void, ClientError> Wire::run(const WaitLimit& wait_limit, std::string_view what, Done& outcome, Start start) {
  outcome = {};
  io_.restart();
  start([&outcome](error_code ec, std::size_t count = 0) { outcome = {true, ec, count}; });
  const std::stop_callback wake(wait_limit.stop, [this] { asio::post(io_, [] {}); });
  while (!outcome.done && !wait_limit.stop.stop_requested() && io_.run_one_until(wait_limit.deadline) != 0) {
  }
  if (outcome.done) return {};
  error_code ignored;
  socket_.close(ignored);
  io_.restart();
  io_.run();  // the operation ends now; its error is ignored
  if (wait_limit.stop.stop_requested()) return failed(ClientFault::kCancelled, "cancelled");
  return failed(ClientFault::kTimeout, format("{} {} took too long", what, name()));
}

std::expected<void, ClientError> Wire::connect(const WaitLimit& wait_limit, asio::ssl::context* tls,
                                               std::optional<AddressScope> nearest) {
  auto endpoints = endpoints_of(origin_, wait_limit);
  if (!endpoints) return std::unexpected(std::move(endpoints).error());
  if (nearest) {
    if (auto allowed = remove_forbidden(*endpoints, *nearest, origin_); !allowed) return allowed;
  }
  Done outcome;
  const auto connected = run(wait_limit, "connecting to", outcome, [&](auto handler) {
    asio::async_connect(socket_, *endpoints, [this, handler](error_code ec, const tcp::endpoint& endpoint) mutable {
      if (!ec) scope_ = scope_of(endpoint);
      handler(ec);
    });
  });
  if (!connected) return connected;
  if (outcome.ec) {
    return failed(ClientFault::kUnreachable,
                  format("cannot connect to {}: {}; is the server running there?", name(), outcome.ec.message()));
  }
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  return tls != nullptr ? handshake(wait_limit, *tls) : connected;
}

std::expected<void, ClientError> Wire::handshake(const WaitLimit& wait_limit, asio::ssl::context& context) {
  tls_.emplace(socket_, context);
  SSL* ssl = tls_->native_handle();
  error_code ec;
  asio::ip::make_address(origin_.host, ec);
  if (!expect_server(ssl, origin_.host, !ec))
    return failed(ClientFault::kProtocol, format("the name {} cannot be verified over TLS", origin_.host));
  Done outcome;
  const auto shaken = run(wait_limit, "the TLS handshake with", outcome,
                          [&](auto handler) { tls_->async_handshake(asio::ssl::stream_base::client, handler); });
  if (!shaken || !outcome.ec) return shaken;
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict == X509_V_OK) {
    return failed(ClientFault::kProtocol, format("no TLS connection to {}: {}", name(), outcome.ec.message()));
  }
  const std::string wrong = X509_verify_cert_error_string(verdict);
  return std::unexpected(ClientError{ClientFault::kCertificate, format("no TLS connection to {}: {}", name(), wrong), wrong});
}

std::expected<ClientResponse, ClientError> Wire::exchange(const std::string& head, const std::string& body,
                                                          ResponseParser& parser, const WaitLimit& wait_limit, bool& untouched) {
  reusable_ = untouched = false;
  Done outcome;
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
  const auto sent = run(wait_limit, "sending to", outcome, [&](auto handler) {
    if (tls_) asio::async_write(*tls_, buffers, handler);
    else asio::async_write(socket_, buffers, handler);
  });
  if (!sent) return std::unexpected(sent.error());
  // A server that rejects a body may respond before reading it and then close. Its response is more useful than the broken
  // pipe.
  std::string pending;
  std::vector<char> buffer(kReadBytes);
  for (;;) {
    const auto read = run(wait_limit, "the answer of", outcome, [&](auto handler) {
      if (tls_) tls_->async_read_some(asio::buffer(buffer), handler);
      else socket_.async_read_some(asio::buffer(buffer), handler);
    });
    if (!read) return std::unexpected(read.error());
    ResponseParser::Step step{};
    if (outcome.ec) {
      untouched = !parser.started();
      step = parser.put_end();
      const bool ended = outcome.ec == asio::error::eof || outcome.ec == asio::ssl::error::stream_truncated;
      if (step == ResponseParser::Step::kDone && !ended) step = ResponseParser::Step::kFault;
      if (step == ResponseParser::Step::kDone) return std::move(parser.response());
      return failed(untouched ? ClientFault::kUnreachable : ClientFault::kProtocol,
                    format("{}: {}", name(), ended ? parser.fault() : outcome.ec.message()));
    }
    pending.append(buffer.data(), outcome.count);
    std::string_view bytes = pending;
    step = parser.put(bytes);
    if (step == ResponseParser::Step::kTooLarge) {
      return failed(ClientFault::kTooLarge, format("the response of {} is too large", name()));
    }
    if (step == ResponseParser::Step::kFault) return failed(ClientFault::kProtocol, format("{}: {}", name(), parser.fault()));
    if (step == ResponseParser::Step::kDone) {
      reusable_ = parser.keep_alive() && bytes.empty();
      idle_since_ = std::chrono::steady_clock::now();
      return std::move(parser.response());
    }
    pending.erase(0, pending.size() - bytes.size());
  }
}

// Data on an idle connection is an end of stream or unsolicited bytes.
bool Wire::is_still_open() {
  error_code ec;
  char byte = 0;
  socket_.non_blocking(true, ec);
  socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, ec);
  return ec == asio::error::would_block;
}

// --- the client ---

bool is_idempotent(std::string_view method) {
  constexpr std::array<std::string_view, 5> kMethods = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOurs = {"Host", "Content-Length", "Transfer-Encoding", "Connection"};
  return std::ranges::any_of(kOurs, [name](std::string_view ours) { return equal_without_case(ours, name); });
}

std::expected<std::string, ClientError> request_head(const Origin& origin, const ClientRequest& request) {
  const bool plain = std::ranges::all_of(request.target, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_token(request.method) || !request.target.starts_with('/') || !plain) {
    return failed(ClientFault::kProtocol, "the request's method or target cannot be sent; the target is a percent-encoded path");
  }
  std::string head = format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, request.target, origin.header);
  for (const auto& [name, value] : request.headers.all()) {
    if (is_ours(name)) continue;
    if (!is_token(name) || !is_field_value(value))
      return failed(ClientFault::kProtocol, "a header of the request cannot be sent");
    head.append(name).append(": ").append(value).append("\r\n");
  }
  const bool wants_length =
      !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (wants_length) head += format("Content-Length: {}\r\n", request.body.size());
  return head + "\r\n";
}

class AsioClient final : public Client {
 public:
  AsioClient(ClientOptions options, Origin origin, ssl_ctx_st* tls) : options_(std::move(options)), origin_(std::move(origin)) {
    if (tls != nullptr) tls_.emplace(tls);
  }

  std::expected<ClientResponse, ClientError> send(const ClientRequest& request, std::stop_token stop) override {
    const auto head = request_head(origin_, request);
    if (!head) return std::unexpected(head.error());
    const Time own_deadline = std::chrono::steady_clock::now() + options_.timeout;
    const WaitLimit wait_limit{std::min(own_deadline, request.deadline.value_or(own_deadline)), std::move(stop)};
    auto wire = take_idle();
    for (;;) {
      const bool was_idle = wire != nullptr;
      if (!was_idle) {
        wire = std::make_unique<Wire>(origin_);
        const auto connected = wire->connect(wait_limit, tls_ ? &*tls_ : nullptr, options_.nearest);
        if (!connected) return std::unexpected(connected.error());
      }
      ResponseParser parser(options_.max_body_bytes, request.method == "HEAD");
      bool untouched = false;
      auto response = wire->exchange(*head, request.body, parser, wait_limit, untouched);
      if (response) response->from = wire->scope();
      if (response && wire->is_reusable()) give_back(std::move(wire));
      const bool again = !response && was_idle && untouched && is_idempotent(request.method);
      if (!again) return response;
      wire = nullptr;  // retry once on a new connection
    }
  }

 private:
  std::unique_ptr<Wire> take_idle() {
    for (;;) {
      std::unique_ptr<Wire> wire;
      {
        const MutexLock lock(mutex_);
        if (idle_.empty()) return nullptr;
        wire = std::move(idle_.back());
        idle_.pop_back();
      }
      if (std::chrono::steady_clock::now() - wire->idle_since() < kMaxIdleTime && wire->is_still_open()) return wire;
    }
  }

  void give_back(std::unique_ptr<Wire> wire) {
    const MutexLock lock(mutex_);
    if (idle_.size() == kMaxIdle) idle_.erase(idle_.begin());
    idle_.push_back(std::move(wire));
  }

  const ClientOptions options_;
  const Origin origin_;
  std::optional<asio::ssl::context> tls_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Wire>> idle_ LADDER_GUARDED_BY(mutex_);  // most recent last
};

}  // namespace

Result<std::unique_ptr<Client>> Client::create(const ClientOptions& options) {
  LADDER_TRY(Origin origin, parse_origin(options.origin));
  ssl_ctx_st* tls = nullptr;
  if (origin.tls) {
    LADDER_TRY(tls, client_tls(options.ca_file));
  }
  return std::make_unique<AsioClient>(options, std::move(origin), tls);
}

}  // namespace ladder::http
