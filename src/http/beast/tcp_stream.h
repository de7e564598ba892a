// Stream on Boost.Asio. Every stream has its own io_context, which the calling thread runs.
#pragma once

#include "base/text/format.h"
#include "http/stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <optional>
#include <span>
#include <string>

namespace ladder::http {

// The addresses that may be connected to; nullopt sets no bound.
struct AllowedScopes {
  std::optional<AddressScope> nearest = {}, farthest = {};
};

class TcpStream final : public Stream {
 public:
  using error_code = boost::system::error_code;

  explicit TcpStream(Peer peer) : peer_(std::move(peer)), socket_(io_) {}

  std::expected<void, ClientError> connect(const WaitLimit& wait_limit, std::optional<AddressScope> nearest) override;
  std::expected<void, ClientError> connect_within(const WaitLimit& wait_limit, const AllowedScopes& allowed);
  std::expected<void, ClientError> start_tls(const WaitLimit& wait_limit, const std::string& ca_file) override;
  std::expected<void, ClientError> write(const WaitLimit& wait_limit, std::string_view bytes) override;
  std::expected<void, ClientError> read(const WaitLimit& wait_limit, std::string& into) override;
  std::expected<bool, ClientError> poll(const WaitLimit& wait_limit, std::string& into) override;
  AddressScope scope() const override { return scope_; }

  // The same with a TLS context of the caller, which must outlive the stream.
  std::expected<void, ClientError> handshake(const WaitLimit& wait_limit, boost::asio::ssl::context& context);

  // The result of an operation that was carried out; `ec` tells whether it succeeded.
  struct Transfer {
    error_code ec;
    std::size_t count = 0;
    bool ended() const { return ec == boost::asio::error::eof || ec == boost::asio::ssl::error::stream_truncated; }
  };
  std::expected<Transfer, ClientError> write_all(const WaitLimit& wait_limit, std::span<const boost::asio::const_buffer> buffers);
  std::expected<Transfer, ClientError> read_some(const WaitLimit& wait_limit, std::span<char> buffer);
  bool is_still_open();  // no end of stream and no unsolicited bytes have arrived
  const std::string& name() const { return peer_.shown; }

 private:
  struct Done {
    bool done = false;
    error_code ec;
    std::size_t count = 0;
  };
  // Runs one operation to completion, or closes the socket and returns the reason. `what` begins the error message.
  template <class Start>
  std::expected<void, ClientError> run(const WaitLimit& wait_limit, std::string_view what, Done& outcome, Start start);
  void begin_read();
  std::unexpected<ClientError> give_up(const WaitLimit& wait_limit, std::string_view what);

  const Peer peer_;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::context> own_context_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  AddressScope scope_ = AddressScope::kPublic;
  // The read of poll(), which may stay in progress after it returned.
  std::string read_buffer_;
  Done read_;
  bool reading_ = false;
};

}  // namespace ladder::http
