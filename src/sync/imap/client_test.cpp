// The client against a scripted server: what it sends, and how it takes servers that are hostile or only different.
#include "sync/imap/client.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "sync/testing/scripted_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::sync::imap {
namespace {

const std::string kGreeting = "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] ready\r\n";
constexpr std::string_view kEverything =
    "IMAP4rev1 IMAP4rev2 IDLE ENABLE CONDSTORE QRESYNC LIST-STATUS LIST-EXTENDED ESEARCH UTF8=ACCEPT MOVE";

class ImapClient : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Client>> open(ScriptedStream::Answer answer, Security security = Security::kPlain,
                                       const std::string& greeting = kGreeting, Credentials credentials = {"ann", "pass word"}) {
    return Client::open(std::make_unique<ScriptedStream>(greeting, std::move(answer), sent_), {"mail.example", 993, security},
                        credentials, {});
  }
  std::vector<std::string> sent_;
};

// Answers every command with OK and the data that it asks for.
std::string answer_all(const std::string& line) {
  if (line.starts_with("CAPABILITY")) return format("* CAPABILITY {}\r\nTAG OK\r\n", kEverything);
  if (line.starts_with("ENABLE")) return "* ENABLED QRESYNC\r\nTAG OK\r\n";
  if (line.starts_with("LIST"))
    return "* LIST (\\HasNoChildren) \"/\" INBOX\r\n* STATUS INBOX (MESSAGES 3 UIDNEXT 9 UIDVALIDITY 5)\r\nTAG OK\r\n";
  if (line.starts_with("EXAMINE"))
    return "* 3 EXISTS\r\n* OK [UIDVALIDITY 5] x\r\n* OK [UIDNEXT 9] x\r\n* VANISHED (EARLIER) 4:6\r\nTAG OK\r\n";
  if (line.starts_with("UID SEARCH")) return "* ESEARCH (TAG \"TAG\") UID ALL 1:3,8\r\nTAG OK\r\n";
  if (line == "IDLE") return "+ idling\r\n* 4 EXISTS\r\n";
  return "TAG OK done\r\n";
}

// Only these commands may ever be sent, and messages are only read with BODY.PEEK.
TEST_F(ImapClient, CanOnlyRead) {
  const auto client = open(answer_all);
  ASSERT_TRUE(client) << client.error().message;
  const KnownState known{5, 77};
  const TakeFetched ignore = [](const Fetched&) { return Status{}; };
  ASSERT_TRUE((*client)->list());
  ASSERT_TRUE((*client)->examine("INBOX", nullptr, ignore));
  ASSERT_TRUE((*client)->examine("INBOX", &known, ignore));
  ASSERT_TRUE((*client)->fetch_sizes(1, ignore));
  ASSERT_TRUE((*client)->fetch_flags(9, 0, ignore));
  ASSERT_TRUE((*client)->fetch_flags(9, 77, ignore));
  ASSERT_TRUE((*client)->fetch_messages(UidSet::parse("1:3").value(), ignore));
  ASSERT_TRUE((*client)->search_all());
  ASSERT_TRUE((*client)->idle(std::chrono::steady_clock::now()));
  ASSERT_TRUE((*client)->noop());
  (*client)->log_out();
  ASSERT_GE(sent_.size(), 13U);
  const std::vector<std::string_view> allowed = {"CAPABILITY",     "AUTHENTICATE PLAIN ",
                                                 "ENABLE QRESYNC", "LIST \"\" \"*\"",
                                                 "EXAMINE ",       "UID FETCH ",
                                                 "UID SEARCH ",    "IDLE",
                                                 "DONE",           "NOOP",
                                                 "LOGOUT"};
  for (const std::string& line : sent_) {
    EXPECT_TRUE(std::ranges::any_of(allowed, [&](std::string_view begin) { return line.starts_with(begin); })) << line;
    for (std::size_t at = line.find("BODY"); at != std::string::npos; at = line.find("BODY", at + 1))
      EXPECT_EQ(line.substr(at, 10), "BODY.PEEK[") << line;
    EXPECT_EQ(line.find("RFC822 "), std::string::npos) << line;
    EXPECT_EQ(line.find("IMAP4REV2"), std::string::npos) << "Microsoft 365 breaks if it is enabled";
  }
}

// The text of every command that can be made, whatever it is given.
TEST(ImapCommand, NoArgumentEndsTheLine) {
  EXPECT_FALSE(Command::examine("a\r\nL9 DELETE b", true, nullptr));
  EXPECT_FALSE(Command::examine(std::string_view("a\0b", 3), true, nullptr));
  EXPECT_FALSE(Command::login("ann\r\nL9 DELETE b", "x"));
  EXPECT_FALSE(Command::login("ann", "x\ny"));
  EXPECT_FALSE(Command::login("ann", "é"));
  EXPECT_EQ(Command::examine("a\"b\\c", false, nullptr)->text(), R"(EXAMINE "a\"b\\c")");
  EXPECT_EQ(Command::login("ann", "p\"w")->text(), R"(LOGIN "ann" "p\"w")");
}

