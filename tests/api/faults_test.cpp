// Server and network failures: every operation ends with a typed error that names the server and the failure, never
// with a crash, a guess or an endless wait.
#include "both_ports.h"
#include "http/certificates.h"
#include "support/reference_server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace ladder::api_tests {
namespace {

using http::Response;
using test_support::ReferenceServer;

// Calls every operation once and returns the errors.
std::vector<std::pair<std::string, Error>> errors_of(api::ResourcePort& port, std::stop_token stop = {}) {
  std::vector<std::pair<std::string, Error>> errors;
  const auto note = [&](std::string name, const auto& result) {
    EXPECT_FALSE(result) << name;
    if (!result) errors.emplace_back(std::move(name), result.error());
  };
  api::RecordsRequest records;
  records.stream = "notes";
  api::RecordRequest record;
  record.record = {"cin_a", "notes", "n1"};
  api::AggregateRequest aggregate;
  aggregate.stream = "notes";
  note("schema", port.schema({}, stop));
  note("records", port.records(records, stop));
  note("record", port.record(record, stop));
  note("aggregate", port.aggregate(aggregate, stop));
  note("search", port.search({"word", {}, {}, {}, {}, {}}, stop));
  note("field window", port.field_window({{"cin_a", "notes", "n1"}, "body", {}}, stop));
  return errors;
}

class Faults : public ::testing::Test {
 protected:
  Faults() : port(remote_port(server.url(), server.token)) { static_cast<void>(server.calls()); }
  void answer_with(Response (*make)()) {
    server.instead = [make](const http::Request&) { return make(); };
  }
  void expect_everywhere(Code code) {
    for (const auto& [operation, error] : errors_of(*port)) {
      EXPECT_EQ(error.code, code) << operation << ": " << error.message;
      EXPECT_NE(error.message.find(server.url()), std::string::npos) << error.message;
      EXPECT_NE(error.message.find(operation), std::string::npos) << error.message;
    }
  }

