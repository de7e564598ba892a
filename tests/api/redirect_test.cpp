// A server that keeps blobs elsewhere redirects reads to a signed URL (PDPP "blobs"): which bytes are returned, what
// the storage server receives, and which redirects are not followed.
#include "both_ports.h"
#include "http/certificates.h"
#include "mcp/testing/tool_caller.h"
#include "support/reference_server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace ladder::api_tests {
namespace {

using http::Request;
using http::Response;
using test_support::ReferenceServer;

constexpr std::string_view kSignature = "?X-Signature=s3cr3t&X-Expires=60";

Response sent_on(std::string location, int status = 302) {
  Response response = Response::json(status, "{}");
  if (!location.empty()) response.headers.set("Location", std::move(location));
  return response;
}

Response whole(const std::string& bytes) {
  Response response;
  response.headers.set("Content-Type", "application/pdf");
  response.body = bytes;
  return response;
}

// Answers a range request as storage servers do.
Response part(const std::string& bytes, const Request& request) {
  const std::string range(request.headers.get("Range").value_or("bytes=0-"));
  const std::size_t dash = range.find('-');
  const std::size_t first = std::stoul(range.substr(6, dash - 6));
  Response response = whole("");
  if (first >= bytes.size()) {
    response.status = 416;
    response.headers.set("Content-Type", "application/xml");
    response.headers.set("Content-Range", format("bytes */{}", bytes.size()));
    return response;
  }
  response.status = 206;
  response.body = bytes.substr(first, std::stoul(range.substr(dash + 1)) - first + 1);
  response.headers.set("Content-Range", format("bytes {}-{}/{}", first, first + response.body.size() - 1, bytes.size()));
  return response;
}

class Redirects : public ::testing::Test {
 protected:
  Redirects() : port(remote_port(provider.url(), std::make_shared<KnownClientToken>(provider.token))) {
    for (int i = 0; i < 5'000; ++i) bytes += static_cast<char>(i * 31 + i / 97);
    storage.instead = [this](const Request& request) { return part(bytes, request); };
    send_on(signed_url());
  }
  std::string signed_url() const { return storage.url() + "/bucket/b1" + std::string(kSignature); }
  void send_on(const std::string& location, int status = 302) {
    provider.instead = [location, status](const Request&) { return sent_on(location, status); };
  }
  static api::BlobRequest range(std::int64_t first, std::int64_t count) { return {"b1", {}, first, count}; }
  Result<api::Blob> read(std::int64_t first = 100, std::int64_t count = 50) const { return port->blob(range(first, count), {}); }
  std::string piece(std::size_t first, std::size_t count) const { return bytes.substr(first, count); }

  // Requires this error code; the message names the provider, and neither message nor log contains any part of the
  // signed URL.
  static void refused(const Result<api::Blob>& result, Code code, std::string_view says, const std::string& provider_url) {
    ASSERT_FALSE(result);
    const Error& error = result.error();
    EXPECT_EQ(error.code, code) << error.message;
    EXPECT_NE(error.message.find(says), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(provider_url), std::string::npos) << error.message;
    for (const char* const secret : {"s3cr3t", "X-Signature", "bucket"}) {
      EXPECT_EQ(told(error).find(secret), std::string::npos) << told(error);
      EXPECT_EQ(error.log_detail.find(secret), std::string::npos) << error.log_detail;
    }
  }
  void refused(Code code, std::string_view says) const { refused(read(), code, says, provider.url()); }

  std::string bytes;
  ReferenceServer provider, storage;
  std::unique_ptr<remote::RemotePort> port;
};

TEST_F(Redirects, AreFollowedWithoutTheToken) {
  for (const int status : {302, 303, 307, 308}) {
    send_on(signed_url(), status);
    const api::Blob blob = must(read());
    EXPECT_EQ(blob.bytes, piece(100, 50)) << status;
    EXPECT_EQ(blob.size_bytes, std::ssize(bytes));
    EXPECT_EQ(blob.mime_type, "application/pdf");
    const auto asked = provider.calls();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].authorization, "Bearer " + provider.token);
    const auto calls = storage.calls();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].method, "GET");
    EXPECT_EQ(calls[0].target, "/bucket/b1" + std::string(kSignature)) << "to the byte: it is signed";
    EXPECT_EQ(calls[0].headers.get("Range"), "bytes=100-149");
    EXPECT_EQ(calls[0].headers.get("Host"), storage.url().substr(7));
    for (const auto& [name, value] : calls[0].headers.all()) {
      EXPECT_EQ(value.find(provider.token), std::string::npos) << name;
      EXPECT_TRUE(name == "Host" || name == "Range" || name == "Accept" || name == "User-Agent") << name;
    }
  }
}

