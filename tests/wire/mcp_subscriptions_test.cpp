// subscriptions/listen of the real program over HTTP: an event stream that begins with the honored subscriptions,
// carries changes and ends gracefully.
#include "http/server.h"
#include "rest_fixture.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace ladder::wire {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr auto kQuiet = 2500ms;   // longer than the watch interval
constexpr auto kWaitLimit = 60s;  // for a message that must arrive

std::string listen_body(std::string_view id, std::string_view notifications) {
  return format(
      R"({{"jsonrpc":"2.0","id":{},"method":"subscriptions/listen","params":{{"notifications":{},"_meta":{{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
      id, notifications);
}

// A client that reads an event stream incrementally.
class Listener {
 public:
  Listener(std::uint16_t port, const std::string& token, const std::string& body,
           std::string_view accept = "application/json, text/event-stream") {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    const std::string request = format(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: {}\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{}",
        port, token, accept, body.size(), body);
    EXPECT_EQ(::send(socket_, request.data(), request.size(), MSG_NOSIGNAL), std::ssize(request));
    while (bytes_.find("\r\n\r\n") == std::string::npos && fill(kWaitLimit)) continue;
    const std::size_t end = bytes_.find("\r\n\r\n");
    head = bytes_.substr(0, end);
    bytes_.erase(0, end == std::string::npos ? end : end + 4);
  }
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // Returns the next message; null if none comes within the limit. Skips chunk headers and comments.
  boost::json::value next(std::chrono::milliseconds wait_limit = kWaitLimit) {
    constexpr std::string_view kData = "data: ";
    const auto until = std::chrono::steady_clock::now() + wait_limit;
    for (;;) {
      const std::size_t data = bytes_.find(kData);
      const std::size_t end = data == std::string::npos ? data : bytes_.find("\n\n", data);
      if (end != std::string::npos) {
        const std::string text = bytes_.substr(data + kData.size(), end - data - kData.size());
        bytes_.erase(0, end + 2);
        return boost::json::parse(text);
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left <= 0ms || !fill(left)) return nullptr;
    }
  }
  // Returns true if the body ends here, gracefully and without more data.
  bool ends() {
    while (bytes_.find("0\r\n\r\n") == std::string::npos && fill(kWaitLimit)) continue;
    return bytes_.ends_with("0\r\n\r\n") && bytes_.find("data:") == std::string::npos;
  }

  std::string head;

 private:
  bool fill(std::chrono::milliseconds wait_limit) {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(wait_limit.count())) != 1) return false;
    char piece[4096];
    const ssize_t got = ::recv(socket_, piece, sizeof(piece), 0);
    if (got <= 0) return false;
    bytes_.append(piece, static_cast<std::size_t>(got));
    return true;
  }

  int socket_ = -1;
  std::string bytes_;
};

std::string method_of(const boost::json::value& message) {
  return message.is_object() ? std::string(message.at("method").as_string()) : "none";
}

class McpListens : public Rest {
 protected:
  McpListens() { put("n1", text_member("body", "the third clock") + "," + text_member("secret", "hidden")); }
};

TEST_P(McpListens, VisibleChangesAreSentAsEvents) {
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {"n1"}});
  Listener listener(port(), token,
                    listen_body("5", R"({"promptsListChanged":true,"resourceSubscriptions":["pdpp://stream/notes"]})"));
  EXPECT_TRUE(listener.head.starts_with("HTTP/1.1 200")) << listener.head;
  EXPECT_NE(listener.head.find("Content-Type: text/event-stream"), std::string::npos) << listener.head;
  EXPECT_NE(listener.head.find("X-Accel-Buffering: no"), std::string::npos) << listener.head;
  EXPECT_EQ(boost::json::serialize(listener.next()),
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)"
            R"({"resourceSubscriptions":["pdpp://stream/notes"]},"_meta":{"io.modelcontextprotocol/subscriptionId":5}}})");
  put("n1", text_member("body", "the fourth clock"));
  EXPECT_EQ(boost::json::serialize(listener.next()),
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"pdpp://stream/notes",)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":5}}})");
  put("n2", text_member("body", "somebody else's"));
  put("n1", text_member("body", "the fourth clock") + "," + text_member("secret", "another"));
  EXPECT_TRUE(listener.next(kQuiet).is_null());
}

