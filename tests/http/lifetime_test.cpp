// Disconnecting clients, stopping servers, and many connections at once.
#include "http/test_site.h"
#include "http/wire.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <fstream>
#include <latch>
#include <thread>

namespace ladder::http::tests {
namespace {

using namespace std::chrono_literals;

constexpr auto kGet = "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n";
std::string get(std::string_view target) { return format(kGet, target); }

// A handler that never ends by itself during a test.
bool waits_until_gone(const std::stop_token& gone) {
  const auto until = std::chrono::steady_clock::now() + 2 * kWaitLimit;
  while (!gone.stop_requested() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  return gone.stop_requested();
}

class LifetimeTest : public ::testing::Test {
 protected:
  LifetimeTest() {
    site_.on("/until-gone", Placement::kWorker, [this](Request& request) {
      ++began_;
      if (waits_until_gone(request.gone)) ++gone_;
      return Response();
    });
    site_.on("/slow", Placement::kWorker, [this](Request& request) {
      ++began_;
      std::this_thread::sleep_for(700ms);
      if (request.gone.stop_requested()) ++gone_;
      return Response::json(200, "\"slow\"");
    });
  }
  TestSite site_;
  std::atomic<int> began_ = 0, gone_ = 0;
};

// The service manager's watchdog uses this to restart the server.
TEST_F(LifetimeTest, AStalledThreadStopsTheHeartbeat) {
  std::latch released(1);
  site_.on("/stuck", Placement::kHere, [&](Request&) {
    released.wait();
    return Response::json(200, "\"at last\"");
  });
  const auto port = site_.start();
  const auto comes_to = [&](auto reached) {
    const auto until = std::chrono::steady_clock::now() + kWaitLimit;
    while (!reached(site_.server().longest_silence()) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(5ms);
    return reached(site_.server().longest_silence());
  };
  EXPECT_TRUE(comes_to([](auto silence) { return silence < 1s; }));
  Wire stuck(port);
  stuck.send(get("/stuck"));
  EXPECT_TRUE(comes_to([](auto silence) { return silence > 2s; }));
  released.count_down();
  EXPECT_TRUE(comes_to([](auto silence) { return silence < 1s; }));
  EXPECT_EQ(stuck.receive()->status, 200);
}

// shutdown(SHUT_WR) after a request: the client sends nothing more and waits for the response.
TEST_F(LifetimeTest, AClientThatShutDownItsWritesGetsItsResponse) {
  site_.on("/stream", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable -> Result<bool> {
      piece = "piece";
      std::this_thread::sleep_for(50ms);
      return ++n <= 4;
    });
    return response;
  });
  const auto port = site_.start();
  for (int n = 0; n < 3; ++n) {
    for (const bool at_once : {true, false}) {
      Wire wire(port);
      const int begun = began_;
      ASSERT_TRUE(wire.send(get("/slow")));
      if (!at_once) {
        ASSERT_TRUE(eventually([&] { return began_ > begun; }));
      }
      wire.shutdown_output();
      const auto answer = wire.receive();
      ASSERT_TRUE(answer.has_value());
      EXPECT_EQ(answer->status, 200);
      EXPECT_EQ(answer->body, "\"slow\"");
      EXPECT_TRUE(wire.closes());
    }
  }
  EXPECT_EQ(gone_, 0) << "the work was not stopped";
  Wire wire(port);
  ASSERT_TRUE(wire.send(get("/stream") + get("/slow")));
  wire.shutdown_output();
  EXPECT_EQ(wire.receive()->body, "piecepiecepiecepiece");
  EXPECT_EQ(wire.receive()->body, "\"slow\"") << "its earlier requests";
}

TEST_F(LifetimeTest, AHangUpStopsTheWork) {
  site_.options.half_closed_time = 1s;
  const auto port = site_.start();
  for (const bool reset : {false, true}) {
    began_ = gone_ = 0;
    Wire wire(port);
    ASSERT_TRUE(wire.send(get("/until-gone")));
    ASSERT_TRUE(eventually([&] { return began_ == 1; }));
    EXPECT_EQ(gone_, 0);
    wire.close(reset);
    EXPECT_TRUE(eventually([&] { return gone_ == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 0; }));
}

TEST_F(LifetimeTest, AHangUpIsNoticedAfterPipelinedRequests) {
  site_.options.half_closed_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/until-gone") + get("/hello")));
  ASSERT_TRUE(eventually([&] { return began_ == 1; }));
  wire.close();
  EXPECT_TRUE(eventually([&] { return gone_ == 1; }));
}

TEST_F(LifetimeTest, AHangUpDestroysTheStream) {
  auto destroyed = std::make_shared<std::atomic<bool>>(false);
  std::atomic<int> pulled = 0;
  site_.on("/quiet", Placement::kWorker, [&](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>(
        [&](std::string& piece) -> Result<bool> {
          piece.clear();
          if (pulled++ == 0) piece = "first";
          std::this_thread::sleep_for(20ms);
          return true;
        },
        destroyed);
    return response;
  });
  site_.options.half_closed_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/quiet")));
  ASSERT_TRUE(eventually([&] { return pulled > 2; }));
  EXPECT_FALSE(destroyed->load());
  wire.close();
  EXPECT_TRUE(eventually([&] { return destroyed->load(); }));
  site_.drop_server();  // running work uses this test's locals
}

// A body without data for a long time, such as events.
class WaitingStream final : public BodyStream {
 public:
  struct State {
    std::atomic<bool> ready = true, winds_up = false, destroyed = false;
    std::atomic<int> asked = 0, pulled = 0;
  };
  explicit WaitingStream(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~WaitingStream() override { state_->destroyed = true; }
  Result<bool> next(std::string& piece) override {
    ++state_->pulled;
    if (ended_) return false;
    ended_ = state_->winds_up;
    piece = ended_ ? "last" : "piece";
    state_->ready = ended_;
    return true;
  }
  bool is_ready() override {
    ++state_->asked;
    return state_->ready || state_->winds_up;
  }
  void finish_soon() override { state_->winds_up = true; }

 private:
  std::shared_ptr<State> state_;
  bool ended_ = false;
};

class WaitingTest : public LifetimeTest {
 protected:
  WaitingTest() {
    site_.on("/events", Placement::kWorker, [this](Request&) {
      Response response;
      response.stream = std::make_unique<WaitingStream>(state_);
      return response;
    });
  }
  std::shared_ptr<WaitingStream::State> state_ = std::make_shared<WaitingStream::State>();
};

TEST_F(WaitingTest, AWaitingStreamOccupiesNoWorker) {
  site_.options.workers = 1;
  Wire events(site_.start()), other(site_.server().port());
  ASSERT_TRUE(events.send(get("/events")));
  ASSERT_TRUE(eventually([&] { return state_->pulled == 1 && state_->asked > 3; }));
  ASSERT_TRUE(other.send(get("/slow")));
  EXPECT_EQ(other.receive()->status, 200) << "by the only worker";
  EXPECT_EQ(state_->pulled, 1);
  state_->ready = true;
  EXPECT_TRUE(eventually([&] { return state_->pulled == 2; }));
}

TEST_F(WaitingTest, AHangUpDestroysAWaitingStream) {
  site_.options.half_closed_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/events")));
  ASSERT_TRUE(eventually([&] { return state_->asked > 2; }));
  EXPECT_FALSE(state_->destroyed);
  wire.close();
  EXPECT_TRUE(eventually([&] { return state_->destroyed.load(); }));
}

TEST_F(WaitingTest, StopLetsItSendItsLastEvents) {
  site_.options.drain_time = 2 * kWaitLimit;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/events")));
  ASSERT_TRUE(eventually([&] { return state_->asked > 2; }));
  const auto begin = std::chrono::steady_clock::now();
  std::thread stopper([&] { site_.server().stop(); });
  const auto answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "piecelast");
  EXPECT_TRUE(wire.closes());
  stopper.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kWaitLimit) << "it does not take the whole of its time";
}

TEST_F(LifetimeTest, StopFinishesResponsesInFlight) {
  std::latch release(1);
  site_.options.threads = 1;  // so that all connections know of the shutdown when the idle one is closed
  site_.options.drain_time = 2 * kWaitLimit;
  site_.on("/held", Placement::kWorker, [&](Request& request) {
    ++began_;
    release.wait();
    if (request.gone.stop_requested()) ++gone_;
    return Response::json(200, "\"held\"");
  });
  const auto port = site_.start();
  Wire idle(port), working(port), half(port);
  ASSERT_EQ(idle.ask(get("/hello"))->status, 200);
  ASSERT_TRUE(half.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab"));
  ASSERT_TRUE(working.send(get("/held")));
  ASSERT_TRUE(eventually([&] { return began_ == 1 && site_.bodies_begun() == 1; }));
  std::thread stopper([&] { site_.server().stop(); });
  EXPECT_TRUE(idle.closes()) << "idle connections go at once, while others are still at work";
  EXPECT_TRUE(half.send("cd"));
  const auto whole = half.receive();
  EXPECT_EQ(whole ? whole->body : "none", "abcd") << "a request that has begun is answered";
  release.count_down();
  const auto answer = working.receive();
  stopper.join();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "\"held\"");
  EXPECT_EQ(answer->header("connection"), "close");
  EXPECT_TRUE(working.closes());
  EXPECT_EQ(gone_, 0) << "no request was cancelled";
  EXPECT_EQ(site_.server().counters().connections_open, 0U);
  EXPECT_FALSE(Wire(port).connected()) << "no one listens";
  site_.server().stop();
}

TEST_F(LifetimeTest, StopDoesNotWaitForever) {
  site_.options.drain_time = 1s;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/until-gone")));
  ASSERT_TRUE(eventually([&] { return began_ == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  site_.server().stop();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, 900ms);
  EXPECT_LT(took, kWaitLimit) << "the work alone takes twice as long";
  EXPECT_EQ(gone_, 1) << "the worker was notified";
}

TEST_F(LifetimeTest, TheDestructorStopsHard) {
  site_.options.drain_time = 2 * kWaitLimit;
  Wire wire(site_.start());
  ASSERT_TRUE(wire.send(get("/until-gone")));
  ASSERT_TRUE(eventually([&] { return began_ == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  site_.drop_server();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kWaitLimit) << "an end in order waits longer";
  EXPECT_EQ(gone_, 1);
}

TEST_F(LifetimeTest, ATakenPortIsRefusedWithTheRemedy) {
  const auto port = site_.start();
  TestSite second;
  ServerOptions options = second.options;
  options.port = port;
  const auto refused = Server::start(options, second);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kInvalidRequest);
  EXPECT_NE(refused.error().message.find(std::to_string(port)), std::string::npos);
  EXPECT_NE(refused.error().message.find("--listen"), std::string::npos);
  options.address = "nowhere";
  EXPECT_EQ(Server::start(options, second).error().code, Code::kInvalidRequest);
}

TEST_F(LifetimeTest, StopFreesThePort) {
  const auto port = site_.start();
  Wire wire(port);
  ASSERT_EQ(wire.ask(get("/hello"))->status, 200);
  site_.server().stop();
  site_.options.port = port;
  EXPECT_EQ(site_.start(), port);
  EXPECT_EQ(Wire(port).ask(get("/hello"))->status, 200);
}

std::size_t anonymous_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8));
  }
  return 0;
}

TEST_F(LifetimeTest, TwoThousandIdleConnectionsCostLittle) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8192);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  ASSERT_GE(files.rlim_cur, 4200U) << "this test needs descriptors for both ends; raise `ulimit -n`";
  const auto port = site_.start();
  const auto before = anonymous_kib();
  std::vector<Wire> idle;
  for (int n = 0; n < 2000; ++n) {
    idle.emplace_back(port);
    const auto answer = idle.back().ask(get(format("/hello?{}", n)));
    ASSERT_TRUE(answer.has_value()) << n;
    ASSERT_EQ(answer->body, format("hello {}", n));
  }
  EXPECT_EQ(site_.server().counters().connections_open, 2000U);
  const auto grown = anonymous_kib() - before;
  RecordProperty("kib_per_connection", format("{:.2f}", static_cast<double>(grown) / 2000));
  if (!kSanitized) {
    EXPECT_LT(grown, 2000U * 6) << "KiB for 2000 connections and the test's own ends";
  }
  for (int n = 0; n < 2000; n += 100) EXPECT_EQ(idle[static_cast<std::size_t>(n)].ask(get("/hello?again"))->body, "hello again");
  idle.clear();
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 0; }));
}

