// The floor of every HTTP measurement: a bare Boost.Beast echo (one coroutine per connection, one io_context per
// thread), and the same echo through Ladder's own server, for a load generator such as wrk.
//   bench_http_echo bare|ladder [PORT [THREADS [BYTES]]]     prints its port, and serves until standard input ends
// With BYTES every response of the bare echo has a body of that many bytes instead of the request's body.
#include "base/text/format.h"
#include "http/server.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

asio::awaitable<void> echo(tcp::socket socket, std::size_t bytes) {
  try {
    beast::flat_buffer buffer;
    for (;;) {
      beast::http::request<beast::http::string_body> request;
      co_await beast::http::async_read(socket, buffer, request, asio::use_awaitable);
      beast::http::response<beast::http::string_body> response(beast::http::status::ok, request.version());
      response.keep_alive(request.keep_alive());
      if (bytes == 0) {
        response.body() = std::move(request.body());
      } else {
        response.body().assign(bytes, 'x');
      }
      response.prepare_payload();
      co_await beast::http::async_write(socket, response, asio::use_awaitable);
      if (!response.keep_alive()) co_return;
    }
  } catch (const std::exception&) {
    // The connection ended.
  }
}

asio::awaitable<void> accept_all(tcp::acceptor& acceptor, std::size_t bytes) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(acceptor.get_executor(), echo(std::move(socket), bytes), asio::detached);
  }
}

struct BareThread {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::thread thread;

  void listen(std::uint16_t port) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.set_option(ReusePort(true));
    acceptor.bind(endpoint);
    acceptor.listen();
  }
  void run(std::size_t bytes) {
    asio::co_spawn(io, accept_all(acceptor, bytes), asio::detached);
    thread = std::thread([this] { io.run(); });
  }
};

class EchoApplication final : public ladder::http::Application {
 public:
  std::size_t body_limit(const ladder::http::Request&) const override { return 1 << 20; }
  ladder::http::Placement placement(ladder::http::Request& request) const override {
    return request.path() == "/worker" ? ladder::http::Placement::kWorker : ladder::http::Placement::kHere;
  }
  ladder::http::Response serve(ladder::http::Request& request) override {
    ladder::http::Response response;
    response.body = std::move(request.body);
    return response;
  }
  ladder::http::Response refuse(const ladder::http::Request*, int status, std::string_view what) override {
    return ladder::http::refusal(status, what, "");
  }
};

void wait_for_the_end_of_input() {
  while (std::getchar() != EOF) {
  }
}

void say_port(unsigned port) {
  std::printf("%u\n", port);
  std::fflush(stdout);
}

int serve_bare(std::uint16_t port, unsigned threads, std::size_t bytes) {
  std::vector<std::unique_ptr<BareThread>> all;
  for (unsigned n = 0; n < threads; ++n) {
    all.push_back(std::make_unique<BareThread>());
    all.back()->listen(port);
    port = all.back()->acceptor.local_endpoint().port();
  }
  for (const auto& one : all) one->run(bytes);
  say_port(port);
  wait_for_the_end_of_input();
  for (const auto& one : all) one->io.stop();
  for (const auto& one : all) one->thread.join();
  return 0;
}

int serve_ladder(std::uint16_t port, unsigned threads) {
  EchoApplication application;
  ladder::http::ServerOptions options;
  options.port = port;
  options.threads = threads;
  auto server = ladder::http::Server::start(options, application);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  say_port((*server)->port());
  wait_for_the_end_of_input();
  (*server)->stop();
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view which = count > 1 ? words[1] : "";
  const auto port = static_cast<std::uint16_t>(count > 2 ? std::atoi(words[2]) : 0);
  const auto threads =
      static_cast<unsigned>(count > 3 ? std::atoi(words[3]) : static_cast<int>(std::thread::hardware_concurrency()));
  const auto bytes = static_cast<std::size_t>(count > 4 ? std::atoll(words[4]) : 0);
  if (which == "bare") return serve_bare(port, threads, bytes);
  if (which == "ladder") return serve_ladder(port, threads);
  std::fprintf(stderr, "usage: bench_http_echo bare|ladder [PORT [THREADS [BYTES]]]\n");
  return 64;
}
