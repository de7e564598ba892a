// Requests beyond a limit are refused with a typed error: sizes, times, grammar, queues.
#include "http/test_site.h"
#include "http/wire.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <atomic>
#include <latch>
#include <string>
#include <thread>

namespace ladder::http::tests {
namespace {

using namespace std::chrono_literals;

class LimitsTest : public ::testing::Test {
 protected:
  // Sends one request on one connection and expects one refusal with the envelope, then a closed connection.
  void expect_refused(std::uint16_t port, const std::string& request, int status) {
    Wire wire(port);
    wire.send(request);
    const auto answer = wire.receive();
    ASSERT_TRUE(answer.has_value()) << request.substr(0, 200);
    EXPECT_EQ(answer->status, status) << request.substr(0, 200);
    EXPECT_EQ(answer->header("content-type"), "application/json; charset=utf-8");
    EXPECT_EQ(answer->header("connection"), "close");
    EXPECT_TRUE(answer->body.starts_with("{\"error\":{")) << answer->body;
    EXPECT_TRUE(wire.closes()) << request.substr(0, 200);
  }

  TestSite site_;
};

TEST_F(LimitsTest, MalformedRequestsAreRefused) {
  const auto port = site_.start();
  for (const auto request : {
           "GARBAGE\r\n\r\n",
           "GET\r\n\r\n",
           "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
           "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
           "GET /hello HTTP/1.1\r\nHost : a\r\n\r\n",
           "GET /hello HTTP/1.1\r\n Host: a\r\n\r\n",
           "GET /hello HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n",
           "GET /hello HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
           "GET /hello HTTP/1.1\r\n\r\n",
           "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET hello HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET /hello#x HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET /h\xc3\xa9llo HTTP/1.1\r\nHost: a\r\n\r\n",
           "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n",
       }) {
    expect_refused(port, request, 400);
  }
}

TEST_F(LimitsTest, RejectsAmbiguousFraming) {
  const auto port = site_.start();
  const std::string start = "POST /echo HTTP/1.1\r\nHost: a\r\n";
  for (const auto fields : {
           "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
           "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
           "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
           "Content-Length: 5, 5\r\n\r\nhello",
           "Content-Length: +5\r\n\r\nhello",
           "Content-Length: 0x5\r\n\r\nhello",
           "Content-Length: -1\r\n\r\nhello",
           "Content-Length:\r\n\r\nhello",
           "Content-Length: 99999999999999999999999\r\n\r\nhello",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
           "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\nhello\r\n0\r\n\r\n",
       }) {
    expect_refused(port, start + fields, 400);
  }
  for (const auto coding : {"gzip, chunked", "identity", "xchunked", "chunked, chunked", "\"chunked\"", "chunked;q=1"}) {
    expect_refused(port, start + "Transfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n", 501);
  }
  expect_refused(port, "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  EXPECT_EQ(site_.server().counters().requests_total, 0U) << "none of them reached the application";
}

TEST_F(LimitsTest, UnknownExpectationsAreRefused) {
  expect_refused(site_.start(), "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 1\r\n\r\na", 417);
}

TEST_F(LimitsTest, HeadersAreBounded) {
  const auto port = site_.start();
  const std::string start = "GET /hello HTTP/1.1\r\nHost: a\r\n";
  expect_refused(port, start + "X: " + std::string(40'000, 'x') + "\r\n\r\n", 431);
  expect_refused(port, start + "X: " + std::string(40'000, 'x'), 431);
  expect_refused(port, "GET /" + std::string(40'000, 'x'), 431);
  expect_refused(port, std::string(40'000, 'x'), 431);
  std::string fields;
  for (int n = 0; n < 200; ++n) fields += format("X{}: y\r\n", n);
  expect_refused(port, start + fields + "\r\n", 431);
  Wire wire(port);
  EXPECT_EQ(wire.ask(start + "X: " + std::string(30'000, 'x') + "\r\n\r\n")->status, 200);
}

TEST_F(LimitsTest, ADrippingHeaderHasOneTimeLimit) {
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send("GET /hello HTTP/1.1\r\nHost: a\r\n"));
  bool open = true;
  for (int n = 0; n < 90 && open; ++n) {
    open = wire.send(format("X{}: {}\r\n", n, std::string(500, 'x')));
    std::this_thread::sleep_for(1ms);
  }
  const auto answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 431);
}

TEST_F(LimitsTest, BodiesAreBounded) {
  const auto port = site_.start();
  const std::string start = "POST /echo HTTP/1.1\r\nHost: a\r\n";
  const std::string over((1 << 20) + 1, 'x');
  expect_refused(port, start + format("Content-Length: {}\r\n\r\n", over.size()), 413);
  expect_refused(port, start + format("Content-Length: {}\r\n\r\n{}", over.size(), over), 413);
  expect_refused(port, start + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n", 413);
  std::string chunks = start + "Transfer-Encoding: chunked\r\n\r\n";
  for (int n = 0; n < 17; ++n) chunks += "10000\r\n" + std::string(65536, 'x') + "\r\n";
  expect_refused(port, chunks + "0\r\n\r\n", 413);
  expect_refused(port, start + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(40'000, 'x'), 431);
  expect_refused(port, start + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(40'000, 'x'), 431);
  expect_refused(port, "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 413);
  Wire wire(port);
  EXPECT_EQ(wire.ask(start + format("Content-Length: {}\r\n\r\n{}", 1 << 20, std::string(1 << 20, 'x')))->status, 200);
  EXPECT_EQ(wire.ask("GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")->status, 200);
}

TEST_F(LimitsTest, ASlowHeaderTimesOut) {
  site_.options.header_time = 2s;  // even a busy machine sends a complete header in less
  const auto port = site_.start();
  Wire silent(port), slow(port);
  ASSERT_TRUE(slow.send("GET /hel"));
  EXPECT_TRUE(silent.closes()) << "a silent connection is closed without a response";
  const auto answer = slow.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 408);
  EXPECT_TRUE(slow.closes());
  // The second request of a connection has its own time limit, starting with its first byte.
  Wire second(port);
  const auto first = second.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->status, 200);
  for (const char c : std::string("GET /")) {
    second.send(std::string_view(&c, 1));
    std::this_thread::sleep_for(300ms);
  }
  EXPECT_EQ(second.receive()->status, 408);
}

TEST_F(LimitsTest, AStalledBodyTimesOut) {
  site_.options.body_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc"));
  const auto answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 408);
  ASSERT_EQ(site_.refusals().size(), 1U);
  EXPECT_TRUE(site_.refusals()[0].with_head);
}

TEST_F(LimitsTest, ADrippingBodyTimesOut) {
  site_.options.body_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"));
  const auto begin = std::chrono::steady_clock::now();
  while (wire.send("x") && !wire.receive(false, 0s)) {
    std::this_thread::sleep_for(50ms);
    ASSERT_LT(std::chrono::steady_clock::now() - begin, kWaitLimit);
  }
  EXPECT_EQ(site_.refusals().at(0).status, 408);
}

TEST_F(LimitsTest, IdleConnectionsAreClosed) {
  site_.options.idle_time = 1s;
  Wire wire(site_.start());
  EXPECT_EQ(wire.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200);
  EXPECT_TRUE(wire.closes());
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 0; }));
}

TEST_F(LimitsTest, AStalledReaderIsCutOff) {
  site_.options.write_time = 1s;
  site_.on("/large", Placement::kHere, [](Request&) { return Response::json(200, std::string(64 << 20, 'x')); });
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 1; }));
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 0; }));
}

TEST_F(LimitsTest, TooManyConnectionsAreRefused) {
  site_.options.max_connections = 3;
  const auto port = site_.start();
  std::vector<Wire> kept;
  for (int n = 0; n < 3; ++n) {
    kept.emplace_back(port);
    ASSERT_EQ(kept.back().ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200);
  }
  Wire extra(port);
  const auto answer = extra.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->header("retry-after"), "1");
  kept.pop_back();
  EXPECT_TRUE(eventually([&] {
    Wire again(port);
    const auto served = again.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    return served && served->status == 200;
  }));
}

TEST_F(LimitsTest, SilentConnectionsAreClosedForNewOnes) {
  site_.options.max_connections = 200;
  site_.options.header_time = 2 * kWaitLimit;  // so that none is closed by its timeout
  const auto port = site_.start();
  Wire first(port);
  ASSERT_EQ(first.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200);
  std::vector<Wire> silent;
  for (int n = 0; n < 600; ++n) {
    silent.emplace_back(port);
    if (n % 50 != 0) continue;
    Wire wire(port);
    const auto answer = wire.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(answer.has_value()) << n;
    EXPECT_EQ(answer->status, 200) << n;
  }
  EXPECT_LE(site_.server().counters().connections_open, 200U);
  EXPECT_EQ(first.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200) << "earlier clients are not disconnected";
  EXPECT_TRUE(silent.front().closes()) << "the oldest went first";
}

TEST_F(LimitsTest, UrgentWorkDoesNotWaitForWorkers) {
  std::latch release(1);
  site_.options.workers = 1;
  site_.on("/block", Placement::kWorker, [&release](Request&) {
    release.wait();
    return Response();
  });
  site_.on("/urgent", Placement::kUrgent, [](Request&) { return Response::json(200, "{}"); });
  const auto port = site_.start();
  Wire working(port), waiting(port), urgent(port);
  for (Wire* wire : {&working, &waiting}) ASSERT_TRUE(wire->send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n"));
  ASSERT_TRUE(eventually([&] { return site_.server().counters().queue_length == 1; }));
  EXPECT_EQ(urgent.ask("GET /urgent HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200);
  release.count_down();
  EXPECT_EQ(working.receive()->status, 200);
  EXPECT_EQ(waiting.receive()->status, 200);
  site_.drop_server();  // running work uses this test's locals
}

// A client that floods the urgent queue does not delay other clients: refused revocations do not block the owner's.
TEST_F(LimitsTest, UrgentWorkIsSharedFairly) {
  std::latch release(1);
  std::atomic<int> begun = 0;
  site_.options.urgent_workers = 1;
  site_.options.max_queue = 40;
  site_.party_of = [](const Request& request) { return Party{"", std::string(request.headers.get("X-Party").value_or(""))}; };
  site_.on("/urgent", Placement::kUrgent, [&](Request&) {
    const int place = ++begun;
    release.wait();
    return Response::json(200, std::to_string(place));
  });
  const auto port = site_.start();
  const auto request = [](std::string_view party) {
    return format("GET /urgent HTTP/1.1\r\nHost: a\r\nX-Party: {}\r\n\r\n", party);
  };
  std::vector<Wire> flood;
  for (int n = 0; n < 30; ++n) {
    flood.emplace_back(port);
    ASSERT_TRUE(flood.back().send(request("flood")));
    if (n == 0) {
      ASSERT_TRUE(eventually([&] { return begun == 1; }));
    }
  }
  // One runs, twenty wait, and the others got 429.
  ASSERT_TRUE(eventually([&] { return site_.refusals().size() == 9; }));
  Wire owner(port);
  ASSERT_TRUE(owner.send(request("owner")));
  ASSERT_TRUE(eventually([&] { return site_.server().counters().requests_total == 31; }));
  release.count_down();
  const auto answer = owner.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 200);
  EXPECT_LE(std::stoi(answer->body), 4) << "it begins right after those that were at work";
  site_.drop_server();  // running work uses this test's locals
}

TEST_F(LimitsTest, AFullQueueIsRefusedAsBusy) {
  std::latch release(1);
  site_.options.workers = 1;
  site_.options.max_queue = 1;
  site_.on("/block", Placement::kWorker, [&release](Request&) {
    release.wait();
    return Response();
  });
  const auto port = site_.start();
  const std::string request = "GET /block HTTP/1.1\r\nHost: a\r\n\r\n";
  Wire working(port), waiting(port), refused(port);
  ASSERT_TRUE(working.send(request));
  ASSERT_TRUE(
      eventually([&] { return site_.server().counters().requests_total == 1 && site_.server().counters().queue_length == 0; }));
  ASSERT_TRUE(waiting.send(request));
  ASSERT_TRUE(eventually([&] { return site_.server().counters().queue_length == 1; }));
  const auto answer = refused.ask(request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->header("retry-after"), "1");
  EXPECT_EQ(refused.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200)
      << "the connection stays, and short answers go on";
  release.count_down();
  EXPECT_EQ(working.receive()->status, 200);
  EXPECT_EQ(waiting.receive()->status, 200);
  site_.drop_server();  // running work uses this test's locals
}

TEST_F(LimitsTest, NoHeaderCanSplitAResponse) {
  site_.on("/value", Placement::kHere, [](Request&) {
    Response response;
    response.headers.add("X-Evil", "a\r\nSet-Cookie: b");
    return response;
  });
  site_.on("/name", Placement::kWorker, [](Request&) {
    Response response;
    response.headers.add("X-Evil: a\r\nY", "b");
    return response;
  });
  Wire wire(site_.start());
  for (const auto path : {"/value", "/name"}) {
    const auto answer = wire.ask(format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", path));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, 500);
    EXPECT_EQ(answer->raw_head.find("Evil"), std::string::npos);
    EXPECT_EQ(answer->raw_head.find("Set-Cookie"), std::string::npos);
  }
}

TEST_F(LimitsTest, TheServerFramesItsResponses) {
  site_.on("/own", Placement::kHere, [](Request&) {
    Response response;
    response.headers.add("Content-Length", "99");
    response.headers.add("Transfer-Encoding", "chunked");
    response.headers.add("Connection", "close");
    response.body = "abc";
    return response;
  });
  Wire wire(site_.start());
  const auto answer = wire.ask("GET /own HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->header("content-length"), "3");
  EXPECT_EQ(answer->header("transfer-encoding"), "");
  EXPECT_TRUE(wire.closes()) << "an application may ask for the end of the connection";
}

TEST_F(LimitsTest, AnApplicationErrorGetsAResponse) {
  for (const auto placement : {Placement::kHere, Placement::kWorker}) {
    site_.on(placement == Placement::kHere ? "/here" : "/worker", placement,
             [](Request&) -> Response { throw std::bad_alloc(); });
  }
  Wire wire(site_.start());
  EXPECT_EQ(wire.ask("GET /here HTTP/1.1\r\nHost: a\r\n\r\n")->status, 500);
  EXPECT_EQ(wire.ask("GET /worker HTTP/1.1\r\nHost: a\r\n\r\n")->status, 500);
  EXPECT_EQ(wire.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")->status, 200);
}

}  // namespace
}  // namespace ladder::http::tests
