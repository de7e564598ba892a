// The loop over two pipes: order, cancellation, limits and shutdown.
#include "mcp/protocol/stdio.h"
#include "mcp/protocol/message.h"
#include "protocol_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <thread>

namespace ladder::mcp_tests {
namespace {

using namespace std::chrono_literals;

constexpr auto kWaitLimit = 60s;  // for events that must happen, however busy the machine is

// A server at the other end of two pipes.
class Stdio : public ::testing::Test {
 protected:
  explicit Stdio(bool blocks = true) : server_(book_options(), book_tools()) {
    std::signal(SIGPIPE, SIG_IGN);
    int down[2], up[2];
    EXPECT_EQ(::pipe2(down, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(up, O_CLOEXEC), 0);
    if (!blocks) {  // non-blocking on the server's side only, as from hosts with an event loop
      for (const int end : {down[0], up[1]}) EXPECT_EQ(::fcntl(end, F_SETFL, O_NONBLOCK), 0);
    }
    to_server_ = down[1];
    from_server_ = up[0];
    serving_ = std::thread([this, in = down[0], out = up[1]] {
      mcp::serve_stdio(server_, books_, {in, out, [this](const mcp::LogLine& line, std::chrono::microseconds) {
                                           const std::lock_guard lock(mutex_);
                                           log_.push_back(line);
                                         }});
      ::close(in);
      ::close(out);
    });
  }
  ~Stdio() override {
    end();
    hang_up();
  }

  void send(const std::string& text) {
    for (std::string_view left = text; !left.empty();) {
      const auto written = ::write(to_server_, left.data(), left.size());
      ASSERT_GT(written, 0);
      left.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void line(const std::string& text) { send(text + "\n"); }

  // Returns the next line; empty at the end, or if none comes.
  std::string read_line(std::chrono::milliseconds wait_limit = kWaitLimit) {
    for (;;) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return text;
      }
      pollfd watched{from_server_, POLLIN, 0};
      if (::poll(&watched, 1, static_cast<int>(wait_limit.count())) <= 0) return {};
      char piece[65536];
      const auto got = ::read(from_server_, piece, sizeof piece);
      if (got <= 0) return {};
      buffer_.append(piece, static_cast<std::size_t>(got));
    }
  }
  boost::json::value read_reply() {
    const std::string text = read_line();
    return text.empty() ? boost::json::value() : boost::json::parse(text);
  }
  std::string call(std::string_view id) { return message(id, "tools/call", R"("name":"search")"); }

  // Closes the input and waits until the server has ended.
  void end() {
    if (to_server_ >= 0) ::close(std::exchange(to_server_, -1));
    if (serving_.joinable()) serving_.join();
  }
  void wait_until_stopped() {
    for (int tries = 0; tries < 6000 && books().stopped() == 0; ++tries) std::this_thread::sleep_for(10ms);
  }
  void hang_up() {
    if (from_server_ >= 0) ::close(std::exchange(from_server_, -1));
  }
  std::vector<mcp::LogLine> log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  BookPort& books() { return books_; }

 private:
  BookPort books_;
  mcp::Server server_;
  int to_server_ = -1, from_server_ = -1;
  std::string buffer_;
  std::mutex mutex_;
  std::vector<mcp::LogLine> log_;
  std::thread serving_;
};

class NonBlockingStdio : public Stdio {
 protected:
  NonBlockingStdio() : Stdio(false) {}
};

TEST_F(NonBlockingStdio, WaitsInBothDirections) {
  std::this_thread::sleep_for(100ms);  // nothing to read yet
  line(message("0", "initialize", R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 0);
  const std::string list = message("1", "tools/list");
  send(list.substr(0, 10));
  std::this_thread::sleep_for(50ms);
  send(list.substr(10) + "\n");
  const std::size_t bytes = read_line().size();
  ASSERT_GT(bytes, 0U);
  // More responses than a pipe holds while the host does not read.
  const std::size_t many = 200'000 / bytes + 2;
  for (std::size_t i = 0; i < many; ++i) {
    line(message(std::to_string(100 + i), "tools/list"));
    if (i % 16 == 0) std::this_thread::sleep_for(5ms);
  }
  std::this_thread::sleep_for(200ms);
  std::set<std::int64_t> ids;
  for (std::size_t i = 0; i < many; ++i) {
    const auto reply = read_reply();
    ASSERT_TRUE(reply.is_object()) << "after " << i;
    ids.insert(reply.at("id").as_int64());
  }
  EXPECT_EQ(ids.size(), many);
  end();
}

TEST_F(NonBlockingStdio, EndsWhenTheOutputCloses) {
  line(message("0", "initialize", R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 0);
  hang_up();
  line(message("1", "tools/list"));
  end();
}

TEST_F(Stdio, CarriesALegacyConversation) {
  line(message("0", "initialize", R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(read_reply().at("result").at("protocolVersion").as_string(), "2025-06-18");
  line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  line(message("1", "tools/list"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 1);
  line(modern("2", "tools/list"));
  EXPECT_FALSE(read_reply().at("result").as_object().contains("resultType")) << "legacy for the rest of its life";
  line("[" + message("3", "ping") + "]");
  EXPECT_EQ(read_reply().at("error").at("code").as_int64(), -32600) << "2025-06-18 has no arrays";
  end();
  const auto lines = log();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].method, "initialize");
}

TEST_F(Stdio, CarriesAModernConversation) {
  line(modern("0", "server/discover"));
  EXPECT_EQ(read_reply().at("result").at("resultType").as_string(), "complete");
  line(message("1", "initialize", R"("protocolVersion":"2025-06-18")"));
  EXPECT_EQ(read_reply().at("error").at("code").as_int64(), -32602);
  line(modern("2", "nothing/here"));
  EXPECT_EQ(read_reply().at("error").at("code").as_int64(), -32601) << "never silent";
}

TEST_F(Stdio, AnUnknownVersionNegotiatesNothing) {
  line(message(
      "0", "server/discover",
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}})"));
  EXPECT_EQ(read_reply().at("error").at("code").as_int64(), -32022);
  line(message("1", "initialize", R"("protocolVersion":"2025-11-25")"));
  EXPECT_EQ(read_reply().at("result").at("protocolVersion").as_string(), "2025-11-25");
}

TEST_F(Stdio, AcceptsLinesInAnyPieces) {
  const std::string ping = message("1", "ping");
  send(ping.substr(0, 10));
  std::this_thread::sleep_for(20ms);
  send(ping.substr(10) + "\r\n\n  \n" + message("2", "ping") + "\n" + ping.substr(0, 20));
  std::set<std::int64_t> ids = {read_reply().at("id").as_int64(), read_reply().at("id").as_int64()};
  EXPECT_EQ(ids, (std::set<std::int64_t>{1, 2}));
  send(ping.substr(20));  // without a line end
  end();
  EXPECT_EQ(read_reply().at("id").as_int64(), 1) << "a message without a line end counts at the end of the input";
}

TEST_F(Stdio, AnInvalidMessageIsRefusedAndTheNextOneAnswered) {
  for (const char* text : {"nonsense", "{", "7", "\xFF\xFE", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"}) {
    line(text);
    const auto reply = read_reply();
    EXPECT_TRUE(reply.as_object().contains("error")) << text;
    EXPECT_FALSE(reply.as_object().contains("id")) << text;
  }
  line(message("1", "ping"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 1);
}

TEST_F(Stdio, ATooLongLineIsSkipped) {
  std::thread writer([&] {
    line(std::string(mcp::kMaxLineBytes + 1, 'x'));
    line(message("1", "ping"));
    line(message("2", "ping", "\"x\":\"" + std::string(mcp::kMaxLineBytes - 100, 'x') + "\""));
  });
  EXPECT_EQ(read_reply().at("error").at("code").as_int64(), -32600);
  EXPECT_EQ(read_reply().at("id").as_int64(), 1);
  EXPECT_EQ(read_reply().at("id").as_int64(), 2) << "a long one within the limit is fine";
  writer.join();
}

TEST_F(Stdio, RequestsRunConcurrently) {
  books().hold_searches();
  line(call("1"));
  ASSERT_TRUE(books().wait_for_held(1));
  line(message("2", "ping"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 2);
  books().release_searches();
  EXPECT_EQ(read_reply().at("id").as_int64(), 1);
}

TEST_F(Stdio, ACancelledRequestStopsAndIsNotAnswered) {
  books().hold_searches();
  line(call("\"a\""));
  line(call("0"));
  ASSERT_TRUE(books().wait_for_held(2));
  line(message("", "notifications/cancelled", R"("requestId":"\u0061","reason":"enough")"));
  line(message("", "notifications/cancelled", R"("requestId":"0")"));  // a different id than 0
  line(message("", "notifications/cancelled", R"("requestId":99)"));
  wait_until_stopped();
  EXPECT_EQ(books().stopped(), 1);
  books().release_searches();
  EXPECT_EQ(read_reply().at("id").as_int64(), 0);
  line(message("5", "ping"));
  EXPECT_EQ(read_reply().at("id").as_int64(), 5) << "nothing about \"a\" in between";
  end();
  EXPECT_EQ(read_line(), "");
  std::map<std::string, std::string> outcomes;
  for (const auto& entry : log()) outcomes[entry.id] = entry.outcome;
  EXPECT_EQ(outcomes["\"a\""], "cancelled");
  EXPECT_EQ(outcomes["0"], "ok");
}

TEST_F(Stdio, CancellationsWorkWithEveryThreadBusy) {
  books().hold_searches();
  constexpr int kRunning = static_cast<int>(mcp::kStdioThreads) - 1;
  for (int id = 0; id < kRunning + 3; ++id) line(call(std::to_string(id)));
  ASSERT_TRUE(books().wait_for_held(kRunning));
  line(message("", "notifications/cancelled", R"("requestId":0)"));                               // running
  line(message("", "notifications/cancelled", "\"requestId\":" + std::to_string(kRunning + 2)));  // queued
  wait_until_stopped();
  EXPECT_EQ(books().stopped(), 1);
  books().release_searches();
  std::set<std::int64_t> answered;
  for (int replies = 0; replies < kRunning + 1; ++replies) answered.insert(read_reply().at("id").as_int64());
  EXPECT_FALSE(answered.contains(0));
  EXPECT_FALSE(answered.contains(kRunning + 2));
  end();
  EXPECT_EQ(read_line(), "");
}

TEST_F(Stdio, ExcessRequestsAreReadLaterAndNoneFails) {
  books().hold_searches();
  constexpr int kSent = 200;
  static_assert(kSent > 2 * static_cast<int>(mcp::kStdioThreads + mcp::kStdioQueue));
  for (int id = 0; id < kSent; ++id) line(call(std::to_string(id)));
  ASSERT_TRUE(books().wait_for_held(static_cast<int>(mcp::kStdioThreads) - 1));
  books().release_searches();
  std::set<std::int64_t> answered;
  for (int replies = 0; replies < kSent; ++replies) {
    const auto reply = read_reply();
    answered.insert(reply.at("id").as_int64());
    EXPECT_FALSE(reply.at("result").as_object().contains("isError")) << boost::json::serialize(reply);
  }
  EXPECT_EQ(answered.size(), static_cast<std::size_t>(kSent));
}

TEST_F(Stdio, EndOfInputLetsRunningWorkFinish) {
  for (int id = 0; id < 20; ++id) line(call(std::to_string(id)));
  end();
  std::set<std::int64_t> answered;
  for (int replies = 0; replies < 20; ++replies) answered.insert(read_reply().at("id").as_int64());
  EXPECT_EQ(answered.size(), 20U);
}

TEST_F(Stdio, EndOfInputStopsEndlessWork) {
  books().hold_searches();
  line(call("1"));
  ASSERT_TRUE(books().wait_for_held(1));
  const auto begin = std::chrono::steady_clock::now();
  end();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kWaitLimit);
  EXPECT_EQ(books().stopped(), 1);
  EXPECT_EQ(read_line(), "");
}

TEST_F(Stdio, WorkStopsWhenTheOutputCloses) {
  books().hold_searches();
  line(call("1"));
  ASSERT_TRUE(books().wait_for_held(1));
  hang_up();
  line(message("2", "ping"));
  wait_until_stopped();
  EXPECT_EQ(books().stopped(), 1);
  const auto begin = std::chrono::steady_clock::now();
  end();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kWaitLimit);
}

TEST_F(Stdio, ConcurrentRequestsAreAllAnsweredOnce) {
  constexpr int kMany = 2000;
  std::thread writer([&] {
    for (int id = 0; id < kMany; ++id) line(message(std::to_string(id), id % 3 == 0 ? "tools/list" : "ping"));
  });
  std::set<std::int64_t> answered;
  int refused = 0;
  for (int replies = 0; replies < kMany; ++replies) {
    const auto reply = read_reply();
    ASSERT_TRUE(reply.is_object());
    EXPECT_TRUE(answered.insert(reply.at("id").as_int64()).second);
    if (reply.as_object().contains("error")) ++refused;
  }
  writer.join();
  EXPECT_EQ(answered.size(), static_cast<std::size_t>(kMany));
  EXPECT_LT(refused, kMany);
}

}  // namespace
}  // namespace ladder::mcp_tests