TEST_F(ImapClient, ReadsAResynchronization) {
  const auto client = open(answer_all);
  ASSERT_TRUE(client);
  const KnownState known{5, 77};
  const auto opened = (*client)->examine("INBOX", &known, {});
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->resynced);
  EXPECT_EQ(opened->vanished.text(), "4:6");
  EXPECT_EQ(opened->status.messages, 3U);
  EXPECT_EQ((*client)->search_all()->text(), "1:3,8");
  EXPECT_EQ((*client)->list()->at(0).status->uid_next, 9U);
  EXPECT_EQ(sent_[sent_.size() - 3], "EXAMINE \"INBOX\" (QRESYNC (5 77))");
}

// iCloud answers OK to ENABLE QRESYNC without enabling it.
TEST_F(ImapClient, DoesNotResynchronizeUnlessItIsEnabled) {
  const auto client = open([](const std::string& line) { return line.starts_with("ENABLE") ? "TAG OK\r\n" : answer_all(line); });
  ASSERT_TRUE(client);
  const KnownState known{5, 77};
  const auto opened = (*client)->examine("INBOX", &known, {});
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->resynced);
  EXPECT_EQ(sent_.back(), "EXAMINE \"INBOX\" (CONDSTORE)");
}

TEST_F(ImapClient, DoesNotShowTheServersTextAboutTheSignIn) {
  const auto refused = open([](const std::string& line) {
    return line.starts_with("AUTHENTICATE") ? "TAG NO [AUTHENTICATIONFAILED] pass word is wrong: " + line + "\r\n"
                                            : answer_all(line);
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kAuthentication);
  EXPECT_EQ(refused.error().message.find("pass word"), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().message.find(base64::encode(std::string("\0ann\0pass word", 14))), std::string::npos);
  EXPECT_NE(refused.error().message.find("AUTHENTICATIONFAILED"), std::string::npos);
}

TEST_F(ImapClient, StartTlsComesBeforeTheSignIn) {
  ASSERT_TRUE(open(answer_all, Security::kStartTls));
  EXPECT_EQ(sent_[0], "STARTTLS");
  EXPECT_EQ(sent_[1], "(TLS)");
  EXPECT_EQ(sent_[2], "CAPABILITY") << "capabilities from before the encryption do not count";
}

// CVE-2020-15953 and its relatives.
TEST_F(ImapClient, RefusesDataThatWasInjectedBeforeTheEncryption) {
  const auto injected =
      open([](const std::string& line) { return line == "STARTTLS" ? "TAG OK\r\n* PREAUTH\r\n" : answer_all(line); },
           Security::kStartTls);
  ASSERT_FALSE(injected);
  EXPECT_EQ(injected.error().code, Code::kRsProtocol);
  EXPECT_EQ(sent_.size(), 1U);
  sent_.clear();
  EXPECT_FALSE(open(answer_all, Security::kStartTls, "* PREAUTH welcome\r\n"));
  EXPECT_TRUE(sent_.empty());
}

TEST_F(ImapClient, SendsATokenAndEndsTheServersQuestion) {
  const auto refused = open(
      [](const std::string& line) {
        if (line.starts_with("AUTHENTICATE XOAUTH2 ")) return std::string("+ eyJzdGF0dXMiOiI0MDAifQ==\r\n");
        return line.empty() ? std::string("TAG NO AUTHENTICATE failed.\r\n") : answer_all(line);
      },
      Security::kPlain, "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2] ready\r\n",
      {"ann@example.org", "token", Login::kToken});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kAuthentication);
  EXPECT_EQ(sent_[0], "AUTHENTICATE XOAUTH2 " + base64::encode("user=ann@example.org\x01"
                                                               "auth=Bearer token\x01\x01"));
  EXPECT_EQ(sent_[1], "");
}

TEST_F(ImapClient, SendsNoPasswordWhereItIsNotAccepted) {
  EXPECT_FALSE(open(answer_all, Security::kPlain, "* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] ready\r\n"));
  EXPECT_TRUE(sent_.empty());
}

TEST_F(ImapClient, EndsWithTheServersReason) {
  const auto client =
      open([](const std::string& line) { return line == "NOOP" ? "* BYE shutting\x1b[2J down\r\n" : answer_all(line); });
  ASSERT_TRUE(client);
  const Status ended = (*client)->noop();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kRsUnreachable);
  EXPECT_NE(ended.error().message.find("shutting"), std::string::npos);
  EXPECT_EQ(ended.error().message.find('\x1b'), std::string::npos) << "a server's text is safe for the terminal";
}

}  // namespace
}  // namespace ladder::sync::imap
