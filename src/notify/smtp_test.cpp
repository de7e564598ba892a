// Dialogues with mail servers that answer slowly, wrongly or not at all. tests/notify has real servers.
#include "notify/smtp.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace ladder::notify {
namespace {

// Answers every line with the text for its first word, and the message with the text for ".".
class ScriptedServer final : public http::Stream {
 public:
  ScriptedServer(std::map<std::string, std::string> answers, std::string& sent, http::AddressScope scope)
      : answers_(std::move(answers)), sent_(sent), scope_(scope), waiting_(answers_["(connected)"]) {}

  std::expected<void, http::ClientError> connect(const http::WaitLimit&, std::optional<http::AddressScope>) override {
    return {};
  }
  std::expected<void, http::ClientError> start_tls(const http::WaitLimit&, const std::string&) override {
    sent_ += "(TLS)\n";
    return {};
  }
  std::expected<void, http::ClientError> write(const http::WaitLimit&, std::string_view bytes) override {
    sent_ += bytes;
    const std::string word(bytes.substr(0, bytes.find_first_of(" \r")));
    if (const auto found = answers_.find(word); found != answers_.end()) waiting_ += found->second;
    return {};
  }
  std::expected<void, http::ClientError> read(const http::WaitLimit&, std::string& into) override {
    if (waiting_.empty())
      return std::unexpected(http::ClientError{http::ClientFault::kUnreachable, "the server closed the connection"});
    into += std::exchange(waiting_, {});
    return {};
  }
  std::expected<bool, http::ClientError> poll(const http::WaitLimit&, std::string&) override { return false; }
  http::AddressScope scope() const override { return scope_; }

 private:
  std::map<std::string, std::string> answers_;
  std::string& sent_;
  http::AddressScope scope_;
  std::string waiting_;
};

std::map<std::string, std::string> good_server() {
  return {{"(connected)", "220-mail.example\r\n220 ready\r\n"},
          {"EHLO", "250-mail.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n"},
          {"STARTTLS", "220 go\r\n"},
          {"AUTH", "235 welcome\r\n"},
          {"MAIL", "250 ok\r\n"},
          {"RCPT", "250 ok\r\n"},
          {"DATA", "354 go\r\n"},
          {".", "250 taken\r\n"}};
}

class Smtp : public ::testing::Test {
 protected:
  Delivery deliver(const std::map<std::string, std::string>& server, http::AddressScope scope = http::AddressScope::kLoopback) {
    sent.clear();
    return send_mail(std::make_unique<ScriptedServer>(server, sent, scope), {"mail.example", 25, security}, login,
                     {"a@example.org", "b@example.org", "Subject: x\r\n\r\n.\r\n..two\r\n"}, {});
  }
  Delivery with(const std::string& word, const std::string& answer) {
    auto server = good_server();
    server[word] = answer;
    return deliver(server);
  }

