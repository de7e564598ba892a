// The server's threads and sockets, on Boost.Asio: one io_context and thread per core, each with its own connection table and
// one timer that enforces deadlines. One acceptor assigns each new connection to the thread with the fewest, to balance the
// load. It also detects that another process listens on the port, which SO_REUSEPORT would hide.
#include "http/server.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "http/beast/socket_connection.h"
#include "http/beast/tls.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

namespace ladder::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // after a failed accept, e.g. no descriptors left

// Raises this process's limit of open files, including sockets, as far as the system allows, and returns the new limit.
std::size_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;  // the minimum on common systems
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

// The number of connections beyond the limit that get an error response; further ones are closed immediately.
std::size_t most_refused(std::size_t most) { return std::min<std::size_t>(256, most / 8 + 1); }

// Blocks signals in new threads, because the main thread handles them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

class AsioServer final : public Server {
 public:
  AsioServer(const ServerOptions& options, Application& application, ssl_ctx_st* tls)
      : site_(options, application), most_connections_(most_connections(options)) {
    if (tls != nullptr) tls_ = std::make_shared<asio::ssl::context>(tls);
    const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned n = 0; n < threads; ++n) loops_.push_back(std::make_unique<Loop>());
    acceptor_.emplace(loops_.front()->io);
    accept_timer_.emplace(loops_.front()->io);
  }
  // Threads that cannot be stopped would use destroyed members, so the process must end.
  // NOLINTNEXTLINE(bugprone-exception-escape)
  ~AsioServer() override { stop_within(std::chrono::seconds(0)); }

  Status listen();
  Status take_socket(int socket);
  void run();

  std::uint16_t port() const override { return port_; }
  ServerCounters counters() const override {
    const std::size_t idle = site_.workers.idle();
    const FairQueue::Backlog backlog = site_.workers.backlog();
    return {.connections_open = site_.open.load(),
            .connections_total = site_.total.load(),
            .requests_total = site_.requests.load(),
            .queue_length = site_.workers.queue_length(),
            .workers_busy = site_.workers.threads() - idle,
            .workers_idle = idle,
            .queue_owners = backlog.owners,
            .queue_longest = backlog.longest};
  }
  std::chrono::milliseconds longest_silence() const override {
    SteadyClock::time_point first = SteadyClock::now();
    const SteadyClock::time_point now = first;
    for (const auto& loop : loops_) first = std::min(first, loop->swept.load());
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - first);
  }
  Status reload_certificate() override;
  void end_connections() override { site_.leaving.store(true); }
  void stop() override { stop_within(site_.options.drain_time); }

 private:
  std::shared_ptr<asio::ssl::context> current_tls() {
    const MutexLock lock(tls_mutex_);
    return tls_;
  }
  void accept();
  void on_accepted(Loop& loop, tcp::socket socket);
  void start_connection(Loop& loop, tcp::socket socket);
  Loop& least_loaded();
  static std::size_t most_connections(const ServerOptions& options);
  void make_room(Loop& here);
  void stop_within(std::chrono::seconds drain_time);
  bool wait_until_closed(SteadyClock::time_point deadline);
  template <class Action>
  void on_every_connection(Action action);

  Mutex stop_mutex_;
  bool stopped_ LADDER_GUARDED_BY(stop_mutex_) = false;
  std::uint16_t port_ = 0;
  Site site_;
  const std::size_t most_connections_;
  Mutex tls_mutex_;
  // Null without TLS. Replaced as one pointer; a connection keeps the context that it was created with.
  std::shared_ptr<asio::ssl::context> tls_ LADDER_GUARDED_BY(tls_mutex_);
  std::vector<std::unique_ptr<Loop>> loops_;
  std::optional<tcp::acceptor> acceptor_;           // used by the first loop's thread
  std::optional<asio::steady_timer> accept_timer_;  // also used by the first loop's thread
};

Status AsioServer::take_socket(int socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  int listens = 0;
  socklen_t listens_size = sizeof listens;
  const bool is_socket = ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) == 0 &&
                         ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0;
  if (!is_socket || listens == 0 || (name.ss_family != AF_INET && name.ss_family != AF_INET6)) {
    return fail(Code::kInvalidRequest, "the inherited socket does not listen on an IP address: check ListenStream= in its unit");
  }
  error_code ec;
  acceptor_->assign(name.ss_family == AF_INET ? tcp::v4() : tcp::v6(), socket, ec);
  if (ec) return fail(Code::kInvalidRequest, format("the inherited socket cannot be used: {}", ec.message()));
  port_ = acceptor_->local_endpoint(ec).port();
  return {};
}

Status AsioServer::reload_certificate() {
  if (!current_tls()) return {};
  LADDER_TRY(ssl_ctx_st* const made, server_tls(site_.options.certificate_file, site_.options.key_file));
  auto next = std::make_shared<asio::ssl::context>(made);
  const MutexLock lock(tls_mutex_);
  tls_ = std::move(next);
  return {};
}

Status AsioServer::listen() {
  const ServerOptions& options = site_.options;
  error_code ec;
  const auto address = asio::ip::make_address(options.address == "localhost" ? "127.0.0.1" : options.address, ec);
  if (ec) {
    return fail(Code::kInvalidRequest,
                format("\"{}\" is not an address to listen on; use an IP address such as 127.0.0.1 or ::1 with --listen",
                       options.address),
                "--listen");
  }
  const tcp::endpoint endpoint(address, options.port);
  acceptor_->open(endpoint.protocol(), ec);
  if (!ec)
    acceptor_->set_option(asio::socket_base::reuse_address(true), ec);  // lets a restart bind while old connections time out
  if (!ec) acceptor_->bind(endpoint, ec);
  if (!ec) acceptor_->listen(asio::socket_base::max_listen_connections, ec);
  if (ec) {
    return fail(
        Code::kInvalidRequest,
        format("cannot listen on {} port {}: {}; choose another with --listen ADDRESS:PORT or stop the process that uses it",
               options.address, options.port, ec.message()),
        "--listen");
  }
  port_ = acceptor_->local_endpoint(ec).port();
  return {};
}

