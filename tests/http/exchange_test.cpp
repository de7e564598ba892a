// Requests and responses over a real socket: framing, order, keep-alive, HEAD, streams.
#include "http/test_site.h"
#include "http/wire.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <thread>

namespace ladder::http::tests {
namespace {

using namespace std::chrono_literals;

std::string get(std::string_view target, std::string_view more = "") {
  return format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", target, more);
}
std::string post(std::string_view target, std::string_view body, std::string_view more = "") {
  return format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", target, body.size(), more, body);
}

class ExchangeTest : public ::testing::Test {
 protected:
  TestSite site_;
};

TEST_F(ExchangeTest, AConnectionServesManyRequests) {
  Wire wire(site_.start());
  for (int n = 0; n < 50; ++n) {
    const auto answer = wire.ask(get(format("/hello?{}", n)));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, format("hello {}", n));
    EXPECT_EQ(answer->header("connection"), "");
    EXPECT_EQ(answer->header("content-type"), "text/plain");
    EXPECT_EQ(answer->header("date").size(), 29U);
  }
  EXPECT_EQ(site_.server().counters().requests_total, 50U);
  EXPECT_EQ(site_.server().counters().connections_total, 1U);
  EXPECT_EQ(site_.server().counters().connections_open, 1U);
}

TEST_F(ExchangeTest, TheApplicationSeesTheCompleteRequest) {
  Request seen;
  bool may_go = false;
  site_.on(
      "/see", Placement::kWorker,
      [&](Request& request) {
        seen = request;
        may_go = request.gone.stop_possible();
        return Response();
      },
      100);
  Wire wire(site_.start());
  ASSERT_TRUE(wire.ask(post("/see?q=1", "body", "X-One:  padded \r\nx-one: two\r\n")));
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/see?q=1");
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(seen.headers.get("X-ONE"), "padded");
  EXPECT_EQ(seen.headers.count("x-one"), 2U);
  EXPECT_EQ(seen.remote_address, "127.0.0.1");
  EXPECT_FALSE(seen.over_tls);
  EXPECT_TRUE(may_go);
  EXPECT_NE(seen.arrived.time_since_epoch().count(), 0);
}

TEST_F(ExchangeTest, PipelinedRequestsAreAnsweredInOrder) {
  site_.on("/slow", Placement::kWorker, [](Request& request) {
    std::this_thread::sleep_for(50ms);
    Response response;
    response.body = "slow " + std::string(request.query());
    return response;
  });
  Wire wire(site_.start());
  std::string all;
  for (int n = 0; n < 20; ++n)
    all += get(format("/{}?{}", n % 5 == 0 ? "slow" : "hello", n)) + post("/echo", format("body {}", n));
  ASSERT_TRUE(wire.send(all));
  for (int n = 0; n < 20; ++n) {
    const auto first = wire.receive();
    const auto second = wire.receive();
    ASSERT_TRUE(first && second) << n;
    EXPECT_EQ(first->body, format("{} {}", n % 5 == 0 ? "slow" : "hello", n));
    EXPECT_EQ(second->body, format("body {}", n));
  }
}

TEST_F(ExchangeTest, AcceptsMorePipelinedRequestsThanItReadsAhead) {
  site_.on("/wait", Placement::kWorker, [](Request&) {
    std::this_thread::sleep_for(200ms);
    return Response();
  });
  Wire wire(site_.start());
  const std::string body(900'000, 'x');
  std::thread writer(
      [&] { EXPECT_TRUE(wire.send(get("/wait") + post("/echo", body) + post("/work-echo", body) + get("/hello?end"))); });
  EXPECT_EQ(wire.receive()->status, 200);
  EXPECT_EQ(wire.receive()->body, body);
  EXPECT_EQ(wire.receive()->body, body);
  EXPECT_EQ(wire.receive()->body, "hello end");
  writer.join();
}

TEST_F(ExchangeTest, BytesMayArriveOneByOne) {
  Wire wire(site_.start());
  const std::string request = "\r\n" + post("/echo", "abc") +
                              "POST /work-echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                              "chunked\r\n\r\n3;x=y\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nTrailer: t\r\n\r\n";
  for (const char c : request) ASSERT_TRUE(wire.send(std::string_view(&c, 1)));
  EXPECT_EQ(wire.receive()->body, "abc");
  EXPECT_EQ(wire.receive()->body, "abc0123456789abcdef");
}

// A connection's buffer holds 1 KB: pipelined requests end just before, at and after that size.
TEST_F(ExchangeTest, AcceptsPipelinedRequestsOfEveryLength) {
  Wire wire(site_.start());
  for (std::size_t bytes = 880; bytes < 1'060; ++bytes) {
    ASSERT_TRUE(
        wire.send(post("/echo", std::string(bytes, 'a')) + post("/work-echo", std::string(bytes, 'b')) + post("/echo", "c")));
    EXPECT_EQ(wire.receive()->body, std::string(bytes, 'a'));
    EXPECT_EQ(wire.receive()->body, std::string(bytes, 'b'));
    EXPECT_EQ(wire.receive()->body, "c");
  }
}

TEST_F(ExchangeTest, AChunkedBodyWithConnectionCloseIsReadToItsEnd) {
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"));
  std::this_thread::sleep_for(50ms);
  ASSERT_TRUE(wire.send("lo\r\n6"));
  std::this_thread::sleep_for(50ms);
  ASSERT_TRUE(wire.send("\r\n world\r\n0\r\n\r\n"));
  const auto answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "hello world");
  EXPECT_EQ(answer->header("connection"), "close");
  EXPECT_TRUE(wire.closes());
}

TEST_F(ExchangeTest, TrailersNeverBecomeHeaders) {
  std::string authorization = "unset";
  site_.on(
      "/see", Placement::kHere,
      [&](Request& request) {
        authorization = request.headers.get("Authorization").value_or("none");
        return Response();
      },
      100);
  Wire wire(site_.start());
  ASSERT_TRUE(wire.ask(
      "POST /see HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nAuthorization: Bearer x\r\n\r\n"));
  EXPECT_EQ(authorization, "none");
}

TEST_F(ExchangeTest, HeadKeepsTheLengthAndDropsTheBody) {
  Wire wire(site_.start());
  const auto head = wire.ask("HEAD /hello?x HTTP/1.1\r\nHost: a\r\n\r\n", true);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->header("content-length"), "7");
  EXPECT_EQ(wire.ask(get("/hello?next"))->body, "hello next");
}

