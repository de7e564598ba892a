#include "http/beast/socket_connection.h"

#include <boost/asio/ssl/stream.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace ladder::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kFirstBytes = 1024;  // of a request; every connection has a buffer of this size
constexpr std::size_t kTlsReadBytes = 8 * 1024;
constexpr std::size_t kTlsRecordBytes = 16 * 1024;

std::string address_of(const tcp::socket& socket) {
  error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  if (ec) return {};
  const auto address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

class PlainConnection final : public SocketConnection {
 public:
  PlainConnection(Site& site, Loop& loop, tcp::socket socket)
      : SocketConnection(site, loop, address_of(socket), false), socket_(std::move(socket)) {
    error_code ec;
    socket_.non_blocking(true, ec);
    socket_.set_option(tcp::no_delay(true), ec);
  }
  void start() override { begin(); }

 private:
  // Most requests fit the connection's small buffer, so one system call reads them. They are copied to the thread's large
  // buffer for parsing, because the next read may write to the small one before parsing ends.
  void start_read() override {
    socket_.async_read_some(asio::buffer(first_bytes_), [self = self(this)](error_code ec, std::size_t count) {
      if (self->is_closed()) return;
      if (ec == asio::error::would_block || ec == asio::error::interrupted) return self->start_read();
      if (ec) return self->on_end(ec == asio::error::eof);
      std::copy_n(self->first_bytes_.begin(), count, self->loop_.scratch.begin());
      if (count == self->first_bytes_.size()) return self->on_long_input();
      self->on_input({self->loop_.scratch.data(), count});
    });
  }

  // Reads further bytes that have already arrived. The next read sees an end of the stream again, but an error only occurs once.
  void on_long_input() {
    std::vector<char>& all = loop_.scratch;
    error_code ec;
    const std::size_t more = socket_.read_some(asio::buffer(all) + first_bytes_.size(), ec);
    on_input({all.data(), first_bytes_.size() + (ec ? 0 : more)});
    const bool broke = ec && ec != asio::error::would_block && ec != asio::error::interrupted && ec != asio::error::eof;
    if (broke && !is_closed()) on_end(false);
  }

  void start_write(std::string_view first, std::string_view second) override {
    const std::array<asio::const_buffer, 2> buffers = {asio::buffer(first), asio::buffer(second)};
    socket_.async_write_some(buffers, [self = self(this)](error_code ec, std::size_t count) {
      if (ec) self->on_write_failed();
      else self->on_written(count);
    });
  }

  void end_output() override {
    error_code ec;
    socket_.shutdown(tcp::socket::shutdown_send, ec);
  }
  void close_in_order() override { abort(); }
  void close_socket() override {
    error_code ec;
    socket_.close(ec);
  }

  tcp::socket socket_;
  std::array<char, kFirstBytes> first_bytes_;
};

class TlsConnection final : public SocketConnection {
 public:
  TlsConnection(Site& site, Loop& loop, tcp::socket socket, asio::ssl::context& context)
      : SocketConnection(site, loop, address_of(socket), true), stream_(std::move(socket), context) {
    error_code ec;
    stream_.next_layer().set_option(tcp::no_delay(true), ec);
  }

  void start() override {
    stream_.async_handshake(asio::ssl::stream_base::server, [self = self(this)](error_code ec) {
      if (self->is_closed()) return;
      if (ec) self->abort();
      else self->begin();
    });
  }

 private:
  void start_read() override {
    stream_.async_read_some(asio::buffer(buffer_), [self = self(this)](error_code ec, std::size_t count) {
      if (self->is_closed()) return;
      if (!ec) return self->on_input({self->buffer_.data(), count});
      self->on_end(ec == asio::error::eof || ec == asio::ssl::error::stream_truncated);
    });
  }

  // OpenSSL writes one buffer at a time, so a small head and the start of the body are joined into one record.
  void start_write(std::string_view first, std::string_view second) override {
    asio::const_buffer buffer = asio::buffer(first.empty() ? second : first);
    if (!first.empty() && !second.empty()) {
      joined_.assign(first).append(second.substr(0, kTlsRecordBytes));
      buffer = asio::buffer(joined_);
    }
    stream_.async_write_some(buffer, [self = self(this)](error_code ec, std::size_t count) {
      std::string().swap(self->joined_);
      if (ec) self->on_write_failed();
      else self->on_written(count);
    });
  }

  void end_output() override {}  // clients do not support TLS half-close; they use the length of the response
  void close_in_order() override {
    stream_.async_shutdown([self = self(this)](error_code) { self->abort(); });
  }
  void close_socket() override {
    error_code ec;
    stream_.next_layer().close(ec);
  }

  asio::ssl::stream<tcp::socket> stream_;
  std::array<char, kTlsReadBytes> buffer_;
  std::string joined_;
};

}  // namespace

std::shared_ptr<SocketConnection> make_connection(Site& site, Loop& loop, tcp::socket socket, asio::ssl::context* tls) {
  if (tls) return std::make_shared<TlsConnection>(site, loop, std::move(socket), *tls);
  return std::make_shared<PlainConnection>(site, loop, std::move(socket));
}

}  // namespace ladder::http
