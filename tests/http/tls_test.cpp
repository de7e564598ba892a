// TLS end to end, with certificates created here: what is verified, what is refused, and that everything else works as
// without TLS.
#include "http/certificates.h"
#include "http/client.h"
#include "http/test_site.h"
#include "http/wire.h"
#include "support/scratch_folder.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <fstream>
#include <thread>

namespace ladder::http::tests {
namespace {

using namespace std::chrono_literals;

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    site_.options.certificate_file = certificate_.certificate_file;
    site_.options.key_file = certificate_.key_file;
  }

  std::unique_ptr<Client> client(std::uint16_t port, const std::string& host, const std::filesystem::path& ca) {
    ClientOptions options;
    options.origin = format("https://{}:{}", host, port);
    options.ca_file = ca;
    options.timeout = kWaitLimit;
    return Client::create(options).value();
  }

  static ClientRequest request(std::string method, std::string target, std::string body = {}) {
    ClientRequest made;
    made.method = std::move(method);
    made.target = std::move(target);
    made.body = std::move(body);
    return made;
  }

  test_support::ScratchFolder folder_;
  Certificate certificate_ = make_certificate(folder_.path(), "server", "DNS:localhost,IP:127.0.0.1");
  TestSite site_;
};

TEST_F(TlsTest, RequestsAreServedByNameAndByAddress) {
  bool over_tls = false;
  site_.on("/see", Placement::kHere, [&over_tls](Request& seen) {
    over_tls = seen.over_tls;
    return Response();
  });
  const auto port = site_.start();
  for (const auto host : {"localhost", "127.0.0.1"}) {
    const auto https = client(port, host, certificate_.certificate_file);
    const auto first = https->send(request("GET", "/see"), {});
    ASSERT_TRUE(first.has_value()) << first.error().message;
    EXPECT_TRUE(over_tls);
    const std::string body(900'000, 'x');
    EXPECT_EQ(https->send(request("POST", "/echo", body), {})->body, body);
    EXPECT_EQ(https->send(request("POST", "/work-echo", body), {})->body, body);
    EXPECT_EQ(https->send(request("HEAD", "/hello"), {})->status, 200);
    const auto refused = https->send(request("POST", "/echo", std::string(2 << 20, 'x')), {});
    ASSERT_TRUE(refused.has_value()) << refused.error().message;
    EXPECT_EQ(refused->status, 413);
  }
  EXPECT_LE(site_.server().counters().connections_total, 4U);
}

TEST_F(TlsTest, StreamsAndLargeResponsesArriveComplete) {
  site_.on("/stream", Placement::kWorker, [](Request&) {
    Response response;
    response.stream = std::make_unique<FunctionStream>([n = 0](std::string& piece) mutable -> Result<bool> {
      piece.assign(100'000, static_cast<char>('a' + n % 26));
      return ++n <= 50;
    });
    return response;
  });
  site_.on("/large", Placement::kHere, [](Request&) { return Response::json(200, std::string(10'000'000, 'y')); });
  const auto https = client(site_.start(), "localhost", certificate_.certificate_file);
  const auto streamed = https->send(request("GET", "/stream"), {});
  ASSERT_TRUE(streamed.has_value()) << streamed.error().message;
  EXPECT_EQ(streamed->body.size(), 5'000'000U);
  EXPECT_EQ(streamed->body[4'999'999], 'x');
  EXPECT_EQ(https->send(request("GET", "/large"), {})->body, std::string(10'000'000, 'y'));
}

TEST_F(TlsTest, TheServersNameAndAuthorityAreVerified) {
  const auto other = make_certificate(folder_.path(), "other", "DNS:localhost,IP:127.0.0.1");
  const auto port = site_.start();
  const auto untrusted = client(port, "localhost", other.certificate_file)->send(request("GET", "/hello"), {});
  ASSERT_FALSE(untrusted.has_value());
  EXPECT_EQ(untrusted.error().fault, ClientFault::kCertificate);
  EXPECT_FALSE(untrusted.error().certificate.empty());
  EXPECT_NE(untrusted.error().message.find("certificate"), std::string::npos) << untrusted.error().message;
  const auto system = client(port, "localhost", "")->send(request("GET", "/hello"), {});
  EXPECT_EQ(system.error().fault, ClientFault::kCertificate) << "the system trusts no test";

  const auto named = make_certificate(folder_.path(), "named", "DNS:elsewhere.example");
  TestSite elsewhere;
  elsewhere.options.certificate_file = named.certificate_file;
  elsewhere.options.key_file = named.key_file;
  const auto wrong_port = elsewhere.start();
  for (const auto host : {"localhost", "127.0.0.1"}) {
    const auto wrong = client(wrong_port, host, named.certificate_file)->send(request("GET", "/hello"), {});
    ASSERT_FALSE(wrong.has_value());
    EXPECT_NE(wrong.error().message.find("mismatch"), std::string::npos) << wrong.error().message;
  }
}

TEST_F(TlsTest, AHangUpStopsTheWork) {
  std::atomic<bool> began = false, gone = false;
  site_.on("/slow", Placement::kWorker, [&](Request& slow) {
    began = true;
    while (!slow.gone.stop_requested()) std::this_thread::sleep_for(10ms);
    gone = slow.gone.stop_requested();
    return Response();
  });
  const auto https = client(site_.start(), "localhost", certificate_.certificate_file);
  std::stop_source source;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] { return began.load(); }));
    source.request_stop();
  });
  EXPECT_EQ(https->send(request("GET", "/slow"), source.get_token()).error().fault, ClientFault::kCancelled);
  canceller.join();
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
}

