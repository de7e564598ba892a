// Synced mail accounts against a real Dovecot: everything that can happen at the source, and everything that can interrupt a run.
#include "mail_server.h"
#include "owner.h"

#include "base/text/format.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>

namespace ladder::e2e {
namespace {

using sync_tests::CutProxy;
using sync_tests::kPassword;
using sync_tests::MailServer;
using sync_tests::MailSession;
using sync_tests::numbered_message;

class SyncedAccount {
 public:
  explicit SyncedAccount(const std::string& engine, const std::string& capabilities = "") : owner(engine), server(capabilities) {
    owner.done({"init"});
  }

  void add(std::uint16_t port, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "add",    "imap",      "mail",   "--user",
                                      "ann",  "--host", "127.0.0.1", "--port", std::to_string(port)};
    if (more.empty()) more = {"--security", "plain"};
    words.insert(words.end(), more.begin(), more.end());
    owner.done(words, std::string(kPassword) + "\n");
  }
  void add() { add(server.port()); }

  boost::json::value sync(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "run", "mail"};
    words.insert(words.end(), more.begin(), more.end());
    return owner.json(words).at("runs").at(0).at("report");
  }
  std::int64_t count(std::string_view stream) const {
    const auto connection = owner.json({"connection", "show", "mail-mail"});
    for (const auto& each : connection.at("streams").as_array()) {
      if (each.at("name").as_string() == stream) return each.at("records").as_int64();
    }
    return -1;
  }
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }
  // The filings as "folder flags", sorted by the record's subject.
  std::vector<std::string> filings() const {
    std::vector<std::string> all;
    const auto page = owner.json({"records", "filings", "--connection", "mail-mail", "--limit", "100"});
    for (const auto& each : page.at("data").as_array()) {
      const auto& data = each.at("data").as_object();
      all.push_back(format("{} {}{}{}", std::string(data.at("subject").as_string()), std::string(data.at("folder").as_string()),
                           data.at("read").as_bool() ? " read" : "", data.at("flagged").as_bool() ? " flagged" : ""));
    }
    std::ranges::sort(all);
    return all;
  }

  Owner owner;
  MailServer server;
  MailSession account{server, "ann"};
};

class Sync : public ::testing::TestWithParam<std::string>, public SyncedAccount {
 protected:
  Sync() : SyncedAccount(GetParam()) {}
};

TEST_P(Sync, FirstRunThenNothingNewThenNewMail) {
  account.append_numbered("INBOX", 1, 20);
  account.append_numbered("Sent", 21, 25);
  account.append_numbered("Trash", 26, 27);
  add();
  const auto first = sync();
  EXPECT_EQ(number_at(first, "/fetched"), 25);
  EXPECT_EQ(number_at(first, "/messages"), 25);
  EXPECT_EQ(count("messages"), 25);
  EXPECT_EQ(count("filings"), 25);
  EXPECT_TRUE(finds("word7"));
  EXPECT_TRUE(finds("word23"));
  EXPECT_FALSE(finds("word26")) << "the trash is not synced";

  const auto again = sync();
  EXPECT_EQ(number_at(again, "/fetched"), 0);
  EXPECT_EQ(number_at(again, "/unchanged_folders"), number_at(again, "/folders"));

  account.append_numbered("INBOX", 30, 31);
  const auto more = sync();
  EXPECT_EQ(number_at(more, "/fetched"), 2);
  EXPECT_EQ(number_at(more, "/removed"), 0);
  EXPECT_TRUE(finds("word31"));
  EXPECT_EQ(count("messages"), 27);
}

TEST_P(Sync, TheSourceIsNotChanged) {
  account.append_numbered("INBOX", 1, 3);
  add();
  sync();
  account.command("SELECT INBOX");
  for (const std::string& line : account.command("FETCH 1:* (FLAGS)")) EXPECT_EQ(line.find("\\Seen"), std::string::npos) << line;
}

TEST_P(Sync, FlagsFollow) {
  account.append_numbered("INBOX", 1, 3);
  add();
  sync();
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX", "Number 2 INBOX", "Number 3 INBOX"}));
  account.command("SELECT INBOX");
  account.command("STORE 2 +FLAGS (\\Seen \\Flagged)");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/changed_flags"), 1);
  EXPECT_EQ(number_at(report, "/fetched_bytes"), 0) << "a flag costs no download";
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX", "Number 2 INBOX read flagged", "Number 3 INBOX"}));
}

