// Traces through the real program: a caller's traceparent in the access log, in the spans that a collector gets, and in
// requests to another server. The collector is an HTTP server of this process.
#include "http/server.h"
#include "rest_fixture.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <mutex>

namespace ladder::wire {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kParent = "00f067aa0ba902b7";
constexpr std::string_view kOtherTrace = "0af7651916cd43dd8448eb211c80319c";

std::string traceparent(std::string_view trace, std::string_view flags = "01") {
  return format("00-{}-{}-{}", trace, kParent, flags);
}

struct TakenSpan {
  std::string trace, id, parent, name;
  std::int64_t kind = 0;
  bool failed = false;
  boost::json::array attributes;

  std::string attribute(std::string_view key) const {
    for (const auto& each : attributes) {
      if (std::string_view(each.at("key").as_string()) != key) continue;
      const auto& value = each.at("value").as_object();
      return std::string(value.begin()->value().as_string());
    }
    return {};
  }
};

// Accepts batches at /v1/traces; in held mode it answers none until released.
class Collector final : public http::Application {
 public:
  explicit Collector(bool held = false) : held_(held) {
    http::ServerOptions options;
    options.port = 0;
    options.threads = 1;
    options.workers = 1;
    options.drain_time = std::chrono::seconds(0);
    server_ = must(http::Server::start(options, *this));
  }
  // Waits until a batch has arrived, even one that is not yet answered.
  bool wait_for_batch() {
    for (int i = 0; i < 2'400 && asked_ == 0; ++i) ::usleep(25'000);
    return asked_ > 0;
  }
  void let_go() {
    held_ = false;
    held_.notify_all();
  }
  std::string url() const { return format("http://127.0.0.1:{}", server_->port()); }

  // Returns the first span of that name in that trace if it arrives within a minute.
  std::optional<TakenSpan> span(std::string_view name, std::string_view trace) {
    for (int i = 0; i < 2'400; ++i, ::usleep(25'000)) {
      const std::lock_guard lock(mutex_);
      for (const TakenSpan& span : spans_) {
        if (span.name == name && span.trace == trace) return span;
      }
    }
    ADD_FAILURE() << "no span " << name << " in " << text();
    return std::nullopt;
  }
  std::size_t batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  std::string all_text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::string text() const { return text_; }
  std::size_t body_limit(const http::Request&) const override { return 16 * 1024 * 1024; }
  http::Placement placement(http::Request&) const override { return http::Placement::kWorker; }
  http::Response serve(http::Request& request) override {
    ++asked_;
    held_.wait(true);
    EXPECT_EQ(request.path(), "/v1/traces");
    EXPECT_EQ(request.headers.get("Content-Type").value_or(""), "application/json");
    const auto body = boost::json::parse(request.body);
    const std::lock_guard lock(mutex_);
    ++batches_;
    text_ += request.body;
    for (const auto& each : body.at_pointer("/resourceSpans/0/scopeSpans/0/spans").as_array()) {
      const auto& span = each.as_object();
      const auto text_of = [&span](const char* key) {
        return span.contains(key) ? std::string(span.at(key).as_string()) : std::string();
      };
      spans_.push_back({text_of("traceId"), text_of("spanId"), text_of("parentSpanId"), text_of("name"),
                        span.at("kind").as_int64(), span.at("status").as_object().contains("code"),
                        span.at("attributes").as_array()});
    }
    return http::Response::json(200, "{}");
  }
  http::Response refuse(const http::Request*, int status, std::string_view what) override {
    return http::Response::json(status, format(R"({{"what":"{}"}})", what));
  }

  std::atomic<bool> held_;
  std::atomic<int> asked_ = 0;
  std::mutex mutex_;
  std::vector<TakenSpan> spans_;
  std::string text_;
  std::size_t batches_ = 0;
  std::unique_ptr<http::Server> server_;
};

// Constructed before the server, whose flags name it.
struct HasCollector {
  explicit HasCollector(bool held = false) : collector(held) {}
  Collector collector;
};

class Tracing : protected HasCollector, public Rest {
 protected:
  Tracing() : Rest({"--otlp-endpoint", collector.url()}) {
    put("zebra-id", text_member("title", "hippopotamus") + "," + text_member("body", "the third clock strikes"));
  }
  std::string client_token() { return token_for({"work", "notes", {"id", "title", "body"}, {}, {}, {}}); }
  static std::string tool_call(std::string_view name, std::string_view arguments, std::string_view meta = "{}") {
    return format(R"({{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{}","arguments":{},"_meta":{}}}}})", name,
                  arguments, meta);
  }
  Answer call(const std::string& body, const std::string& token, const std::string& parent = {}) {
    http::Headers sent = headers({{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}});
    if (!parent.empty()) sent.set("traceparent", parent);
    return send("POST", "/mcp", token, body, std::move(sent));
  }
};

TEST_P(Tracing, ARequestIsASpanOfItsCallersTrace) {
  const std::string client = client_token();
  ASSERT_EQ(get("/v1/search?q=hippopotamus", client, headers({{"traceparent", traceparent(kTrace)}})).status, 200);
  const auto span = collector.span("GET /v1/search", kTrace);
  ASSERT_TRUE(span);
  EXPECT_EQ(span->parent, kParent);
  EXPECT_NE(span->id, kParent);
  EXPECT_EQ(span->kind, 2);
  EXPECT_FALSE(span->failed);
  EXPECT_EQ(span->attribute("http.route"), "/v1/search");
  EXPECT_EQ(span->attribute("http.response.status_code"), "200");
  EXPECT_NE(log_line_with("/v1/search").find(format("\"trace_id\":\"{}\"", kTrace)), std::string::npos);
  ASSERT_EQ(get("/v1/streams/notes/records/zebra-id", client, headers({{"traceparent", traceparent(kOtherTrace)}})).status, 200);
  ASSERT_TRUE(collector.span("GET /v1/streams/{stream}/records/{id}", kOtherTrace));
  for (const char* secret : {"hippopotamus", "zebra-id", "local", "agent"}) {
    EXPECT_EQ(collector.all_text().find(secret), std::string::npos) << secret;
  }
  EXPECT_NE(get("/metrics", "").text.find("ladder_spans_total{outcome=\"sent\"} "), std::string::npos);
}

