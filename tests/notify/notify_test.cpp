// Notifications of the real program: e-mail over SMTP, ntfy and signed webhooks, against real servers.
#include "notify_servers.h"
#include "owner.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "support/child_process.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <csignal>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

using namespace std::chrono_literals;
using notify_tests::kPassword;
using notify_tests::NotifyServers;

class Notifications : public EveryEngine {
 protected:
  Notifications() { owner.done({"init"}); }

  std::string password_file(std::string_view text = kPassword) const { return owner.write_file("password", text); }

  Outcome add_email(const std::string& security, const std::string& password, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"notify",          "add",    "email",     "mail",   "--to",
                                      "ann@example.org", "--host", "localhost", "--port", servers.port(security),
                                      "--security",      security};
    if (security != "plain")
      words.insert(words.end(), {"--user", "ann", "--ca", servers.certificate(), "--password-file", password_file(password)});
    words.insert(words.end(), more.begin(), more.end());
    return owner.ladder(words);
  }
  Outcome add_webhook(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"notify",          "add",
                                      "webhook",         "hook",
                                      "--url",           "http://127.0.0.1:" + servers.port("http") + "/hook",
                                      "--password-file", password_file("key-of-the-test")};
    words.insert(words.end(), more.begin(), more.end());
    return owner.ladder(words);
  }
  void start() {
    process.emplace(owner.surroundings(), std::vector<std::string>{"serve", "--listen", "127.0.0.1:0", "--json"});
    const auto line = process->read_line();
    ASSERT_TRUE(line);
    url = text_at(boost::json::parse(*line), "/url");
  }
  Outcome stop() {
    process->signal(SIGTERM);
    return process->wait();
  }
  std::string metrics() const { return test_support::run({"/usr/bin/curl", "-s", url + "/metrics"}).output; }
  std::string read_as(const std::string& token, const std::string& path) const {
    return test_support::run({"/usr/bin/curl", "-s", "-H", "Authorization: Bearer " + token, url + path}).output;
  }

  NotifyServers servers;
  std::optional<Process> process;
  std::string url;
};

TEST_P(Notifications, MailIsSentOverEveryEncryption) {
  for (const std::string security : {"plain", "starttls", "tls"}) {
    ASSERT_EQ(add_email(security, kPassword).exit_code, 0);
    const Outcome sent = owner.ladder({"notify", "test", "mail"});
    EXPECT_EQ(sent.exit_code, 0) << security << ": " << sent.summary();
    owner.done({"notify", "remove", "mail"});
  }
  const auto mails = servers.arrived();
  ASSERT_EQ(mails.size(), 3U);
  for (const auto& mail : mails) {
    EXPECT_EQ(text_at(mail, "/subject"), "Ladder: this is a test");
    EXPECT_EQ(text_at(mail, "/to/0"), "ann@example.org");
    EXPECT_EQ(text_at(mail, "/from"), "ann@example.org");
    EXPECT_NE(text_at(mail, "/text").find("/settings/notifications"), std::string::npos);
  }
  EXPECT_TRUE(mails[1].at("tls").as_bool());
  EXPECT_TRUE(mails[1].at("signed_in").as_bool());
  EXPECT_TRUE(mails[2].at("signed_in").as_bool());
}

TEST_P(Notifications, AWrongPasswordOrCertificateIsNamed) {
  ASSERT_EQ(add_email("starttls", "a-wrong-password").exit_code, 0);
  const Outcome rejected = owner.ladder({"notify", "test", "mail", "--json"});
  EXPECT_EQ(rejected.error_code(), "authentication_error") << rejected.summary();
  EXPECT_EQ(rejected.summary().find("a-wrong-password"), std::string::npos);
  const auto listed = owner.json({"notify", "list"});
  EXPECT_EQ(text_at(listed, "/channels/0/state"), "failing");
  EXPECT_NE(owner.ladder({"doctor"}).out.find("ladder notify test mail"), std::string::npos);
  owner.done({"notify", "remove", "mail"});
  // Without the test's certificate, nothing is sent: the sign-in would go to an unknown server.
  const std::vector<std::string> words = {"notify",          "add",    "email",           "other",        "--to",
                                          "ann@example.org", "--host", "localhost",       "--port",       servers.port("tls"),
                                          "--user",          "ann",    "--password-file", password_file()};
  owner.done(words);
  EXPECT_EQ(owner.ladder({"notify", "test", "other", "--json"}).error_code(), "rs_unreachable");
  // A server without STARTTLS does not get the password in clear text.
  owner.done({"notify", "add", "email", "third", "--to", "ann@example.org", "--host", "localhost", "--port",
              servers.port("plain"), "--security", "starttls", "--user", "ann", "--password-file", password_file()});
  EXPECT_EQ(owner.ladder({"notify", "test", "third", "--json"}).error_code(), "rs_protocol_error");
  EXPECT_TRUE(servers.arrived().empty());
}

