#include "http/beast/tcp_stream.h"

#include "base/mutex.h"
#include "http/beast/tls.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <condition_variable>
#include <thread>

namespace ladder::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 64 * 1024;

std::unexpected<ClientError> failed(ClientFault fault, std::string message) {
  return std::unexpected(ClientError{fault, std::move(message)});
}

// --- names ---

struct Lookup {
  Mutex mutex;
  std::condition_variable_any done;
  bool finished LADDER_GUARDED_BY(mutex) = false;
  error_code ec LADDER_GUARDED_BY(mutex);
  std::vector<tcp::endpoint> endpoints LADDER_GUARDED_BY(mutex);
};

// getaddrinfo cannot be interrupted, so it runs on a thread that is detached on a timeout.
std::expected<std::vector<tcp::endpoint>, ClientError> resolve(const Peer& peer, const WaitLimit& wait_limit) {
  auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host = peer.host, port = peer.port] {
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
    return failed(ClientFault::kTimeout, format("looking up {} took too long", peer.host));
  }
  if (lookup->ec || lookup->endpoints.empty()) {
    return failed(ClientFault::kUnreachable, format("cannot resolve {}: {}", peer.host, lookup->ec.message()));
  }
  return lookup->endpoints;
}

std::expected<std::vector<tcp::endpoint>, ClientError> endpoints_of(const Peer& peer, const WaitLimit& wait_limit) {
  const int port = peer.port.size() <= 5 ? std::stoi(peer.port) : 0;
  if (port < 1 || port > 65535) return failed(ClientFault::kUnreachable, format("{} is not a port", peer.port));
  error_code ec;
  const auto address = asio::ip::make_address(peer.host, ec);
  if (ec) return resolve(peer, wait_limit);
  return std::vector<tcp::endpoint>{tcp::endpoint(address, static_cast<std::uint16_t>(port))};
}

AddressScope scope_of(const tcp::endpoint& endpoint) {
  const auto address = endpoint.address();
  return address.is_v4() ? address_scope_of(address.to_v4().to_bytes()) : address_scope_of(address.to_v6().to_bytes());
}

// Only addresses that pass this check are connected to, so a name cannot resolve differently later (DNS rebinding).
std::expected<void, ClientError> remove_forbidden(std::vector<tcp::endpoint>& endpoints, const AllowedScopes& allowed,
                                                  const Peer& peer) {
  const AddressScope first = scope_of(endpoints.front());
  std::erase_if(endpoints, [&](const tcp::endpoint& endpoint) {
    const AddressScope scope = scope_of(endpoint);
    return scope > allowed.nearest.value_or(scope) || scope < allowed.farthest.value_or(scope);
  });
  if (!endpoints.empty()) return {};
  const std::string_view shown = std::string_view(peer.shown).substr(peer.shown.find("://") + 3);
  return failed(ClientFault::kForbidden, format("{} is at a {} address, which is not allowed", shown, word_for(first)));
}

}  // namespace

std::unique_ptr<Stream> Stream::create(Peer peer) { return std::make_unique<TcpStream>(std::move(peer)); }

template <class Start>
std::expected<void, ClientError> TcpStream::run(const WaitLimit& wait_limit, std::string_view what, Done& outcome, Start start) {
  outcome = {};
  io_.restart();
  start([&outcome](error_code ec, std::size_t count = 0) { outcome = {true, ec, count}; });
  const std::stop_callback wake(wait_limit.stop, [this] { asio::post(io_, [] {}); });
  while (!outcome.done && !wait_limit.stop.stop_requested() && io_.run_one_until(wait_limit.deadline) != 0) {
  }
  if (outcome.done) return {};
  return give_up(wait_limit, what);
}

std::unexpected<ClientError> TcpStream::give_up(const WaitLimit& wait_limit, std::string_view what) {
  error_code ignored;
  socket_.close(ignored);
  io_.restart();
  io_.run();  // the operation ends now; its error is ignored
  if (wait_limit.stop.stop_requested()) return failed(ClientFault::kCancelled, "cancelled");
  return failed(ClientFault::kTimeout, format("{} {} took too long", what, name()));
}

std::expected<void, ClientError> TcpStream::connect(const WaitLimit& wait_limit, std::optional<AddressScope> nearest) {
  return connect_within(wait_limit, {nearest, std::nullopt});
}

