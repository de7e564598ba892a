// An I/O thread with its connections, and connections over plain and TLS sockets.
#pragma once

#include "http/beast/connection.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

namespace ladder::http {

// One I/O thread. Everything in it is accessed only by that thread, except `io`, `open`, `sheds` and `swept`.
struct Loop {
  static constexpr auto kSweepInterval = std::chrono::milliseconds(200);
  static constexpr std::size_t kMaxReadBytes = 64 * 1024;

  boost::asio::io_context io{1};
  boost::asio::steady_timer sweeper{io};
  std::unordered_set<std::shared_ptr<Connection>> connections;
  std::vector<char> scratch = std::vector<char>(kMaxReadBytes);
  std::atomic<std::size_t> open = 0;
  std::atomic<bool> sheds = false;  // shedding was requested and has not run yet
  std::atomic<std::chrono::steady_clock::time_point> swept = std::chrono::steady_clock::now();
  std::string date;
  std::int64_t date_second = -1;
  std::thread thread;

  void sweep() {
    sweeper.expires_after(kSweepInterval);
    sweeper.async_wait([this](boost::system::error_code ec) {
      if (ec) return;
      const auto now = std::chrono::steady_clock::now();
      const std::vector<std::shared_ptr<Connection>> all(connections.begin(), connections.end());  // a sweep may close some
      for (const auto& connection : all) connection->sweep(now);
      swept = now;
      sweep();
    });
  }

  // Closes up to `count` inactive connections, the least used and oldest first.
  void shed(std::size_t count) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<Connection>> idle;
    for (const auto& connection : connections) {
      if (connection->use(now) != Connection::Use::kInUse) idle.push_back(connection);
    }
    count = std::min(count, idle.size());
    const auto by_use = [&](const auto& connection) { return std::pair(connection->use(now), connection->since()); };
    std::ranges::nth_element(idle, idle.begin() + static_cast<std::ptrdiff_t>(count), {}, by_use);
    for (std::size_t n = 0; n < count; ++n) idle[n]->abort();
  }

  std::string_view current_date() {
    const std::int64_t second =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    if (second != date_second) date = http_date(date_second = second);
    return date;
  }

  void add(std::shared_ptr<Connection> connection) {
    connections.insert(std::move(connection));
    open.fetch_add(1, std::memory_order_relaxed);
  }
  void remove(const std::shared_ptr<Connection>& connection) {
    if (connections.erase(connection) != 0) open.fetch_sub(1, std::memory_order_relaxed);
  }
};

// The common part of plain and TLS sockets.
class SocketConnection : public Connection {
 public:
  SocketConnection(Site& site, Loop& loop, std::string remote, bool over_tls)
      : Connection(site, std::move(remote), over_tls), loop_(loop) {}
  virtual void start() = 0;

 protected:
  template <class Derived>
  std::shared_ptr<Derived> self(Derived*) {
    return std::static_pointer_cast<Derived>(shared_from_this());
  }
  void post(std::move_only_function<void()> task) override { boost::asio::post(loop_.io, std::move(task)); }
  void forget() override { loop_.remove(shared_from_this()); }
  std::string_view date() override { return loop_.current_date(); }

  Loop& loop_;
};

// Plain if `tls` is null.
std::shared_ptr<SocketConnection> make_connection(Site& site, Loop& loop, boost::asio::ip::tcp::socket socket,
                                                  boost::asio::ssl::context* tls);

}  // namespace ladder::http