  ReferenceServer server;
  std::unique_ptr<remote::RemotePort> port;
};

TEST_F(Faults, ReportsInvalidResponses) {
  for (const char* const body :
       {"", "<html>busy</html>", "{", "[1,2", "\"text\"", "17", "null", "{}", R"({"data":7})", R"({"data":{"x":1}})",
        R"({"object":"list","data":[7]})", R"({"connectors":[{"streams":[{"granted_connections":[{}]}]}],"data":[{"id":{}},7]})",
        R"({"field":{},"window":{"text":5},"data":[{"data":[]},7],"groups":{},"connectors":{}})", "{\"data\":\"\xff\"}"}) {
    server.instead = [body](const http::Request&) { return Response::json(200, body); };
    expect_everywhere(Code::kRsProtocol);
  }
}

TEST_F(Faults, RejectsImpossibleWindows) {
  for (const char* const window :
       {R"({"text":"abc","total_chars":2,"start_chars":0})", R"({"text":"abc","total_chars":9,"start_chars":-1})",
        R"({"text":"abc","total_chars":-9,"start_chars":0})", R"({"text":"abc","total_chars":9,"start_chars":9})",
        R"({"text":"abc","total_chars":1e300,"start_chars":0})", R"({"total_chars":9,"start_chars":0})",
        R"({"text":"abc","total_chars":9223372036854775807,"start_chars":9223372036854775807})",
        R"({"text":"abc","total_chars":9,"start_chars":3,"match_start_chars":1,"match_end_chars":2})"}) {
    server.instead = [window](const http::Request&) {
      return Response::json(200, format(R"({{"field":{{"path":"body"}},"window":{}}})", window));
    };
    const auto read = port->field_window({{"cin_a", "notes", "n1"}, "body", {}}, {});
    ASSERT_FALSE(read) << window;
    EXPECT_EQ(read.error().code, Code::kRsProtocol) << window;
  }
  server.instead = [](const http::Request&) {  // returns more than was requested; the port must not pass it on
    return Response::json(200, R"({"field":{},"window":{"text":"0123456789","total_chars":10,"start_chars":0}})");
  };
  const auto cut = must(port->field_window({{"cin_a", "notes", "n1"}, "body", test_support::at_offset(0, 4)}, {}));
  EXPECT_EQ(cut.text, "0123");
  EXPECT_TRUE(cut.has_more());
  EXPECT_FALSE(cut.next_cursor.empty());
}

TEST_F(Faults, RejectsWindowsOfAnotherValue) {
  for (const char* const named : {R"("stream":"other","field":{})", R"("record_id":"n2","field":{})",
                                  R"("connection_id":"cin_b","field":{})", R"("field":{"path":"secret"})"}) {
    server.instead = [named](const http::Request&) {
      return Response::json(200, format(R"({{{},"window":{{"text":"abc","total_chars":3,"start_chars":0}}}})", named));
    };
    const auto read = port->field_window({{"cin_a", "notes", "n1"}, "body", {}}, {});
    ASSERT_FALSE(read) << named;
    EXPECT_EQ(read.error().code, Code::kRsProtocol) << named;
    EXPECT_NE(read.error().message.find("not the requested one"), std::string::npos) << read.error().message;
  }
}

TEST_F(Faults, MapsRefusalsWithoutAnEnvelope) {
  answer_with([] {
    Response response;
    response.status = 502;
    response.body = "<html>bad gateway</html>";
    return response;
  });
  for (const auto& [operation, error] : errors_of(*port)) {
    EXPECT_EQ(error.code, Code::kStoreUnavailable) << operation;
    EXPECT_EQ(error.more->rule, "http_502");
    EXPECT_NE(error.message.find(server.url()), std::string::npos) << error.message;
  }
  answer_with([] { return Response::json(401, R"({"error":"invalid_token","error_description":"It ran out"})"); });
  for (const auto& [operation, error] : errors_of(*port)) {
    EXPECT_EQ(error.code, Code::kAuthentication) << operation;
    EXPECT_EQ(error.more->rule, "invalid_token");
    EXPECT_EQ(error.message, "It ran out");
  }
  answer_with([] {
    Response response = Response::json(302, "{}");
    response.headers.set("Location", "https://elsewhere.example/");
    return response;
  });
  expect_everywhere(Code::kRsProtocol);
}

TEST_F(Faults, ReportsAnUnreachableServer) {
  std::string url;
  {
    const ReferenceServer gone;
    url = gone.url();
  }
  const auto unreachable = remote_port(url, std::make_shared<KnownClientToken>("t"));
  for (const auto& [operation, error] : errors_of(*unreachable)) {
    EXPECT_EQ(error.code, Code::kRsUnreachable) << error.message;
    EXPECT_NE(error.message.find(url), std::string::npos) << error.message;
    EXPECT_TRUE(error.message.starts_with(operation)) << error.message;
  }
}

TEST_F(Faults, ReportsATimeout) {
  std::stop_source release;
  const auto requests = std::make_shared<std::atomic<int>>(0);
  // Copies: a server thread may outlive this test's body.
  server.instead = [release, requests](const http::Request& request) {
    ++*requests;
    while (!release.stop_requested() && !request.gone.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return Response::json(200, "{}");
  };
  const auto impatient =
      remote_port(server.url(), std::make_shared<KnownClientToken>(server.token), std::chrono::milliseconds(100));
  const auto late = impatient->search({"word", {}, {}, {}, {}, {}}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kRsTimeout) << late.error().message;

  const int before = *requests;
  std::stop_source stop;
  std::jthread caller([&] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (*requests == before && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    stop.request_stop();
  });
  const auto begun = std::chrono::steady_clock::now();
  const auto cancelled = port->search({"word", {}, {}, {}, {}, {}}, stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << "before the timeout";
  release.request_stop();
}

TEST_F(Faults, ReportsTooLargeResponses) {
  server.instead = [](const http::Request&) { return Response::json(200, "{\"data\":[" + std::string(200'000, ' ') + "]}"); };
  remote::RemoteOptions options;
  options.endpoint = must(remote::parse_endpoint(server.url()));
  options.credentials = std::make_shared<remote::FixedToken>("t");
  options.max_body_bytes = 100'000;
  const auto small = must(remote::RemotePort::create(options));
  for (const auto& [operation, error] : errors_of(*small)) {
    EXPECT_EQ(error.code, Code::kResourceLimit) << error.message;
    EXPECT_NE(error.message.find(server.url()), std::string::npos) << error.message;
  }
}

TEST_F(Faults, ReportsATruncatedResponse) {
  class Half final : public http::BodyStream {
   public:
    Result<bool> next(std::string& piece) override {
      if (sent_) return fail(Code::kInternal, "the line is cut");
      sent_ = true;
      piece = R"({"data":[)";
      return true;
    }

   private:
    bool sent_ = false;
  };
  answer_with([] {
    Response response = Response::json(200, "");
    response.stream = std::make_unique<Half>();
    response.content_length = 1'000;
    return response;
  });
  expect_everywhere(Code::kRsProtocol);
}

TEST_F(Faults, AcceptsOnlyTrustedCertificates) {
  const test_support::ScratchFolder folder;
  const auto certificate = http::tests::make_certificate(folder.path(), "server", "IP:127.0.0.1");
  http::ServerOptions options;
  options.certificate_file = certificate.certificate_file;
  options.key_file = certificate.key_file;
  ReferenceServer secret(options);
  secret.records.push_back({"cin_a", "notes", "n1", R"({"id":"n1","body":"text"})"});
  const auto read = [&](const std::string& ca_file) {
    remote::RemoteOptions over_tls;
    over_tls.endpoint = must(remote::parse_endpoint(secret.url()));
    over_tls.credentials = std::make_shared<remote::FixedToken>(secret.token);
    over_tls.ca_file = ca_file;
    return must(remote::RemotePort::create(over_tls))->field_window({{"cin_a", "notes", "n1"}, "body", {}}, {});
  };
  EXPECT_EQ(must(read(certificate.certificate_file)).text, "text");
  const auto refused = read("");  // a system error that the operating system does not describe
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRsProtocol) << refused.error().message;
  EXPECT_NE(refused.error().message.find("certificate"), std::string::npos) << refused.error().message;
}

// The token is replaced while a request is under way.
TEST_F(Faults, ARefusedTokenIsReadOnceMore) {
  class Refreshed final : public remote::Credentials {
   public:
    Result<std::string> token() override { return std::string("old"); }
    std::optional<std::string> instead_of(const std::string& refused) override {
      return refused == "old" ? std::optional<std::string>("reference-token") : std::nullopt;
    }
    bool is_known_client(const std::string&) override { return true; }
    std::string grant_id() const override { return {}; }
    std::string origin() const override { return "of a test"; }
  };
  server.records.push_back({"cin_a", "notes", "n1", R"({"id":"n1","body":"text"})"});
  const auto refreshed = remote_port(server.url(), std::make_shared<Refreshed>());
  EXPECT_EQ(must(refreshed->field_window({{"cin_a", "notes", "n1"}, "body", {}}, {})).text, "text");
  const auto calls = server.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].authorization, "Bearer old");
  EXPECT_EQ(calls[1].authorization, "Bearer reference-token");
  server.token = "another";
  EXPECT_EQ(refreshed->search({"word", {}, {}, {}, {}, {}}, {}).error().code, Code::kAuthentication);
  EXPECT_EQ(server.calls().size(), 2U) << "once, and then it is said";
}

// Other servers' error formats (PDPP "servers and adapters").
TEST_F(Faults, AcceptsOtherErrorFormats) {
  const auto say = [&](std::string body) {
    server.instead = [body = std::move(body)](const http::Request&) { return Response::json(200, body); };
  };
  api::RecordsRequest request;
  request.stream = "notes";
  for (const char* const body : {R"([{"id":"n1","body":"b"}])", R"({"records":[{"id":"n1","body":"b"}]})",
                                 R"({"data":{"records":[{"id":"n1","body":"b"}]}})",
                                 R"({"data":[{"id":"n1","body":"b"}],"has_more":false,"unknown":{"a":1}})"}) {
    say(body);
    const auto page = must(port->records(request, {}));
    ASSERT_EQ(page.records.size(), 1U) << body;
    EXPECT_EQ(page.records[0].ref.record_id, "n1");
    EXPECT_EQ(page.records[0].data, R"({"id":"n1","body":"b"})") << "byte for byte";
  }
  for (const char* const body :
       {R"({"results":[{"stream":"s","record_key":"k"}]})", R"({"hits":[{"stream":"s","record_key":"k"}]})",
        R"({"data":{"results":[{"stream":"s","record_key":"k"}]}})"}) {
    say(body);
    const auto page = must(port->search({"word", {}, {}, {}, {}, {}}, {}));
    ASSERT_EQ(page.hits.size(), 1U) << body;
    EXPECT_FALSE(page.count) << "nothing is invented";
    EXPECT_FALSE(page.recall.known);
    EXPECT_TRUE(page.hits[0].windows.empty());
  }
  say(R"({"streams":["notes",{"name":"mail","connector_key":"gmail","connection_id":"cin_m"}]})");
  const auto flat = must(port->schema({}, {}));
  ASSERT_EQ(flat.sources.size(), 2U);
  EXPECT_EQ(flat.sources[1].streams[0].connections.at(0).connection_id, "cin_m");
  say(R"({"data":{"object":"aggregation","metric":"count","filtered_record_count":7}})");
  api::AggregateRequest aggregate;
  aggregate.stream = "notes";
  EXPECT_EQ(must(port->aggregate(aggregate, {})).value_json, "7");
}

}  // namespace
}  // namespace ladder::api_tests
