// Tests the client against our server and against misbehaving servers.
#include "http/client.h"
#include "http/test_site.h"
#include "http/wire.h"

#include "base/text/format.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <thread>

namespace ladder::http::tests {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<Client> client_of(std::uint16_t port, std::chrono::milliseconds timeout = kWaitLimit,
                                  std::size_t max_body = 1 << 20) {
  ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", port);
  options.timeout = timeout;
  options.max_body_bytes = max_body;
  return Client::create(options).value();
}

ClientRequest request(std::string method, std::string target, std::string body = {}) {
  ClientRequest made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.body = std::move(body);
  return made;
}

// A listener that handles each connection, in turn, with a scripted function of its socket.
class ScriptedServer {
 public:
  using Script = std::function<void(int)>;
  explicit ScriptedServer(std::vector<Script> scripts) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this, scripts = std::move(scripts)] {
      for (const Script& script : scripts) {
        const int socket = ::accept(listener_, nullptr, nullptr);
        if (socket < 0) return;
        ++accepted;
        script(socket);
        ::close(socket);
        ++closed;
      }
    });
  }
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::uint16_t port = 0;
  std::atomic<int> accepted = 0, closed = 0;

 private:
  int listener_;
  std::thread thread_;
};

void read_request(int socket) {
  std::string text;
  char buffer[4096];
  while (text.find("\r\n\r\n") == std::string::npos) {
    const auto got = ::recv(socket, buffer, sizeof buffer, 0);
    if (got <= 0) return;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}
void write_text(int socket, std::string_view text) { ::send(socket, text.data(), text.size(), MSG_NOSIGNAL); }
ScriptedServer::Script answering(std::string text) {
  return [text](int socket) {
    read_request(socket);
    write_text(socket, text);
  };
}

class ClientTest : public ::testing::Test {
 protected:
  TestSite site_;
};

TEST_F(ClientTest, KeepsItsConnection) {
  const auto client = client_of(site_.start());
  for (int n = 0; n < 20; ++n) {
    const auto answer = client->send(request("GET", format("/hello?{}", n)), {});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, format("hello {}", n));
    EXPECT_EQ(answer->headers.get("content-type"), "text/plain");
  }
  EXPECT_EQ(client->send(request("POST", "/work-echo", std::string(500'000, 'x')), {})->body.size(), 500'000U);
  EXPECT_EQ(client->send(request("HEAD", "/hello?x"), {})->headers.get("Content-Length"), "7");
  EXPECT_EQ(client->send(request("POST", "/echo"), {})->status, 200);
  EXPECT_EQ(client->send(request("GET", "/nothing"), {})->status, 404);
  EXPECT_EQ(site_.server().counters().connections_total, 1U);
}

TEST_F(ClientTest, ManyThreadsShareIt) {
  const auto client = client_of(site_.start());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int n = 0; n < 50; ++n) {
        const std::string body = format("{}/{}", thread, n);
        const auto answer = client->send(request("POST", "/work-echo", body), {});
        if (answer && answer->body == body) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
  EXPECT_LE(site_.server().counters().connections_total, 8U);
}

TEST_F(ClientTest, ReadsChunkedResponses) {
  site_.on("/chunked", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable -> Result<bool> {
      piece = format("{},", n);
      return ++n <= 1000;
    });
    return response;
  });
  const auto client = client_of(site_.start());
  const auto answer = client->send(request("GET", "/chunked"), {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body.size(), 3890U);
  EXPECT_TRUE(answer->body.ends_with("998,999,"));
  EXPECT_EQ(client->send(request("GET", "/hello"), {})->status, 200);
  EXPECT_EQ(site_.server().counters().connections_total, 1U);
}

TEST_F(ClientTest, ASlowServerIsATimeout) {
  site_.on("/slow", Placement::kWorker, [](Request& slow) {
    while (!slow.gone.stop_requested()) std::this_thread::sleep_for(10ms);
    return Response();
  });
  const auto client = client_of(site_.start(), 1s);
  const auto answer = client->send(request("GET", "/slow"), {});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().fault, ClientFault::kTimeout) << answer.error().message;
  EXPECT_EQ(client->send(request("GET", "/hello"), {})->status, 200) << "the next call has a connection of its own";
}

TEST_F(ClientTest, ACallCanBeCancelled) {
  std::atomic<bool> began = false, gone = false;
  site_.on("/slow", Placement::kWorker, [&](Request& slow) {
    began = true;
    while (!slow.gone.stop_requested()) std::this_thread::sleep_for(10ms);
    gone = slow.gone.stop_requested();
    return Response();
  });
  const auto client = client_of(site_.start());
  std::stop_source source;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] { return began.load(); }));
    source.request_stop();
  });
  const auto answer = client->send(request("GET", "/slow"), source.get_token());
  canceller.join();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().fault, ClientFault::kCancelled);
  EXPECT_TRUE(eventually([&] { return gone.load(); })) << "and the server stops its work";
  EXPECT_EQ(client->send(request("GET", "/hello"), source.get_token()).error().fault, ClientFault::kCancelled);
}