TEST_F(LifetimeTest, GoodClientsAreServedAmongBadOnes) {
  const auto port = site_.start();
  std::vector<Wire> bad;
  for (int n = 0; n < 200; ++n) {
    bad.emplace_back(port);
    Wire& wire = bad.back();
    switch (n % 5) {
      case 0:
        wire.send("GET /hel");
        break;  // slow
      case 1:
        break;  // silent
      case 2:
        wire.send("\x01garbage\r\n\r\n");
        break;
      case 3:
        wire.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc");
        break;  // half-sent
      default:
        for (int at = 0; at < 50; ++at) wire.send(get("/hello"));  // pipelines and never reads
        break;
    }
  }
  Wire good(port);
  for (int n = 0; n < 500; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(good.ask(get("/hello?good"))->body, "hello good");
    ASSERT_LT(std::chrono::steady_clock::now() - begin, 1s);
  }
}

TEST_F(LifetimeTest, ServesManyClientThreads) {
  const auto port = site_.start();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      Wire wire(port);
      for (int n = 0; n < 200; ++n) {
        const std::string body = format("{}/{}", thread, n);
        const auto answer = wire.ask(format("POST /{} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{}",
                                            n % 2 ? "echo" : "work-echo", body.size(), body));
        if (answer && answer->body == body) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 1600);
  EXPECT_EQ(site_.server().counters().requests_total, 1600U);
}

}  // namespace
}  // namespace ladder::http::tests