TEST_P(McpListens, TheEndOfTheGrantEndsTheStreamGracefully) {
  const server::IssuedGrants issued = issue({{"work", "notes", {"id", "body"}, {}, {}, {}}});
  Listener listener(port(), issued.token, listen_body("\"x\"", R"({"resourcesListChanged":true})"));
  EXPECT_EQ(method_of(listener.next()), "notifications/subscriptions/acknowledged");
  must(server().grants().revoke(owner(), issued.grant_ids.front()));
  EXPECT_EQ(method_of(listener.next()), "notifications/resources/list_changed");
  const auto last = listener.next();
  ASSERT_TRUE(last.is_object());
  EXPECT_EQ(last.at("id").as_string(), "x");
  EXPECT_EQ(last.at("result").at("resultType").as_string(), "complete");
  EXPECT_EQ(last.at("result").at("_meta").at("io.modelcontextprotocol/subscriptionId").as_string(), "x");
  EXPECT_TRUE(listener.ends());
}

TEST_P(McpListens, AStoppingServerSaysSoAtOnce) {
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  Listener listener(port(), token, listen_body("1", R"({"resourcesListChanged":true})"));
  EXPECT_EQ(method_of(listener.next()), "notifications/subscriptions/acknowledged");
  const auto begin = std::chrono::steady_clock::now();
  stop_serving();
  const auto last = listener.next();
  ASSERT_TRUE(last.is_object());
  EXPECT_EQ(last.at("result").at("resultType").as_string(), "complete");
  EXPECT_TRUE(listener.ends());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, http::ServerOptions().drain_time)
      << "it does not wait for clients that listen";
}

TEST_P(McpListens, AtMostEightPerClientAndClosedOnesDoNotCount) {
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  std::vector<std::unique_ptr<Listener>> open;
  const auto add = [&] {
    open.push_back(std::make_unique<Listener>(port(), token, listen_body("1", R"({"resourcesListChanged":true})")));
    return open.back()->head.find("text/event-stream") != std::string::npos;
  };
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(add()) << i;
  EXPECT_FALSE(add());
  EXPECT_TRUE(open.back()->head.starts_with("HTTP/1.1 200")) << "an error of the protocol travels in band";
  const std::string other = token_for({"work", "notes", {"id", "title"}, {}, {}, {}});
  open.erase(open.begin(), open.begin() + 4);
  bool added = false;
  for (int tries = 0; tries < 600 && !added; ++tries) {
    std::this_thread::sleep_for(100ms);
    added = add();
  }
  EXPECT_TRUE(added);
}

TEST_P(McpListens, AClientWithoutEventStreamsIsRefused) {
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  const Listener listener(port(), token, listen_body("1", "{}"), "application/json");
  EXPECT_TRUE(listener.head.starts_with("HTTP/1.1 406")) << listener.head;
}

// Other clients are served normally while some listen: listening occupies no worker.
TEST_P(McpListens, ListeningTakesNoWorkers) {
  std::vector<std::unique_ptr<Listener>> open;
  for (int client = 0; client < 8; ++client) {
    server::GrantRequest request;
    request.client_id = format("agent{}", client);
    request.streams = {{"work", "notes", {"id", "body"}, {}, {}, {}}};
    const std::string token = must(server().grants().create(owner(), request)).token;
    for (int i = 0; i < 8; ++i) {
      open.push_back(
          std::make_unique<Listener>(port(), token, listen_body("1", R"({"resourceSubscriptions":["pdpp://stream/notes"]})")));
      EXPECT_EQ(method_of(open.back()->next()), "notifications/subscriptions/acknowledged");
    }
  }
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(get("/v1/streams/notes/records", token).status, 200);
  put("n1", text_member("body", "the fourth clock"));
  for (const auto& listener : open) EXPECT_EQ(method_of(listener->next()), "notifications/resources/updated");
}

LADDER_FOR_EVERY_ENGINE(McpListens);

}  // namespace
}  // namespace ladder::wire