TEST_F(ClientTest, AClosedPortIsUnreachable) {
  const auto port = site_.start();
  site_.drop_server();
  const auto answer = client_of(port)->send(request("GET", "/hello"), {});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().fault, ClientFault::kUnreachable);
  EXPECT_NE(answer.error().message.find(std::to_string(port)), std::string::npos);
  ClientOptions options;
  options.origin = "http://no-such-host.invalid:1";
  options.timeout = 5s;
  const auto nowhere = Client::create(options).value()->send(request("GET", "/"), {});
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_TRUE(nowhere.error().fault == ClientFault::kUnreachable || nowhere.error().fault == ClientFault::kTimeout);
}

TEST_F(ClientTest, AResponseOverTheLimitIsTooLarge) {
  site_.on("/large", Placement::kHere, [](Request&) { return Response::json(200, std::string(5000, 'x')); });
  site_.on("/chunked", Placement::kHere, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([](std::string& piece) -> Result<bool> {
      piece.assign(100, 'x');
      return true;
    });
    return response;
  });
  const auto client = client_of(site_.start(), kWaitLimit, 4000);
  EXPECT_EQ(client->send(request("GET", "/large"), {}).error().fault, ClientFault::kTooLarge);
  EXPECT_EQ(client->send(request("GET", "/chunked"), {}).error().fault, ClientFault::kTooLarge);
  EXPECT_EQ(client->send(request("GET", "/hello"), {})->status, 200);
}

TEST_F(ClientTest, ARefusedBodyStillGetsItsResponse) {
  const auto client = client_of(site_.start());
  const auto answer = client->send(request("POST", "/echo", std::string(8 << 20, 'x')), {});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->status, 413);
}

TEST_F(ClientTest, ReconnectsToARestartedServer) {
  const auto port = site_.start();
  const auto client = client_of(port);
  EXPECT_EQ(client->send(request("GET", "/hello"), {})->status, 200);
  site_.server().stop();
  site_.options.port = port;
  site_.start();
  EXPECT_EQ(client->send(request("POST", "/echo", "x"), {})->status, 200) << "the closed connection is noticed before it is used";
}

TEST(ClientAgainstScripts, RetriesIdempotentMethodsOnceOnAStaleConnection) {
  const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  const auto answers_then_drops = [ok](int socket) {
    read_request(socket);
    write_text(socket, ok);
    read_request(socket);  // reads the second request and closes without a response
  };
  {
    ScriptedServer server({answers_then_drops, answering(ok)});
    const auto client = client_of(server.port);
    EXPECT_EQ(client->send(request("GET", "/"), {})->body, "ok");
    EXPECT_EQ(client->send(request("GET", "/"), {})->body, "ok");
    EXPECT_EQ(server.accepted, 2);
  }
  {
    ScriptedServer server({answers_then_drops, answering(ok)});
    const auto client = client_of(server.port);
    EXPECT_EQ(client->send(request("GET", "/"), {})->body, "ok");
    const auto answer = client->send(request("POST", "/", "x"), {});
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, ClientFault::kUnreachable);
    EXPECT_EQ(server.accepted, 1) << "a POST may have been done already";
  }
  {
    const auto drops = [](int socket) { read_request(socket); };
    ScriptedServer server({drops, answering(ok)});
    EXPECT_FALSE(client_of(server.port)->send(request("GET", "/"), {}).has_value()) << "a new connection is not tried twice";
    EXPECT_EQ(server.accepted, 1);
  }
}

