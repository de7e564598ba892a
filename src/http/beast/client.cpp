// The client. Idle connections are pooled; if the server has closed one, the request is retried once.
#include "http/client.h"
#include "base/mutex.h"

#include "base/text/format.h"
#include "http/beast/parsers.h"
#include "http/beast/tcp_stream.h"
#include "http/beast/tls.h"
#include "http/message/message.h"
#include "http/message/origin.h"

#include <boost/asio/ssl/context.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::http {
namespace {

namespace asio = boost::asio;
using Time = std::chrono::steady_clock::time_point;

constexpr std::size_t kMaxIdle = 16;                     // kept connections
constexpr auto kMaxIdleTime = std::chrono::seconds(60);  // shorter than servers' idle timeouts
constexpr std::size_t kReadBytes = 64 * 1024;

std::unexpected<ClientError> failed(ClientFault fault, std::string message) {
  return std::unexpected(ClientError{fault, std::move(message)});
}

// --- one connection ---

Peer peer_of(const Origin& origin) { return {origin.host, origin.port, (origin.tls ? "https://" : "http://") + origin.header}; }

class Wire {
 public:
  explicit Wire(const Origin& origin) : stream_(peer_of(origin)) {}

  std::expected<void, ClientError> connect(const WaitLimit& wait_limit, asio::ssl::context* tls, const AllowedScopes& allowed) {
    auto connected = stream_.connect_within(wait_limit, allowed);
    return connected && tls != nullptr ? stream_.handshake(wait_limit, *tls) : connected;
  }
  // `untouched` is set if the server closed before it sent any byte of a response; the request may then be sent again.
  std::expected<ClientResponse, ClientError> exchange(const std::string& head, const std::string& body, ResponseParser& parser,
                                                      const WaitLimit& wait_limit, bool& untouched);
  bool is_reusable() const { return reusable_; }
  bool is_still_open() { return stream_.is_still_open(); }
  Time idle_since() const { return idle_since_; }
  AddressScope scope() const { return stream_.scope(); }

 private:
  TcpStream stream_;
  bool reusable_ = false;
  Time idle_since_{};
};

std::expected<ClientResponse, ClientError> Wire::exchange(const std::string& head, const std::string& body,
                                                          ResponseParser& parser, const WaitLimit& wait_limit, bool& untouched) {
  reusable_ = untouched = false;
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), asio::buffer(body)};
  const auto sent = stream_.write_all(wait_limit, buffers);
  if (!sent) return std::unexpected(sent.error());
  // A server that rejects a body may respond before reading it and then close. Its response is more useful than the broken
  // pipe.
  std::string pending;
  std::vector<char> buffer(kReadBytes);
  for (;;) {
    const auto read = stream_.read_some(wait_limit, buffer);
    if (!read) return std::unexpected(read.error());
    ResponseParser::Step step{};
    if (read->ec) {
      untouched = !parser.started();
      step = parser.put_end();
      const bool ended = read->ended();
      if (step == ResponseParser::Step::kDone && !ended) step = ResponseParser::Step::kFault;
      if (step == ResponseParser::Step::kDone) return std::move(parser.response());
      return failed(untouched ? ClientFault::kUnreachable : ClientFault::kProtocol,
                    format("{}: {}", stream_.name(), ended ? parser.fault() : read->ec.message()));
    }
    pending.append(buffer.data(), read->count);
    std::string_view bytes = pending;
    step = parser.put(bytes);
    if (step == ResponseParser::Step::kTooLarge) {
      return failed(ClientFault::kTooLarge, format("the response of {} is too large", stream_.name()));
    }
    if (step == ResponseParser::Step::kFault)
      return failed(ClientFault::kProtocol, format("{}: {}", stream_.name(), parser.fault()));
    if (step == ResponseParser::Step::kDone) {
      reusable_ = parser.keep_alive() && bytes.empty();
      idle_since_ = std::chrono::steady_clock::now();
      return std::move(parser.response());
    }
    pending.erase(0, pending.size() - bytes.size());
  }
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
        const auto connected = wire->connect(wait_limit, tls_ ? &*tls_ : nullptr, {options_.nearest, options_.farthest});
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