TEST_P(Notifications, SettingsThatCannotWorkAreRejected) {
  const auto add = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"notify", "add"});
    words.push_back("--json");
    return owner.ladder(words).error_code();
  };
  EXPECT_EQ(add({"pigeon", "p", "--url", "https://x.example/a"}), "invalid_request");
  EXPECT_EQ(add({"email", "mail", "--to", "ann@example.org\r\nBcc: eve@example.org", "--host", "localhost"}), "invalid_request");
  EXPECT_EQ(add({"email", "mail", "--to", "ann@example.org,eve@example.org", "--host", "localhost"}), "invalid_request");
  EXPECT_EQ(add({"email", "mail", "--to", "ann@example.org", "--host", "localhost:25"}), "invalid_request");
  EXPECT_EQ(add({"email", "Mail Box", "--to", "ann@example.org", "--host", "localhost"}), "invalid_request");
  EXPECT_EQ(add({"ntfy", "phone", "--url", "http://ntfy.example/topic"}), "invalid_request") << "not encrypted";
  EXPECT_EQ(add({"ntfy", "phone", "--url", "https://ntfy.example/"}), "invalid_request") << "no topic";
  EXPECT_EQ(add({"webhook", "hook", "--url", "https://ann:secret@x.example/"}), "invalid_request");
  EXPECT_EQ(add({"webhook", "hook", "--url", "file:///etc/passwd"}), "invalid_request");
  EXPECT_EQ(add({"webhook", "hook", "--url", "https://x.example/", "--event", "everything"}), "invalid_request");
  // The metadata services of clouds are never an owner's server.
  owner.done({"notify", "add", "webhook", "cloud", "--url", "https://169.254.169.254/latest"});
  EXPECT_EQ(owner.ladder({"notify", "test", "cloud", "--json"}).error_code(), "invalid_request");
  EXPECT_EQ(owner.json({"notify", "list"}).at("channels").as_array().size(), 1U);
}

TEST_P(Notifications, AWebhookIsSignedAndRedirectsAreRefused) {
  ASSERT_EQ(add_webhook().exit_code, 0);
  owner.done({"notify", "test", "hook"});
  const auto arrived = servers.wait_for(1);
  ASSERT_EQ(arrived.size(), 1U);
  const std::string body = text_at(arrived[0], "/body"), signature = text_at(arrived[0], "/headers/ladder-signature");
  const std::string seconds = signature.substr(2, signature.find(',') - 2);
  EXPECT_EQ(signature.substr(signature.find("v1=") + 3),
            to_hex(crypto::view(crypto::hmac_sha256("key-of-the-test", seconds + "." + body))));
  EXPECT_EQ(text_at(boost::json::parse(body), "/event"), "test");
  servers.behave("redirect");
  const Outcome redirected = owner.ladder({"notify", "test", "hook"});
  EXPECT_NE(redirected.exit_code, 0);
  EXPECT_NE(redirected.err.find("redirect"), std::string::npos) << redirected.summary();
  EXPECT_EQ(servers.arrived().size(), 1U) << "the other address was not asked";
}