  Security security = Security::kPlain;
  SmtpLogin login = {"ann", "secret"};
  std::string sent;
};

TEST_F(Smtp, AMessageIsSentWithItsDotsDoubled) {
  EXPECT_EQ(deliver(good_server()).outcome, Outcome::kSent);
  EXPECT_NE(sent.find("\r\n\r\n..\r\n...two\r\n.\r\n"), std::string::npos) << sent;
  EXPECT_NE(sent.find("AUTH PLAIN AGFubgBzZWNyZXQ="), std::string::npos) << sent;
}

TEST_F(Smtp, TheOutcomeSaysWhetherAnotherAttemptCanHelp) {
  EXPECT_EQ(with("(connected)", "421 busy\r\n").outcome, Outcome::kLater);
  EXPECT_EQ(with("AUTH", "535 no\r\n").outcome, Outcome::kRejected);
  EXPECT_EQ(with("AUTH", "535 no\r\n").error.code, Code::kAuthentication);
  EXPECT_EQ(with("AUTH", "454 later\r\n").outcome, Outcome::kLater);
  EXPECT_EQ(with("RCPT", "550 unknown\r\n").outcome, Outcome::kRejected);
  EXPECT_EQ(with("RCPT", "451 greylisted\r\n").outcome, Outcome::kLater);
  EXPECT_EQ(with(".", "554 spam\r\n").outcome, Outcome::kRejected);
  EXPECT_EQ(with(".", "452 full\r\n").outcome, Outcome::kLater);
  EXPECT_EQ(with("DATA", "").outcome, Outcome::kLater) << "nothing was sent yet";
  EXPECT_EQ(with(".", "").outcome, Outcome::kUnknown) << "it may have been taken";
  EXPECT_EQ(with(".", "nonsense\r\n").outcome, Outcome::kUnknown);
}

TEST_F(Smtp, AServerThatDoesNotSpeakSmtpIsLeft) {
  for (const char* text : {"HTTP/1.1 400 Bad Request\r\n\r\n", "220", "22x hello\r\n", "\r\n", "220?hello\r\n"})
    EXPECT_NE(with("(connected)", text).outcome, Outcome::kSent) << text;
  EXPECT_EQ(with("EHLO", std::string(100'000, 'x')).error.code, Code::kRsProtocol) << "an endless line";
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += "250-X\r\n";
  EXPECT_EQ(with("EHLO", many).error.code, Code::kRsProtocol) << "an endless reply";
}

TEST_F(Smtp, ThePasswordIsOnlySentEncryptedOrToThisComputer) {
  EXPECT_EQ(deliver(good_server(), http::AddressScope::kPrivate).outcome, Outcome::kRejected);
  EXPECT_EQ(sent, "");
  security = Security::kStartTls;
  EXPECT_EQ(deliver(good_server(), http::AddressScope::kPublic).outcome, Outcome::kSent);
  EXPECT_LT(sent.find("(TLS)"), sent.find("AUTH"));
  EXPECT_EQ(with("EHLO", "250-mail.example\r\n250 AUTH PLAIN\r\n").outcome, Outcome::kRejected) << "no STARTTLS";
  EXPECT_EQ(sent.find("AUTH"), std::string::npos);
  // Bytes that follow the answer to STARTTLS came without encryption.
  EXPECT_NE(with("STARTTLS", "220 go\r\n250 AUTH PLAIN\r\n").outcome, Outcome::kSent);
  EXPECT_EQ(sent.find("AUTH"), std::string::npos);
}

// Sends a byte every other millisecond, and never a complete line.
class SlowServer final : public http::Stream {
 public:
  std::expected<void, http::ClientError> connect(const http::WaitLimit&, std::optional<http::AddressScope>) override {
    return {};
  }
  std::expected<void, http::ClientError> start_tls(const http::WaitLimit&, const std::string&) override { return {}; }
  std::expected<void, http::ClientError> write(const http::WaitLimit&, std::string_view) override { return {}; }
  std::expected<void, http::ClientError> read(const http::WaitLimit& limit, std::string& into) override {
    if (std::chrono::steady_clock::now() > limit.deadline)
      return std::unexpected(http::ClientError{http::ClientFault::kTimeout, "too slow"});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    into += '2';
    return {};
  }
  std::expected<bool, http::ClientError> poll(const http::WaitLimit&, std::string&) override { return false; }
  http::AddressScope scope() const override { return http::AddressScope::kLoopback; }
};

TEST_F(Smtp, AServerThatTricklesIsLeftAtTheDeadlineOfTheDialogue) {
  const Delivery sent = send_mail(std::make_unique<SlowServer>(), {"mail.example", 25, security}, login,
                                  {"a@example.org", "b@example.org", "x"}, {}, std::chrono::milliseconds(50));
  EXPECT_EQ(sent.outcome, Outcome::kLater);
  EXPECT_EQ(sent.error.code, Code::kRsTimeout) << sent.error.message;
}

TEST_F(Smtp, TextsOfTheSignInAreNotRepeated) {
  EXPECT_EQ(with("AUTH", "535 wrong AGFubgBzZWNyZXQ=\r\n").error.message.find("AGFubg"), std::string::npos);
}

}  // namespace
}  // namespace ladder::notify