TEST_P(Tracing, UnsampledTracesSendNoSpans) {
  const std::string client = client_token();
  ASSERT_EQ(get("/v1/search?q=x", client, headers({{"traceparent", traceparent(kTrace, "00")}})).status, 200);
  ASSERT_EQ(get("/v1/search?q=x", client, headers({{"traceparent", traceparent(kOtherTrace)}})).status, 200);
  ASSERT_TRUE(collector.span("GET /v1/search", kOtherTrace));
  EXPECT_EQ(collector.all_text().find(kTrace), std::string::npos);
}

TEST_P(Tracing, AToolCallIsASpanOfItsMessagesTrace) {
  const std::string client = client_token();
  (void)call(tool_call("search", R"({"query":"hippopotamus"})", format(R"({{"traceparent":"{}"}})", traceparent(kOtherTrace))),
             client, traceparent(kTrace));
  const auto request = collector.span("POST /mcp", kTrace);
  const auto tool = collector.span("tools/call search", kOtherTrace);
  ASSERT_TRUE(request && tool);
  EXPECT_EQ(tool->parent, kParent);
  EXPECT_EQ(tool->attribute("mcp.method.name"), "tools/call");
  EXPECT_EQ(tool->attribute("gen_ai.tool.name"), "search");
  EXPECT_EQ(tool->attribute("jsonrpc.request.id"), "7");
  EXPECT_EQ(tool->attribute("network.transport"), "tcp");
  EXPECT_NE(log_line_with("tools/call").find(format("\"trace_id\":\"{}\"", kOtherTrace)), std::string::npos);
}

TEST_P(Tracing, WithoutATraceItIsBelowItsRequestAndErrorsAreReported) {
  const std::string client = client_token();
  (void)call(tool_call("fetch", R"({"id":"work/notes:none"})"), client, traceparent(kTrace));
  const auto request = collector.span("POST /mcp", kTrace);
  const auto tool = collector.span("tools/call fetch", kTrace);
  ASSERT_TRUE(request && tool);
  EXPECT_EQ(tool->parent, request->id);
  EXPECT_TRUE(tool->failed);
  EXPECT_EQ(tool->attribute("error.type"), "tool_error");
  EXPECT_FALSE(request->failed);
}

// ladder mcp --provider-url → ladder serve: one trace with two spans, the server's below the client's.
TEST_P(Tracing, AnotherServerGetsTheTraceWithANewSpan) {
  const std::string client = client_token();
  char folder[] = "/tmp/ladder-trace-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string input = std::string(folder) + "/in";
  std::ofstream(input) << tool_call("fetch", R"({"id":"work/notes:zebra-id"})",
                                    format(R"({{"traceparent":"{}","tracestate":"v=1"}})", traceparent(kTrace)))
                       << "\n";
  const auto finished = test_support::run({LADDER_BINARY, "mcp", "--provider-url", format("http://127.0.0.1:{}", port()),
                                           "--cache-root", std::string(folder) + "/cache", "--otlp-endpoint", collector.url()},
                                          {input, {"LADDER_TOKEN=" + client}});
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("the third clock"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find(format("\"trace_id\":\"{}\"", kTrace)), std::string::npos) << finished.output;
  const auto tool = collector.span("tools/call fetch", kTrace);
  const auto sent = collector.span("GET", kTrace);
  const auto taken = collector.span("GET /v1/streams/{stream}/records/{id}", kTrace);
  ASSERT_TRUE(tool && sent && taken);
  EXPECT_EQ(tool->parent, kParent);
  EXPECT_EQ(tool->attribute("network.transport"), "pipe");
  EXPECT_EQ(sent->kind, 3);
  EXPECT_EQ(sent->parent, tool->id);
  EXPECT_NE(taken->parent, kParent);
  EXPECT_NE(collector.all_text().find(format("\"spanId\":\"{}\"", taken->parent)), std::string::npos) << "a span of the client's";
  EXPECT_EQ(collector.all_text().find("zebra-id"), std::string::npos);
  ::unlink(input.c_str());
  test_support::run({"/bin/rm", "-r", folder});
}

LADDER_FOR_EVERY_ENGINE(Tracing);

class SlowCollector : protected HasCollector, public Rest {
 protected:
  SlowCollector() : HasCollector(true), Rest({"--otlp-endpoint", collector.url()}) {}
  ~SlowCollector() override { collector.let_go(); }
};

TEST_P(SlowCollector, DelaysNoResponse) {
  const std::string client = token_for({"work", "notes", {"id"}, {}, {}, {}});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(get("/healthz", client).status, 200);
  ASSERT_TRUE(collector.wait_for_batch());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(get("/healthz", client).status, 200);
  end_serving();
  EXPECT_EQ(collector.batches(), 0U) << "it has answered nothing all the time";
}

LADDER_FOR_EVERY_ENGINE(SlowCollector);

}  // namespace
}  // namespace ladder::wire