TEST_F(ExchangeTest, ExpectationsAreMetBeforeTheBody) {
  Wire wire(site_.start());
  for (const auto path : {"/echo", "/work-echo"}) {
    const auto interim =
        wire.ask(format("POST {} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n", path));
    ASSERT_TRUE(interim.has_value());
    EXPECT_EQ(interim->status, 100);
    EXPECT_EQ(wire.ask("abcd")->body, "abcd");
  }
  const auto refused =
      wire.ask(format("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n", 2 << 20));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status, 413);
  EXPECT_EQ(refused->header("connection"), "close");
  EXPECT_TRUE(wire.closes());
}

TEST_F(ExchangeTest, ExpectationsWithConnectionCloseKeepTheirBody) {
  Wire wire(site_.start());
  ASSERT_TRUE(
      wire.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nab"));
  EXPECT_EQ(wire.receive()->status, 100);
  EXPECT_EQ(wire.ask("cd")->body, "abcd");
}

TEST_F(ExchangeTest, Http10ClosesUnlessKeptAlive) {
  const auto port = site_.start();
  Wire plain(port);
  EXPECT_EQ(plain.ask("GET /hello HTTP/1.0\r\n\r\n")->header("connection"), "close");
  EXPECT_TRUE(plain.closes());
  Wire kept(port);
  EXPECT_EQ(kept.ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->header("connection"), "keep-alive");
  EXPECT_EQ(kept.ask("GET /hello?2 HTTP/1.0\r\n\r\n")->body, "hello 2");
  EXPECT_TRUE(kept.closes());
}

TEST_F(ExchangeTest, ConnectionCloseIsHonored) {
  Wire wire(site_.start());
  EXPECT_EQ(wire.ask(get("/hello", "Connection: close\r\n"))->header("connection"), "close");
  EXPECT_TRUE(wire.closes());
}

TEST_F(ExchangeTest, AnswersAClientThatShutDownItsWrites) {
  const auto port = site_.start();
  for (const auto path : {"/echo", "/work-echo"}) {
    Wire wire(port);
    ASSERT_TRUE(wire.send(post(path, "one") + post(path, "two")));
    wire.shutdown_output();
    EXPECT_EQ(wire.receive()->body, "one") << path;
    EXPECT_EQ(wire.receive()->body, "two") << path;
    EXPECT_TRUE(wire.closes());
  }
}

TEST_F(ExchangeTest, AnAbsoluteTargetBecomesPathAndHost) {
  std::string host, target;
  site_.on("/see", Placement::kHere, [&](Request& request) {
    host = *request.headers.get("Host");
    target = request.target;
    return Response();
  });
  Wire wire(site_.start());
  ASSERT_TRUE(wire.ask("GET http://evil.example:80/see?x HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_EQ(host, "evil.example:80");
  EXPECT_EQ(target, "/see?x");
}

TEST_F(ExchangeTest, EmptyResponsesHaveNoBody) {
  site_.on("/none", Placement::kHere, [](Request&) {
    Response response;
    response.status = 204;
    return response;
  });
  Wire wire(site_.start());
  const auto answer = wire.ask(get("/none"));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->header("content-length"), "");
  EXPECT_EQ(wire.ask(get("/hello"))->status, 200);
}

TEST_F(ExchangeTest, LargeResponsesArriveComplete) {
  std::string large;
  for (int n = 0; large.size() < 20'000'000; ++n) large += std::to_string(n);
  site_.on("/large", Placement::kWorker, [&large](Request&) { return Response::json(200, large); });
  Wire wire(site_.start());
  EXPECT_EQ(wire.ask(get("/large"))->body, large);
  EXPECT_EQ(wire.ask(get("/hello"))->status, 200);
}

// --- streams ---

Response streamed(int pieces, std::size_t size, std::optional<std::uint64_t> length = {}) {
  Response response;
  response.stream = std::make_unique<FunctionStream>([=, left = pieces](std::string& piece) mutable -> Result<bool> {
    if (left == 0) return false;
    piece.assign(size, static_cast<char>('a' + left-- % 26));
    if (left % 3 == 0) std::this_thread::sleep_for(1ms);
    return true;
  });
  response.content_length = length;
  return response;
}

TEST_F(ExchangeTest, StreamsAreChunkedOrCounted) {
  site_.on("/chunked", Placement::kWorker, [](Request&) { return streamed(100, 1000); });
  site_.on("/counted", Placement::kHere, [](Request&) { return streamed(100, 1000, 100'000); });
  Wire wire(site_.start());
  for (int round = 0; round < 3; ++round) {
    const auto chunked = wire.ask(get("/chunked"));
    ASSERT_TRUE(chunked.has_value());
    EXPECT_EQ(chunked->header("transfer-encoding"), "chunked");
    EXPECT_EQ(chunked->body.size(), 100'000U);
    const auto counted = wire.ask(get("/counted"));
    ASSERT_TRUE(counted.has_value());
    EXPECT_EQ(counted->header("content-length"), "100000");
    EXPECT_EQ(counted->body, chunked->body);
  }
  EXPECT_EQ(wire.ask("HEAD /counted HTTP/1.1\r\nHost: a\r\n\r\n", true)->header("content-length"), "100000");
  EXPECT_EQ(wire.ask(get("/hello"))->status, 200);
  Wire old(site_.server().port());
  EXPECT_EQ(old.ask("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->body.size(), 100'000U);
}

TEST_F(ExchangeTest, EmptyPiecesAreRequestedAgain) {
  site_.on("/patient", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable -> Result<bool> {
      piece = n % 4 == 3 ? format("{};", n) : "";
      return ++n <= 12;
    });
    return response;
  });
  Wire wire(site_.start());
  EXPECT_EQ(wire.ask(get("/patient"))->body, "3;7;11;");
}

TEST_F(ExchangeTest, AStreamThatFailsOrMiscountsCutsTheConnection) {
  site_.on("/fails", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable -> Result<bool> {
      if (n++ == 2) return fail(Code::kStoreUnavailable, "gone");
      piece = "piece";
      return true;
    });
    return response;
  });
  site_.on("/throws", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([](std::string&) -> Result<bool> { throw std::bad_alloc(); });
    return response;
  });
  site_.on("/short", Placement::kWorker, [](Request&) { return streamed(9, 10, 100); });
  site_.on("/long", Placement::kWorker, [](Request&) { return streamed(11, 10, 100); });
  const auto port = site_.start();
  for (const auto path : {"/fails", "/throws", "/short"}) {
    Wire wire(port);
    EXPECT_FALSE(wire.ask(get(path)).has_value()) << path;
  }
  Wire wire(port);
  EXPECT_EQ(wire.ask(get("/long"))->body.size(), 100U);
  EXPECT_TRUE(wire.closes());
}

TEST_F(ExchangeTest, ASlowReaderSlowsTheStream) {
  auto made = std::make_shared<std::atomic<std::uint64_t>>(0);
  site_.on("/endless", Placement::kWorker, [made](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([made](std::string& piece) -> Result<bool> {
      piece.assign(64 * 1024, 'x');
      *made += piece.size();
      return true;
    });
    return response;
  });
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/endless")));
  // After some time no more is produced: a stream without backpressure would grow forever.
  std::uint64_t before = 0;
  ASSERT_TRUE(eventually([&] {
    const std::uint64_t earlier = std::exchange(before, made->load());
    std::this_thread::sleep_for(300ms);
    return before > 0 && before == earlier;
  }));
  EXPECT_LT(before, 64U << 20) << "only the contents of the socket buffers are produced ahead";
}

}  // namespace
}  // namespace ladder::http::tests
