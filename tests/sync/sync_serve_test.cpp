// Synced sources inside `ladder serve`: new mail at once, settings that change meanwhile, failures that are visible, and
// credentials that are nowhere readable.
#include "mail_server.h"
#include "owner.h"

#include "base/text/format.h"
#include "support/child_process.h"

#include <boost/json/object.hpp>

#include <chrono>
#include <csignal>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using sync_tests::kPassword;
using sync_tests::MailServer;
using sync_tests::MailSession;

class SyncServe : public EveryEngine {
 protected:
  SyncServe() { owner.done({"init"}); }

  Outcome add(const std::string& password = kPassword, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"sync",       "add",    "imap",      "mail",   "--user",
                                      "ann",        "--host", "127.0.0.1", "--port", std::to_string(server.port()),
                                      "--security", "plain"};
    words.insert(words.end(), more.begin(), more.end());
    return owner.ladder(words, password + "\n");
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
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }
  // Returns how long it took until the word was found, or the limit.
  std::chrono::milliseconds time_until_found(std::string_view word, std::chrono::milliseconds limit = 20s) const {
    const auto begin = std::chrono::steady_clock::now();
    while (!finds(word) && std::chrono::steady_clock::now() - begin < limit) std::this_thread::sleep_for(20ms);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  }
  std::string state() const { return text_at(owner.json({"sync", "list"}), "/sources/0/state"); }
  bool becomes(const std::string& wanted) const {
    for (int tries = 0; tries < 500 && state() != wanted; ++tries) std::this_thread::sleep_for(20ms);
    return state() == wanted;
  }
  std::string metrics() const { return test_support::run({"/usr/bin/curl", "-s", url + "/metrics"}).output; }

  MailServer server;
  MailSession account{server, "ann"};
  std::optional<Process> process;
  std::string url;
};

TEST_P(SyncServe, NewMailIsFoundWithinSeconds) {
  account.append_numbered("INBOX", 1, 3);
  ASSERT_EQ(add().exit_code, 0);
  start();
  EXPECT_LT(time_until_found("word3"), 15s) << "the first run begins at once";
  for (int number = 10; number < 13; ++number) {
    account.append_numbered("INBOX", number, number);
    EXPECT_LT(time_until_found(format("word{}", number)), 5s);
  }
  account.command("SELECT INBOX");
  account.command("STORE 1 +FLAGS (\\Deleted)");
  account.command("EXPUNGE");
  for (int tries = 0; tries < 250 && finds("word1"); ++tries) std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(finds("word1")) << "a deletion is announced too";
  const std::string shown = metrics();
  EXPECT_NE(shown.find("ladder_sync_messages_total{change=\"fetched\"} 6"), std::string::npos) << shown;
  EXPECT_NE(shown.find("ladder_sync_sources{state=\"working\"} 1"), std::string::npos) << shown;
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_P(SyncServe, SourcesCanChangeWhileItRuns) {
  account.append_numbered("INBOX", 1, 3);
  start();
  ASSERT_EQ(add().exit_code, 0);
  EXPECT_LT(time_until_found("word2"), 15s) << "a source that was added meanwhile is read";
  owner.done({"sync", "pause", "mail"});
  std::this_thread::sleep_for(4s);  // the server looks every three seconds
  account.append_numbered("INBOX", 4, 4);
  std::this_thread::sleep_for(2s);
  EXPECT_FALSE(finds("word4")) << "a paused source is not read";
  owner.done({"sync", "resume", "mail"});
  EXPECT_LT(time_until_found("word4"), 15s);
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_P(SyncServe, FailuresAreShownAndANewPasswordEndsThem) {
  account.append_numbered("INBOX", 1, 2);
  ASSERT_EQ(add("a-wrong-password", {"--no-test"}).exit_code, 0);
  start();
  ASSERT_TRUE(becomes("failing"));
  const Outcome doctor = owner.ladder({"doctor"});
  EXPECT_EQ(doctor.exit_code, 1);
  EXPECT_NE(doctor.out.find("ladder sync password mail"), std::string::npos) << doctor.summary();
  const auto listed = owner.json({"sync", "list"});
  EXPECT_EQ(text_at(listed, "/sources/0/error_code"), "authentication_error");
  EXPECT_EQ(number_at(listed, "/sources/0/failures"), 1) << "it waits before it tries again";
  EXPECT_NE(metrics().find("ladder_sync_sources{state=\"failing\"} 1"), std::string::npos);
  ASSERT_EQ(owner.ladder({"sync", "password", "mail"}, std::string(kPassword) + "\n").exit_code, 0);
  EXPECT_LT(time_until_found("word2"), 15s);
  EXPECT_TRUE(becomes("ok"));
  const Outcome ended = stop();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err.find("a-wrong-password"), std::string::npos);
}

// Returns the text between two others.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  return at == std::string::npos ? "" : text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
}