void AsioServer::run() {
  const SignalsBlocked blocked;
  accept();
  for (const auto& loop : loops_) {
    loop->sweep();
    loop->thread = std::thread([&io = loop->io] {
      const auto work = asio::make_work_guard(io);
      io.run();
    });
  }
}

Loop& AsioServer::least_loaded() {
  return **std::ranges::min_element(loops_, {}, [](const auto& loop) { return loop->open.load(std::memory_order_relaxed); });
}

void AsioServer::accept() {
  Loop& loop = least_loaded();
  acceptor_->async_accept(loop.io, [this, &loop](error_code ec, tcp::socket socket) {
    if (site_.draining.load() || ec == asio::error::operation_aborted) return;
    if (!ec) {
      on_accepted(loop, std::move(socket));
      return accept();
    }
    make_room(*loops_.front());  // this runs on the first loop's thread
    accept_timer_->expires_after(kAcceptPause);
    accept_timer_->async_wait([this](error_code waited) {
      if (!waited) accept();
    });
  });
}

void AsioServer::on_accepted(Loop& loop, tcp::socket socket) {
  loop.open.fetch_add(1, std::memory_order_relaxed);  // counted immediately, so that the next connection goes to another thread
  asio::post(loop.io, [this, &loop, socket = std::move(socket)]() mutable {
    loop.open.fetch_sub(1, std::memory_order_relaxed);
    start_connection(loop, std::move(socket));
  });
}

void AsioServer::start_connection(Loop& loop, tcp::socket socket) {
  if (site_.draining.load()) return;  // closed by its destructor
  if (site_.open.load() + most_connections_ / 16 >= most_connections_) make_room(loop);
  const std::size_t open = site_.open.load();
  const bool full = open >= most_connections_;
  const auto tls = current_tls();
  if (full && (tls || open >= most_connections_ + most_refused(most_connections_))) return;
  const auto connection = make_connection(site_, loop, std::move(socket), tls.get());
  loop.add(connection);
  if (full) connection->reject_connection(503, "this server has too many connections; try again in a moment");
  else connection->start();
}

// The limit excludes files reserved for the store, and connections that only get an error response.
std::size_t AsioServer::most_connections(const ServerOptions& options) {
  const std::size_t files = raise_file_limit();
  const std::size_t left = files > 2 * options.own_files ? files - options.own_files : files / 2;
  return std::max<std::size_t>(1, std::min(options.max_connections, left - left / 8));
}

// A client that connects and sends nothing must not block others. Closes an eighth of the connections at a time to keep the
// cost per new connection low: immediately on this thread, soon on the others.
void AsioServer::make_room(Loop& here) {
  const std::size_t share = most_connections_ / 8 / loops_.size() + 1;
  here.shed(share);
  for (const auto& loop : loops_) {
    if (loop.get() == &here || loop->sheds.exchange(true)) continue;
    asio::post(loop->io, [&loop = *loop, share] {
      loop.sheds = false;
      loop.shed(share);
    });
  }
}

template <class Action>
void AsioServer::on_every_connection(Action action) {
  for (const auto& loop : loops_) {
    asio::post(loop->io, [&loop = *loop, action] {
      const std::vector<std::shared_ptr<Connection>> all(loop.connections.begin(), loop.connections.end());
      for (const auto& connection : all) action(*connection);
    });
  }
}

bool AsioServer::wait_until_closed(SteadyClock::time_point deadline) {
  MutexLock lock(site_.closed_mutex);
  return site_.closed.wait_until(lock, deadline, [this] { return site_.open.load() == 0; });
}

void AsioServer::stop_within(std::chrono::seconds drain_time) {
  const MutexLock lock(stop_mutex_);
  if (stopped_) return;
  stopped_ = true;
  const auto deadline = SteadyClock::now() + drain_time;
  site_.draining.store(true);
  asio::post(loops_.front()->io, [this] {
    error_code ec;
    acceptor_->close(ec);
    accept_timer_->cancel();
  });
  if (loops_.front()->thread.joinable()) {
    if (drain_time.count() > 0) on_every_connection([](Connection& connection) { connection.drain(); });
    if (drain_time.count() == 0 || !wait_until_closed(deadline)) {
      on_every_connection([](Connection& connection) { connection.abort(); });
      wait_until_closed(SteadyClock::now() + std::chrono::seconds(1));
    }
  }
  for (const auto& loop : loops_) loop->io.stop();
  for (const auto& loop : loops_) {
    if (loop->thread.joinable()) loop->thread.join();
  }
  // Workers may still run for a closed connection. They were cancelled, and the tasks they post are never run.
  site_.workers.stop();
  site_.urgent.stop();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Application& application) {
  ssl_ctx_st* tls = nullptr;
  if (!options.certificate_file.empty() || !options.key_file.empty()) {
    LADDER_TRY(tls, server_tls(options.certificate_file, options.key_file));
  }
  std::unique_ptr<AsioServer> server;
  {
    const SignalsBlocked blocked;
    server = std::make_unique<AsioServer>(options, application, tls);
  }
  LADDER_CHECK(options.socket ? server->take_socket(*options.socket) : server->listen());
  server->run();
  return server;
}

}  // namespace ladder::http