TEST_P(Sync, DeletedMailIsRemoved) {
  account.append_numbered("INBOX", 1, 20);
  add();
  sync();
  account.command("SELECT INBOX");
  account.command("STORE 5:6 +FLAGS (\\Deleted)");
  account.command("EXPUNGE");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 2);
  EXPECT_EQ(count("messages"), 18);
  EXPECT_EQ(count("filings"), 18);
  EXPECT_FALSE(finds("word5"));
  EXPECT_TRUE(finds("word7"));
}

TEST_P(Sync, AMoveKeepsTheRecord) {
  account.append_numbered("INBOX", 1, 4);
  add();
  sync();
  const auto before = owner.json({"search", "word2"}).at("data").at(0).at("id");
  account.command("SELECT INBOX");
  account.command("MOVE 2 Archive");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 0);
  EXPECT_EQ(count("messages"), 4);
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX", "Number 2 Archive", "Number 3 INBOX", "Number 4 INBOX"}));
  EXPECT_EQ(owner.json({"search", "word2"}).at("data").at(0).at("id"), before);
}

TEST_P(Sync, AnEmptiedAccountAsksFirst) {
  account.append_numbered("INBOX", 1, 10);
  add();
  sync();
  account.command("SELECT INBOX");
  account.command("STORE 1:3 +FLAGS (\\Deleted)");
  account.command("EXPUNGE");
  const Outcome asked = owner.ladder({"sync", "run", "mail"});
  EXPECT_EQ(asked.exit_code, 1) << asked.summary();
  EXPECT_NE(asked.out.find("--remove-missing"), std::string::npos) << asked.summary();
  EXPECT_EQ(count("messages"), 10);
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "needs you");
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 3);
  EXPECT_EQ(count("messages"), 7);
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "ok");
}

TEST_P(Sync, ANewUidValidityKeepsTheRecords) {
  account.command("CREATE Lists");
  account.append_numbered("Lists", 1, 6);
  add();
  sync();
  account.command("DELETE Lists");
  account.command("CREATE Lists");
  account.append_numbered("Lists", 2, 7);
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched"), 6);
  EXPECT_EQ(number_at(report, "/removed"), 1) << "only the message that is not there again";
  EXPECT_EQ(count("messages"), 6);
  EXPECT_EQ(count("filings"), 6);
  EXPECT_FALSE(finds("word1"));
}

TEST_P(Sync, FoldersHaveTheirWholeNames) {
  account.command("CREATE \"Reisen/M&APw-nchen &- mehr\"");
  account.append("\"Reisen/M&APw-nchen &- mehr\"", numbered_message(1));
  add();
  sync();
  ASSERT_EQ(filings().size(), 1U);
  EXPECT_EQ(filings()[0], "Number 1 Reisen/München & mehr");
}

TEST_P(Sync, AnUnreadableMessageIsReportedAndTheOthersAreImported) {
  account.append_numbered("INBOX", 1, 2);
  account.append("INBOX", "\r\n");
  account.append_numbered("INBOX", 3, 3);
  add();
  EXPECT_EQ(number_at(sync(), "/fetched"), 4);
  EXPECT_EQ(count("messages"), 3);
  EXPECT_EQ(number_at(sync(), "/fetched"), 0) << "it is not fetched again";
  const auto connection = owner.json({"connection", "show", "mail-mail"});
  EXPECT_EQ(number_at(connection, "/imports/0/lost"), 1);
}

TEST_P(Sync, KilledInTheMiddleItGoesOn) {
  constexpr std::int64_t kMessages = 3000, kSaved = 600;  // the first batches are saved when more are stored
  account.append_numbered("INBOX", 1, kMessages);
  add();
  {
    Process run(owner.surroundings(), {"sync", "run", "mail"});
    for (std::int64_t had = 0; had < kSaved && !run.has_ended();) {
      if (owner.ladder({"connection", "show", "mail-mail", "--json"}).exit_code == 0) had = count("messages");
    }
    run.signal(SIGKILL);
    run.wait();
  }
  const std::int64_t had = count("messages");
  ASSERT_GE(had, kSaved);
  ASSERT_LT(had, kMessages) << "the run was not interrupted";
  const auto rest = sync();
  EXPECT_LT(number_at(rest, "/fetched"), kMessages) << "saved batches are not fetched again";
  EXPECT_GE(number_at(rest, "/fetched"), kMessages - had);
  EXPECT_EQ(count("messages"), kMessages);
  EXPECT_EQ(count("filings"), kMessages);
  EXPECT_TRUE(finds(format("word{}", kMessages)));
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
}