TEST_P(SyncServe, TheSourcesPageShowsTheProblemAndItsRemedy) {
  ASSERT_EQ(add("a-wrong-password", {"--no-test"}).exit_code, 0);
  start();
  ASSERT_TRUE(becomes("failing"));
  const std::string link = text_at(owner.json({"owner", "link", "--public-url", url}), "/url");
  const std::string form = test_support::run({"/usr/bin/curl", "-s", link}).output;
  const std::string in =
      test_support::run({"/usr/bin/curl", "-s", "-D", "-", "-H", "Origin: " + url, "--data-urlencode",
                         "csrf=" + between(form, "name=\"csrf\" value=\"", "\""), "--data-urlencode",
                         "token=" + link.substr(link.find('=') + 1), "--data-urlencode", "passphrase=four words nobody guesses",
                         "--data-urlencode", "passphrase_again=four words nobody guesses", url + "/sign-in/link"})
          .output;
  const std::string cookie = between(in, "__Host-ladder=", ";");
  ASSERT_FALSE(cookie.empty()) << in;
  const std::string page =
      test_support::run({"/usr/bin/curl", "-s", "-H", "Cookie: __Host-ladder=" + cookie, url + "/sources"}).output;
  EXPECT_NE(page.find("Syncing automatically"), std::string::npos) << page;
  EXPECT_NE(page.find("/sources/sync?name=mail#password"), std::string::npos) << page;
  EXPECT_EQ(page.find("a-wrong-password"), std::string::npos);
  EXPECT_EQ(stop().exit_code, 0);
}

// Returns the files below a folder that contain the text.
std::vector<std::string> files_with(const fs::path& folder, std::string_view text) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && test_support::file_text(entry.path()).find(text) != std::string::npos)
      found.push_back(entry.path().string());
  }
  return found;
}

TEST_P(SyncServe, ThePasswordIsNowhereInClearText) {
  account.append_numbered("INBOX", 1, 3);
  ASSERT_EQ(add().exit_code, 0);
  owner.done({"sync", "run", "mail"});
  start();
  std::this_thread::sleep_for(1s);
  const Outcome served = stop();
  EXPECT_EQ(served.err.find(kPassword), std::string::npos);
  const Outcome grant = owner.done({"grant", "create", "--client", "c", "--stream", "messages"});
  std::string shown = served.err + grant.out;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"sync", "list"},
                                                                                     {"sync", "list", "--json"},
                                                                                     {"doctor"},
                                                                                     {"config", "show"},
                                                                                     {"connection", "show", "mail-mail"},
                                                                                     {"schema"}})
    shown += owner.ladder(words).summary();
  EXPECT_EQ(shown.find(kPassword), std::string::npos);
  owner.done({"export", owner.file("export").string()});
  owner.done({"backup", owner.file("backup").string()});
  EXPECT_EQ(files_with(owner.file(""), kPassword), std::vector<std::string>{});
  EXPECT_FALSE(files_with(owner.file("export"), "sync_source").size() > 0) << "an export has no settings of sources";
}

TEST_P(SyncServe, ARestoredStoreGoesOn) {
  if (GetParam() == "postgres") GTEST_SKIP() << "a restore needs a second database";
  account.append_numbered("INBOX", 1, 3);
  ASSERT_EQ(add().exit_code, 0);
  owner.done({"sync", "run", "mail"});
  owner.done({"backup", owner.file("backup").string()});
  account.append_numbered("INBOX", 4, 4);
  const std::string restored = owner.file("restored.db").string();
  owner.done({"restore", owner.file("backup").string(), "--db", restored});
  const auto report = owner.json({"sync", "run", "mail", "--db", restored});
  EXPECT_EQ(number_at(report, "/runs/0/report/fetched"), 1) << "the state was restored with the records";
}

INSTANTIATE_TEST_SUITE_P(Engines, SyncServe, ::testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