std::expected<void, ClientError> TcpStream::connect_within(const WaitLimit& wait_limit, const AllowedScopes& allowed) {
  auto endpoints = endpoints_of(peer_, wait_limit);
  if (!endpoints) return std::unexpected(std::move(endpoints).error());
  if (auto kept = remove_forbidden(*endpoints, allowed, peer_); !kept) return kept;
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
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  return {};
}

std::expected<void, ClientError> TcpStream::start_tls(const WaitLimit& wait_limit, const std::string& ca_file) {
  const auto context = client_tls(ca_file);
  if (!context) return failed(ClientFault::kCertificate, context.error().message);
  own_context_.emplace(*context);
  return handshake(wait_limit, *own_context_);
}

std::expected<void, ClientError> TcpStream::handshake(const WaitLimit& wait_limit, asio::ssl::context& context) {
  tls_.emplace(socket_, context);
  SSL* ssl = tls_->native_handle();
  error_code ec;
  asio::ip::make_address(peer_.host, ec);
  if (!expect_server(ssl, peer_.host, !ec))
    return failed(ClientFault::kProtocol, format("the name {} cannot be verified over TLS", peer_.host));
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

std::expected<TcpStream::Transfer, ClientError> TcpStream::write_all(const WaitLimit& wait_limit,
                                                                     std::span<const asio::const_buffer> buffers) {
  Done outcome;
  const auto sent = run(wait_limit, "sending to", outcome, [&](auto handler) {
    if (tls_) asio::async_write(*tls_, buffers, handler);
    else asio::async_write(socket_, buffers, handler);
  });
  if (!sent) return std::unexpected(sent.error());
  return Transfer{outcome.ec, outcome.count};
}

std::expected<TcpStream::Transfer, ClientError> TcpStream::read_some(const WaitLimit& wait_limit, std::span<char> buffer) {
  Done outcome;
  const auto read = run(wait_limit, "the answer of", outcome, [&](auto handler) {
    if (tls_) tls_->async_read_some(asio::buffer(buffer.data(), buffer.size()), handler);
    else socket_.async_read_some(asio::buffer(buffer.data(), buffer.size()), handler);
  });
  if (!read) return std::unexpected(read.error());
  return Transfer{outcome.ec, outcome.count};
}

std::expected<void, ClientError> TcpStream::write(const WaitLimit& wait_limit, std::string_view bytes) {
  const std::array<asio::const_buffer, 1> buffers = {asio::buffer(bytes)};
  const auto sent = write_all(wait_limit, buffers);
  if (!sent) return std::unexpected(sent.error());
  if (sent->ec) return failed(ClientFault::kUnreachable, format("{}: {}", name(), sent->ec.message()));
  return {};
}

void TcpStream::begin_read() {
  reading_ = true;
  read_ = {};
  read_buffer_.resize(kReadBytes);
  const auto handler = [this](error_code ec, std::size_t count) { read_ = {true, ec, count}; };
  if (tls_) tls_->async_read_some(asio::buffer(read_buffer_), handler);
  else socket_.async_read_some(asio::buffer(read_buffer_), handler);
}

std::expected<bool, ClientError> TcpStream::poll(const WaitLimit& wait_limit, std::string& into) {
  io_.restart();
  if (!reading_) begin_read();
  const std::stop_callback wake(wait_limit.stop, [this] { asio::post(io_, [] {}); });
  while (!read_.done && !wait_limit.stop.stop_requested() && io_.run_one_until(wait_limit.deadline) != 0) {
  }
  if (wait_limit.stop.stop_requested()) return give_up(wait_limit, "the answer of");
  if (!read_.done) return false;
  reading_ = false;
  if (!read_.ec) {
    into.append(read_buffer_, 0, read_.count);
    return true;
  }
  const std::string reason = Transfer{read_.ec}.ended() ? "the server closed the connection" : read_.ec.message();
  return failed(ClientFault::kUnreachable, format("{}: {}", name(), reason));
}

std::expected<void, ClientError> TcpStream::read(const WaitLimit& wait_limit, std::string& into) {
  const auto arrived = poll(wait_limit, into);
  if (!arrived) return std::unexpected(arrived.error());
  if (!*arrived) return give_up(wait_limit, "the answer of");
  return {};
}

// Data on an idle connection is an end of stream or unsolicited bytes.
bool TcpStream::is_still_open() {
  error_code ec;
  char byte = 0;
  socket_.non_blocking(true, ec);
  socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, ec);
  return ec == asio::error::would_block;
}

}  // namespace ladder::http