TEST_P(Sync, ACutConnectionLosesNothingAndRemovesNothing) {
  account.append_numbered("INBOX", 1, 600);
  CutProxy proxy(server.port(), 150'000, 1);
  add(proxy.port(), {"--security", "plain", "--no-test"});
  const Outcome cut = owner.ladder({"sync", "run", "mail"});
  EXPECT_EQ(cut.exit_code, 1) << cut.summary();
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "failing");
  const std::int64_t had = count("messages");
  EXPECT_GT(had, 0);
  EXPECT_LT(had, 600);
  const auto rest = sync();
  EXPECT_EQ(number_at(rest, "/removed"), 0);
  EXPECT_EQ(number_at(rest, "/fetched"), 600 - had);
  EXPECT_EQ(count("messages"), 600);
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "ok");
}

TEST_P(Sync, AWrongPasswordIsNamed) {
  const Outcome wrong = owner.ladder({"sync", "add", "imap", "mail", "--user", "ann", "--host", "127.0.0.1", "--port",
                                      std::to_string(server.port()), "--security", "plain"},
                                     "not-the-password\n");
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("rejected the sign-in"), std::string::npos) << wrong.summary();
  EXPECT_EQ(wrong.err.find("not-the-password"), std::string::npos) << wrong.summary();
  EXPECT_TRUE(owner.json({"sync", "list"}).at("sources").as_array().empty()) << "nothing is stored";
}

TEST_P(Sync, OnlyTrustedCertificatesAreAccepted) {
  account.append_numbered("INBOX", 1, 2);
  const std::vector<std::string> words = {"sync", "add",    "imap",      "mail",   "--user",
                                          "ann",  "--host", "localhost", "--port", std::to_string(server.tls_port())};
  const Outcome untrusted = owner.ladder(words, std::string(kPassword) + "\n");
  EXPECT_NE(untrusted.exit_code, 0);
  EXPECT_NE(untrusted.err.find("self-signed certificate"), std::string::npos) << untrusted.summary();
  EXPECT_NE(untrusted.err.find("--ca"), std::string::npos) << untrusted.summary();
  std::vector<std::string> trusted = words;
  trusted.insert(trusted.end(), {"--ca", server.certificate()});
  owner.done(trusted, std::string(kPassword) + "\n");
  EXPECT_EQ(number_at(sync(), "/fetched"), 2);
}

TEST_P(Sync, StartTlsEncryptsBeforeTheSignIn) {
  account.append_numbered("INBOX", 1, 2);
  add(server.port(), {"--security", "starttls", "--ca", server.certificate()});
  EXPECT_EQ(number_at(sync(), "/fetched"), 2);
}

TEST_P(Sync, APasswordCommandIsRunAtEverySignIn) {
  account.append_numbered("INBOX", 1, 1);
  const std::string file = owner.write_file("password", std::string(kPassword) + "\n");
  add(server.port(), {"--security", "plain", "--password-command", "cat " + file});
  EXPECT_EQ(number_at(sync(), "/fetched"), 1);
  std::filesystem::remove(file);
  const Outcome failed = owner.ladder({"sync", "run", "mail"});
  EXPECT_NE(failed.err.find("the command for the password failed"), std::string::npos) << failed.summary();
}

TEST_P(Sync, RemovedSourcesKeepTheirRecords) {
  account.append_numbered("INBOX", 1, 3);
  add();
  sync();
  std::filesystem::path work;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(owner.file(""))) {
    if (entry.path().filename() == "mail.lock") work = entry.path().parent_path() / "mail";
  }
  ASSERT_FALSE(work.empty());
  std::filesystem::create_directories(work / "batch");
  std::ofstream(work / "batch" / "left-by-a-kill") << "mail in clear";
  owner.done({"sync", "remove", "mail"});
  EXPECT_FALSE(std::filesystem::exists(work));
  EXPECT_EQ(count("messages"), 3);
  add();
  EXPECT_EQ(number_at(sync(), "/fetched"), 3);
  EXPECT_EQ(count("messages"), 3);
}