TEST(ClientAgainstScripts, BrokenResponsesAreProtocolErrors) {
  for (const auto text :
       {"nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "HTTP/1.1 200"}) {
    ScriptedServer server({answering(text)});
    const auto answer = client_of(server.port)->send(request("GET", "/"), {});
    ASSERT_FALSE(answer.has_value()) << text;
    EXPECT_EQ(answer.error().fault, ClientFault::kProtocol) << text << ": " << answer.error().message;
  }
  ScriptedServer endless({answering("HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x'))});
  EXPECT_EQ(client_of(endless.port)->send(request("GET", "/"), {}).error().fault, ClientFault::kProtocol);
}

TEST(ClientAgainstScripts, AcceptsInterimResponsesAndOldServers) {
  ScriptedServer server({answering("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
                         answering("HTTP/1.0 200 OK\r\n\r\nuntil the end"),
                         answering("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")});
  const auto client = client_of(server.port);
  const auto first = client->send(request("POST", "/"), {});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->body, "ok");
  EXPECT_EQ(first->headers.get("Link"), std::nullopt);
  EXPECT_TRUE(eventually([&] { return server.closed == 1; }));
  EXPECT_EQ(client->send(request("POST", "/"), {})->body, "until the end");
  EXPECT_EQ(client->send(request("POST", "/"), {})->status, 204);
}

TEST(ClientCreate, OriginsAreChecked) {
  for (const auto origin :
       {"", "localhost:1", "ftp://a", "http://", "http://a/b", "http://user@a", "http://a:x", "http://a?b", "https://[::1"}) {
    ClientOptions options;
    options.origin = origin;
    const auto client = Client::create(options);
    ASSERT_FALSE(client.has_value()) << origin;
    EXPECT_EQ(client.error().code, Code::kInvalidRequest);
  }
  ClientOptions options;
  options.origin = "http://127.0.0.1:99999";
  EXPECT_EQ(Client::create(options).value()->send(request("GET", "/"), {}).error().fault, ClientFault::kUnreachable);
}

TEST_F(ClientTest, SendsNoInvalidRequest) {
  const auto client = client_of(site_.start());
  ClientRequest evil = request("GET", "/hello");
  evil.headers.add("X", "a\r\nY: b");
  EXPECT_EQ(client->send(evil, {}).error().fault, ClientFault::kProtocol);
  EXPECT_FALSE(client->send(request("GET", "/a b"), {}).has_value());
  EXPECT_FALSE(client->send(request("GET", "/a\r\nX: y"), {}).has_value());
  EXPECT_FALSE(client->send(request("G ET", "/"), {}).has_value());
  EXPECT_EQ(site_.server().counters().connections_total, 0U);
}

TEST(Client, RefusesAddressesInForbiddenNetworks) {
  TestSite site;
  const std::uint16_t port = site.start();
  for (const char* const host : {"127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"}) {
    ClientOptions options;
    options.origin = format("http://{}:{}", host, port);
    options.nearest = AddressScope::kPrivate;
    const auto refused = Client::create(options).value()->send(request("GET", "/hello"), {});
    ASSERT_FALSE(refused) << host;
    EXPECT_EQ(refused.error().fault, ClientFault::kForbidden) << host;
    EXPECT_NE(refused.error().message.find("is at a loopback address"), std::string::npos) << refused.error().message;
  }
  ClientOptions options;
  options.origin = format("http://127.0.0.1:{}", port);
  options.nearest = AddressScope::kLoopback;
  const auto answer = Client::create(options).value()->send(request("GET", "/hello"), {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->from, AddressScope::kLoopback);
}

TEST(Client, ARequestMayHaveItsOwnDeadline) {
  ScriptedServer server({[](int socket) {  // reads until the client gives up
    char byte = 0;
    while (::recv(socket, &byte, 1, 0) > 0) continue;
  }});
  ClientRequest hurried = request("GET", "/");
  hurried.deadline = std::chrono::steady_clock::now() + 100ms;
  const auto late = client_of(server.port)->send(hurried, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, ClientFault::kTimeout) << "and not the end of the connection";
}

}  // namespace
}  // namespace ladder::http::tests