TEST_F(Redirects, WithinTheServerDoNotCarryTheToken) {
  provider.instead = [this](const Request& request) {
    return request.target.starts_with("/files/") ? part(bytes, request) : sent_on("/files/b1" + std::string(kSignature));
  };
  EXPECT_EQ(must(read()).bytes, piece(100, 50));
  const auto calls = provider.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].target, "/files/b1" + std::string(kSignature));
  EXPECT_EQ(calls[1].authorization, "") << "a signed URL is its own right to read";
}

TEST_F(Redirects, WorkThroughTheTools) {
  while (bytes.size() < 200'000) bytes += bytes;
  provider.instead = nullptr;
  provider.blobs["b1"] = "elsewhere";
  provider.blobs_elsewhere = signed_url();
  const std::string blob = R"({"blob_id":"b1","mime_type":"application/pdf"})";
  provider.records.push_back({"cin_a", "notes", "n1", format(R"({{"id":"n1","blob_ref":{}}})", blob)});
  mcp::testing::ToolCaller agent(*port, provider.url());
  const auto page = agent.call("query_records", R"({"stream":"notes"})");
  const auto& field = page.at("/content_ladder/records/0/binary_fields/0");
  EXPECT_EQ(agent.read_blob(std::string(field.at("resource").as_string())), bytes);
  EXPECT_GT(storage.calls().size(), 1U) << "in pieces";
}

TEST_F(Redirects, AreFollowedAFewTimesOnly) {
  storage.instead = [this](const Request& request) {
    return request.target.starts_with("/moved/") ? part(bytes, request) : sent_on("/moved/b1" + std::string(kSignature), 307);
  };
  EXPECT_EQ(must(read()).bytes, piece(100, 50));
  EXPECT_EQ(storage.calls().size(), 2U);

  storage.instead = [this](const Request&) { return sent_on(signed_url()); };  // a redirect loop
  refused(Code::kRsProtocol, "more than 3 times");
  EXPECT_EQ(storage.calls().size(), 3U);
  static_cast<void>(provider.calls());
  send_on("/v1/blobs/b1");
  refused(Code::kRsProtocol, "more than 3 times");
  EXPECT_EQ(provider.calls().size(), 4U);
}

TEST_F(Redirects, WithoutAValidTargetAreErrors) {
  send_on("");
  refused(Code::kRsProtocol, "without a Location");
  for (const int status : {300, 301, 304, 305}) {
    send_on(signed_url(), status);
    refused(Code::kRsProtocol, format("HTTP status {}", status));
  }
  send_on("http://store.example/bucket/b1" + std::string(kSignature));
  refused(Code::kRsProtocol, "http://store.example, which is not encrypted");
  send_on("https://ada:s3cr3t@127.0.0.1/bucket/b1");
  refused(Code::kRsProtocol, "user name");
  send_on("https://169.254.169.254/bucket/b1" + std::string(kSignature));
  refused(Code::kRsProtocol, "169.254.169.254 is at a special-purpose address");
  EXPECT_TRUE(storage.calls().empty());
}

TEST_F(Redirects, AreFollowedForBlobsOnly) {
  api::RecordsRequest records;
  records.stream = "notes";
  EXPECT_EQ(port->records(records, {}).error().code, Code::kRsProtocol);
  EXPECT_EQ(port->schema({}, {}).error().code, Code::kRsProtocol);
  EXPECT_EQ(port->search({"word", {}, {}, {}, {}, {}}, {}).error().code, Code::kRsProtocol);
  EXPECT_EQ(port->field_window({{"cin_a", "notes", "n1"}, "body", {}}, {}).error().code, Code::kRsProtocol);
  EXPECT_TRUE(storage.calls().empty());
}

TEST_F(Redirects, DoNotLeaveTls) {
  const test_support::ScratchFolder folder;
  const auto certificate = http::tests::make_certificate(folder.path(), "server", "IP:127.0.0.1");
  http::ServerOptions options;
  options.certificate_file = certificate.certificate_file;
  options.key_file = certificate.key_file;
  ReferenceServer secret(options), secret_storage(options);
  remote::RemoteOptions over_tls;
  over_tls.endpoint = must(remote::parse_endpoint(secret.url()));
  over_tls.credentials = std::make_shared<KnownClientToken>(secret.token);
  over_tls.ca_file = certificate.certificate_file;
  const auto tls_port = must(remote::RemotePort::create(over_tls));

  secret.instead = [&](const Request&) { return sent_on(signed_url()); };
  refused(tls_port->blob(range(100, 50), {}), Code::kRsProtocol, "not encrypted", secret.url());
  EXPECT_TRUE(storage.calls().empty());

  secret_storage.instead = storage.instead;
  secret.instead = [&](const Request&) { return sent_on(secret_storage.url() + "/bucket/b1" + std::string(kSignature)); };
  EXPECT_EQ(must(tls_port->blob(range(100, 50), {})).bytes, piece(100, 50));
  EXPECT_EQ(secret_storage.calls().at(0).authorization, "");
}

TEST_F(Redirects, ToAnExpiredAddressNameTheRemedy) {
  for (const int status : {400, 401, 403, 404, 410}) {
    storage.instead = [status](const Request&) {
      Response response;
      response.status = status;
      response.headers.set("Content-Type", "application/xml");
      response.body = "<Error><Code>AccessDenied</Code><StringToSign>s3cr3t bucket</StringToSign></Error>";
      return response;
    };
    const auto result = read();
    refused(result, Code::kRsProtocol, format("HTTP status {}", status), provider.url());
    EXPECT_NE(result.error().message.find(storage.url()), std::string::npos) << "the host: " << result.error().message;
    EXPECT_NE(result.error().message.find("read it again"), std::string::npos) << "the remedy: " << result.error().message;
    EXPECT_EQ(result.error().more->rule, format("http_{}", status));
  }
  EXPECT_EQ(provider.calls().size(), 5U) << "the token was not at fault: it is not looked up again";
  storage.instead = [](const Request&) {
    Response response;
    response.status = 503;
    response.body = R"({"error":{"code":"not_found","message":"s3cr3t"}})";
    return response;
  };
  refused(Code::kStoreUnavailable, "try again");
  storage.instead = [this](const Request& request) { return part(bytes, request); };
  EXPECT_EQ(must(read()).bytes, piece(100, 50)) << "each read gets an address of its own";
}

TEST_F(Redirects, GiveExactlyTheBytesOrNone) {
  storage.instead = [this](const Request&) { return whole(bytes); };  // ignores ranges
  EXPECT_EQ(must(read()).bytes, piece(100, 50));
  EXPECT_EQ(must(read(4'990, 50)).bytes, piece(4'990, 10));
  const api::Blob past = must(read(6'000, 50));
  EXPECT_EQ(past.bytes, "");
  EXPECT_EQ(past.size_bytes, std::ssize(bytes));

  const auto claims = [this](const std::string& range, std::size_t count) {
    storage.instead = [this, range, count](const Request&) {
      Response response = whole(piece(100, count));
      response.status = 206;
      if (!range.empty()) response.headers.set("Content-Range", range);
      return response;
    };
  };
  for (const auto& [told_range, count] : std::vector<std::pair<std::string, std::size_t>>{{"", 50},
                                                                                          {"bytes 0-49/5000", 50},
                                                                                          {"bytes 100-149/5000", 49},
                                                                                          {"bytes 100-149/5000", 60},
                                                                                          {"bytes 100-159/5000", 60},
                                                                                          {"bytes 100-149/120", 50},
                                                                                          {"bytes 100-99/5000", 0},
                                                                                          {"bytes */5000", 0},
                                                                                          {"items 100-149/5000", 50}}) {
    claims(told_range, count);
    refused(Code::kRsProtocol, "another range");
  }
  claims("bytes 100-119/5000", 20);  // returns a shorter range than requested and declares it
  EXPECT_EQ(must(read()).bytes, piece(100, 20));
}

TEST_F(Redirects, NeverExceedTheBound) {
  remote::RemoteOptions options;
  options.endpoint = must(remote::parse_endpoint(provider.url()));
  options.credentials = std::make_shared<KnownClientToken>(provider.token);
  options.max_body_bytes = 4'000;
  const auto small = must(remote::RemotePort::create(options));
  EXPECT_EQ(must(small->blob(range(4'900, 50), {})).bytes, piece(4'900, 50));
  storage.instead = [this](const Request&) { return whole(bytes); };
  refused(small->blob(range(100, 50), {}), Code::kResourceLimit, "does not support Range requests", provider.url());
}

TEST_F(Redirects, ReadMetadataFromTheFirstByte) {
  const api::Blob facts = must(read(0, 0));
  EXPECT_EQ(facts.size_bytes, std::ssize(bytes));
  EXPECT_EQ(facts.mime_type, "application/pdf");
  EXPECT_EQ(facts.bytes, "");
  for (const auto& call : storage.calls()) {
    EXPECT_EQ(call.method, "GET") << "the URL is signed for one";
    EXPECT_EQ(call.headers.get("Range"), "bytes=0-0");
  }
  const api::Blob past = must(read(9'000, 10));
  EXPECT_EQ(past.size_bytes, std::ssize(bytes));
  EXPECT_EQ(past.bytes, "");
  bytes.clear();
  const api::Blob empty = must(read(0, 10));
  EXPECT_EQ(empty.size_bytes, 0);
  EXPECT_EQ(empty.mime_type, "") << "not that of the refusal";
  storage.instead = [](const Request&) {
    Response response;
    response.status = 416;
    return response;
  };
  refused(Code::kRsProtocol, "does not report its size");
}

TEST_F(Redirects, ToAClosedPortAreErrors) {
  std::string gone;
  {
    const ReferenceServer closed;
    gone = closed.url();
  }
  send_on(gone + "/bucket/b1" + std::string(kSignature));
  refused(Code::kRsUnreachable, gone);
}

TEST_F(Redirects, ToASilentServerTimeOut) {
  using namespace std::chrono_literals;
  std::stop_source release;
  const auto requests = std::make_shared<std::atomic<int>>(0);
  storage.instead = [release, requests](const Request& request) {
    ++*requests;
    while (!release.stop_requested() && !request.gone.stop_requested()) std::this_thread::sleep_for(5ms);
    return whole("");
  };
  // A busy provider redirects faster than this.
  const auto impatient = remote_port(provider.url(), std::make_shared<KnownClientToken>(provider.token), 2s);
  refused(impatient->blob(range(0, 10), {}), Code::kRsTimeout, storage.url(), provider.url());

  const int before = *requests;
  std::stop_source stop;
  const std::jthread caller([&] {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (*requests == before && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
    stop.request_stop();
  });
  EXPECT_EQ(port->blob(range(0, 10), stop.get_token()).error().code, Code::kCancelled);
  release.request_stop();
}

}  // namespace
}  // namespace ladder::api_tests