TEST_P(Sync, AnErasedConnectionStaysErased) {
  account.append_numbered("INBOX", 1, 3);
  add();
  sync();
  owner.done({"erase", "mail-mail", "--yes"});
  const Outcome refused = owner.ladder({"sync", "run", "mail"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("was erased"), std::string::npos) << refused.summary();
}

TEST_P(Sync, AConnectionErasedDuringARunStaysErased) {
  constexpr std::int64_t kMessages = 3000;
  account.append_numbered("INBOX", 1, kMessages);
  add();
  Process run(owner.surroundings(), {"sync", "run", "mail"});
  for (std::int64_t had = 0; had < 300 && !run.has_ended();) {
    if (owner.ladder({"connection", "show", "mail-mail", "--json"}).exit_code == 0) had = count("messages");
  }
  ASSERT_FALSE(run.has_ended());
  owner.done({"erase", "mail-mail", "--yes"});
  EXPECT_NE(run.wait().exit_code, 0);
  EXPECT_NE(owner.ladder({"connection", "show", "mail-mail"}).exit_code, 0);
  EXPECT_NE(owner.ladder({"sync", "run", "mail"}).exit_code, 0);
}

TEST_P(Sync, AnImportIntoTheConnectionMakesRemovalsAsk) {
  account.append_numbered("INBOX", 1, 20);
  add();
  sync();
  owner.done({"import", owner.write_file("old.eml", numbered_message(30)), "--connection", "mail-mail"});
  account.command("SELECT INBOX");
  account.command("STORE 5 +FLAGS (\\Deleted)");
  account.command("EXPUNGE");
  const Outcome asked = owner.ladder({"sync", "run", "mail", "--json"});
  EXPECT_EQ(number_at(asked.json().at("runs").at(0).at("report"), "/waiting_removals"), 1) << asked.summary();
  EXPECT_TRUE(finds("word5"));
}

// Servers that support less: Gmail has CONDSTORE without QRESYNC, Microsoft 365 neither of them and no LIST-STATUS.
struct Kind {
  std::string name, capabilities;
};

class SyncWithLess : public ::testing::TestWithParam<Kind>, public SyncedAccount {
 protected:
  SyncWithLess() : SyncedAccount("sqlite", GetParam().capabilities) {}
};

TEST_P(SyncWithLess, EveryChangeIsFound) {
  account.append_numbered("INBOX", 1, 12);
  account.append_numbered("Archive", 13, 14);
  add();
  EXPECT_EQ(number_at(sync(), "/fetched"), 14);
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
  account.command("SELECT INBOX");
  account.command("STORE 3 +FLAGS (\\Seen)");
  EXPECT_EQ(number_at(sync(), "/changed_flags"), 1);
  account.command("STORE 5 +FLAGS (\\Deleted)");
  account.command("EXPUNGE");
  account.command("MOVE 6 Archive");  // number 7 after the deletion
  account.append_numbered("INBOX", 20, 20);
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_EQ(number_at(report, "/fetched"), 2) << "the new message and the moved one";
  EXPECT_EQ(count("messages"), 14);
  EXPECT_EQ(count("filings"), 14);
  EXPECT_FALSE(finds("word5"));
  EXPECT_TRUE(finds("word20"));
  const auto all = filings();
  EXPECT_NE(std::ranges::find(all, "Number 3 INBOX read"), all.end());
  EXPECT_NE(std::ranges::find(all, "Number 7 Archive"), all.end());
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Servers, SyncWithLess,
    ::testing::Values(
        Kind{"all", ""},
        Kind{"condstore",
             "IMAP4rev1 UNSELECT IDLE NAMESPACE ID CHILDREN UIDPLUS ENABLE MOVE CONDSTORE ESEARCH LIST-EXTENDED LIST-STATUS"},
        Kind{"microsoft", "IMAP4rev1 SASL-IR UIDPLUS MOVE ID UNSELECT CHILDREN IDLE NAMESPACE LITERAL+"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Engines, Sync, ::testing::Values("sqlite", "postgres"), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