TEST_P(Notifications, NtfyGetsATitleAMessageAndTheToken) {
  owner.done({"notify", "add", "ntfy", "phone", "--url", format("https://localhost:{}/ann-9f3c", servers.port("https")), "--ca",
              servers.certificate(), "--password-file", password_file("tk_test")});
  owner.done({"notify", "test", "phone"});
  const auto arrived = servers.wait_for(1);
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(text_at(arrived[0], "/path"), "/");
  EXPECT_EQ(text_at(arrived[0], "/headers/authorization"), "Bearer tk_test");
  const auto body = boost::json::parse(text_at(arrived[0], "/body"));
  EXPECT_EQ(text_at(body, "/topic"), "ann-9f3c");
  EXPECT_NE(text_at(body, "/message").find("test"), std::string::npos);
}

// An app reads for the first time, reads unusually much, and its access ends soon: one message each, without text of records.
TEST_P(Notifications, ReadsAreToldOnceAndWithoutText) {
  owner.set_up();
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += note(format("n{}", i), "secretword " + std::string(10'000, 'x'));
  ASSERT_EQ(owner.ingest(lines).exit_code, 0);
  const auto grant =
      owner.json({"grant", "create", "--client", "helper http://evil.example <b>", "--stream", "notes", "--expires", "2d"});
  ASSERT_EQ(add_webhook().exit_code, 0);
  ASSERT_EQ(add_email("plain", "").exit_code, 0);
  start();
  const std::string token = text_at(grant, "/token");
  for (int i = 0; i < 40; ++i) {
    const std::string page =
        read_as(token, format("/v1/streams/notes/records/n{}/field-window?field=body&offset_chars=0&limit_chars=8192", i));
    ASSERT_NE(page.find("secretword"), std::string::npos) << page;
  }
  auto arrived = servers.wait_for(6);
  std::this_thread::sleep_for(13s);  // one more look for events
  arrived = servers.arrived();
  EXPECT_EQ(arrived.size(), 6U) << "three events, two channels, once each";
  std::string all;
  std::multiset<std::string> events;
  for (const auto& one : arrived) {
    all += serialize(one);
    if (text_at(one, "/kind") == "http") events.insert(text_at(boost::json::parse(text_at(one, "/body")), "/event"));
  }
  EXPECT_EQ(events, (std::multiset<std::string>{"access-ends", "first-read", "large-read"}));
  EXPECT_EQ(all.find("secretword"), std::string::npos);
  EXPECT_EQ(all.find("//evil.example"), std::string::npos) << "a name cannot become a link: " << all;
  EXPECT_NE(metrics().find("ladder_notifications_total{outcome=\"sent\"} 6"), std::string::npos) << metrics();
  EXPECT_EQ(stop().exit_code, 0);
  start();  // after a restart, nothing is told again
  std::this_thread::sleep_for(13s);
  EXPECT_EQ(servers.arrived().size(), 6U);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_P(Notifications, AServerThatIsDownGetsTheMessageLater) {
  servers.behave("down");
  ASSERT_EQ(add_webhook().exit_code, 0);
  owner.set_up();
  owner.done({"grant", "create", "--client", "helper", "--stream", "notes", "--expires", "2d"});
  start();
  for (int tries = 0; tries < 600 && text_at(owner.json({"notify", "list"}), "/channels/0/state") != "failing"; ++tries)
    std::this_thread::sleep_for(50ms);
  EXPECT_EQ(number_at(owner.json({"notify", "list"}), "/waiting"), 1);
  EXPECT_EQ(stop().exit_code, 0);
  servers.behave("");
  start();  // the message survives a restart
  EXPECT_EQ(servers.wait_for(1).size(), 1U);
  for (int tries = 0; tries < 600 && text_at(owner.json({"notify", "list"}), "/channels/0/state") != "ok"; ++tries)
    std::this_thread::sleep_for(50ms);
  const auto listed = owner.json({"notify", "list"});
  EXPECT_EQ(number_at(listed, "/waiting"), 0);
  EXPECT_EQ(number_at(listed, "/channels/0/lost"), 0);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_P(Notifications, ARejectedMessageIsGivenUp) {
  servers.behave("reject");
  ASSERT_EQ(add_email("plain", "").exit_code, 0);
  owner.set_up();
  owner.done({"grant", "create", "--client", "helper", "--stream", "notes", "--expires", "2d"});
  start();
  for (int tries = 0; tries < 600 && number_at(owner.json({"notify", "list"}), "/channels/0/lost") == 0; ++tries)
    std::this_thread::sleep_for(50ms);
  EXPECT_EQ(number_at(owner.json({"notify", "list"}), "/channels/0/lost"), 1);
  EXPECT_EQ(stop().exit_code, 0);
  EXPECT_TRUE(servers.arrived().empty());
}

// A scheduled backup runs inside the server; its failure is shown everywhere and told once.
TEST_P(Notifications, BackupsOfTheServer) {
  owner.set_up();
  ASSERT_EQ(add_webhook().exit_code, 0);
  owner.write_file("taken", "a file where the folder should be");
  const std::string folder = owner.file("backups").string(), bad = owner.file("taken").string();
  EXPECT_EQ(owner.ladder({"backup", "schedule", folder, "--every", "month", "--json"}).error_code(), "invalid_request");
  EXPECT_EQ(owner.ladder({"backup", "schedule", folder, "--at", "24", "--json"}).error_code(), "invalid_request");
  EXPECT_EQ(owner.ladder({"backup", folder, "--every", "day", "--json"}).error_code(), "invalid_request");
  owner.done({"backup", "key", owner.file("key").string()});
  const auto planned =
      owner.json({"backup", "schedule", folder, "--every", "week", "--keep", "2", "--key", owner.file("key").string()});
  EXPECT_EQ(text_at(planned, "/every"), "week");
  EXPECT_TRUE(planned.at("encrypted").as_bool());
  EXPECT_FALSE(text_at(planned, "/next_at").empty());
  start();
  EXPECT_EQ(owner.done({"backup", "now"}).exit_code, 0);
  const auto becomes = [&](std::string_view pointer, std::int64_t value) {
    for (int tries = 0; tries < 600; ++tries) {
      const auto status = owner.json({"backup", "status"});
      boost::system::error_code none;
      const auto* found = status.find_pointer(pointer, none);
      if (found && (found->is_int64() ? found->as_int64() == value : value == 0)) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  };
  EXPECT_TRUE(becomes("/succeeded_at", 0));
  EXPECT_NE(metrics().find("ladder_backups_total{outcome=\"succeeded\"} 1"), std::string::npos);
  EXPECT_EQ(number_at(owner.json({"backup", "verify", folder, "--key", owner.file("key").string()}), "/snapshots"), 1);
  EXPECT_TRUE(servers.arrived().empty());
  owner.done({"backup", "schedule", bad});
  owner.done({"backup", "now"});
  EXPECT_TRUE(becomes("/failures", 1));
  const auto arrived = servers.wait_for(1);
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(text_at(boost::json::parse(text_at(arrived[0], "/body")), "/event"), "backup-fails");
  EXPECT_EQ(text_at(arrived[0], "/body").find("taken"), std::string::npos) << "paths are not told";
  EXPECT_NE(metrics().find("ladder_backup_failures 1"), std::string::npos) << metrics();
  EXPECT_NE(owner.ladder({"doctor"}).out.find("failed once"), std::string::npos);
  owner.done({"backup", "schedule", folder, "--key", owner.file("key").string()});
  owner.done({"backup", "now"});
  EXPECT_TRUE(becomes("/failures", 0));
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_P(Notifications, SecretsAreNowhereInClearText) {
  ASSERT_EQ(add_email("starttls", kPassword).exit_code, 0);
  std::filesystem::remove(owner.file("password"));
  std::string shown = owner.ladder({"notify", "list"}).summary() + owner.ladder({"notify", "list", "--json"}).summary() +
                      owner.ladder({"notify", "test", "mail"}).summary() + owner.ladder({"doctor"}).summary() +
                      owner.ladder({"config", "show"}).summary();
  owner.done({"backup", owner.file("backup").string()});
  EXPECT_EQ(shown.find(kPassword), std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(owner.file(""))) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(test_support::file_text(entry.path()).find(kPassword), std::string::npos) << entry.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Notifications, ::testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