TEST_F(TlsTest, GracefulStopFinishesTheResponse) {
  std::atomic<bool> began = false;
  site_.on("/slow", Placement::kWorker, [&](Request&) {
    began = true;
    std::this_thread::sleep_for(300ms);
    return Response::json(200, "1");
  });
  const auto https = client(site_.start(), "localhost", certificate_.certificate_file);
  std::thread stopper([&] {
    EXPECT_TRUE(eventually([&] { return began.load(); }));
    site_.server().stop();
  });
  const auto answer = https->send(request("GET", "/slow"), {});
  stopper.join();
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->headers.get("Connection"), "close");
}

TEST_F(TlsTest, PlainTextAndSilenceEndTheConnection) {
  site_.options.header_time = 1s;
  const auto port = site_.start();
  Wire plain(port), silent(port);
  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(plain.receive().has_value());
  EXPECT_TRUE(silent.closes());
  EXPECT_TRUE(eventually([&] { return site_.server().counters().connections_open == 0; }));
}

TEST_F(TlsTest, OldProtocolsAreRefused) {
  const auto port = site_.start();
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_security_level(context.get(), 0);
  const auto connects = [&](int version) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), version);
    const std::unique_ptr<BIO, void (*)(BIO*)> bio(BIO_new_ssl_connect(context.get()), BIO_free_all);
    BIO_set_conn_hostname(bio.get(), format("127.0.0.1:{}", port).c_str());
    return BIO_do_connect(bio.get()) == 1 && BIO_do_handshake(bio.get()) == 1;
  };
  EXPECT_FALSE(connects(TLS1_1_VERSION));
  EXPECT_TRUE(connects(TLS1_2_VERSION));
  EXPECT_TRUE(connects(TLS1_3_VERSION));
}

TEST_F(TlsTest, BadFilesAreNamed) {
  const auto other = make_certificate(folder_.path(), "second", "DNS:localhost");
  const auto text = folder_ / "text.pem";
  std::ofstream(text) << "not a certificate";
  const auto refused = [&](const std::string& certificate, const std::string& key) {
    ServerOptions options = site_.options;
    options.certificate_file = certificate;
    options.key_file = key;
    const auto started = Server::start(options, site_);
    EXPECT_FALSE(started.has_value());
    if (started) return std::string();
    EXPECT_EQ(started.error().code, Code::kInvalidRequest);
    return started.error().message;
  };
  const std::string certificate = certificate_.certificate_file, key = certificate_.key_file;
  EXPECT_NE(refused((folder_ / "missing.pem").string(), key).find("missing.pem"), std::string::npos);
  EXPECT_NE(refused(text.string(), key).find("text.pem"), std::string::npos);
  EXPECT_NE(refused(certificate, (folder_ / "missing.key").string()).find("missing.key"), std::string::npos);
  EXPECT_NE(refused(certificate, other.key_file).find("second.key"), std::string::npos);
  EXPECT_NE(refused(certificate, "").find("also set --tls-key"), std::string::npos);
  EXPECT_NE(refused("", key).find("also set --tls-certificate"), std::string::npos);
  ClientOptions options;
  options.origin = "https://localhost";
  options.ca_file = text;
  EXPECT_EQ(Client::create(options).error().code, Code::kInvalidRequest);
}

}  // namespace
}  // namespace ladder::http::tests
