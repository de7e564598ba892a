// Measures `ladder sync` against a real Dovecot on this computer: the first sync of 20,000 messages, a second one with nothing
// new, and the time from the delivery of a message until `ladder serve` finds it. The floors are the same commands sent by hand
// in a session that throws the answers away.
//
//   bench_sync [--quick]     --quick: 2,000 messages
#include "child.h"
#include "report.h"
#include "sync/mail_server.h"

#include "base/text/format.h"
#include "support/scratch_folder.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ladder::bench {
namespace {

using sync_tests::kPassword;
using sync_tests::MailServer;
using sync_tests::MailSession;
using SteadyClock = std::chrono::steady_clock;

constexpr int kMessages = 20'000, kQuickMessages = 2'000;
constexpr int kTurns = 5, kDeliveries = 10;
constexpr double kMaxFound = 5, kMaxOverMinimum = 2;  // seconds

double seconds_since(SteadyClock::time_point begin) { return std::chrono::duration<double>(SteadyClock::now() - begin).count(); }

class Program {
 public:
  Program() {
    setenv("LADDER_DB", (folder_.path() / "ladder.db").c_str(), 1);
    setenv("LADDER_CONFIG", "/dev/null", 1);
    setenv("HOME", folder_.path().c_str(), 1);
    run({"init"});
  }
  std::string run(std::vector<std::string> words, std::string_view input = {}) const {
    words.insert(words.begin(), LADDER_PROGRAM);
    Child child(words, (folder_.path() / "errors").string());
    if (!input.empty()) child.write(input);
    std::string out = child.read_all();
    if (const int code = child.wait(); code != 0) throw std::runtime_error(format("{} exited with {}", words[1], code));
    return out;
  }

 private:
  test_support::ScratchFolder folder_;
};

// Sends the commands of a run with nothing new: sign in, list the folders with their state.
double bare_listing(const MailServer& server) {
  const auto begin = SteadyClock::now();
  MailSession session(server, "ann");
  session.command("CAPABILITY");
  session.command("LIST \"\" * RETURN (STATUS (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ))");
  session.command("LOGOUT");
  return seconds_since(begin);
}

double bare_download(const MailServer& server) {
  const auto begin = SteadyClock::now();
  MailSession session(server, "ann");
  session.command("EXAMINE INBOX");
  session.command("UID FETCH 1:* (UID FLAGS BODY.PEEK[])");
  return seconds_since(begin);
}

double time_of(const Program& ladder) {
  const auto begin = SteadyClock::now();
  ladder.run({"sync", "run", "mail"});
  return seconds_since(begin);
}

// Returns the longest time from a delivery until the message is found.
double deliveries(const Program& ladder, MailSession& account, int first) {
  Child serve({LADDER_PROGRAM, "serve", "--listen", "127.0.0.1:0"}, "/dev/null");
  std::this_thread::sleep_for(std::chrono::seconds(3));
  double longest = 0;
  for (int i = 0; i < kDeliveries; ++i) {
    const int number = first + i;
    account.append_numbered("INBOX", number, number);
    const auto begin = SteadyClock::now();
    while (ladder.run({"search", format("word{}", number), "--json"}).find("mail-mail") == std::string::npos) {
      if (seconds_since(begin) > 60) throw std::runtime_error("a delivered message was not found");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    longest = std::max(longest, seconds_since(begin));
  }
  return longest;
}

int measure(int messages) {
  const MailServer server;
  MailSession account(server, "ann");
  progress(format("delivering {} messages", messages));
  account.append_numbered("INBOX", 1, messages);
  const Program ladder;
  ladder.run({"sync", "add", "imap", "mail", "--user", "ann", "--host", "127.0.0.1", "--port", std::to_string(server.port()),
              "--security", "plain", "--every", "1d"},
             std::string(kPassword) + "\n");
  Report report(format("ladder sync, {} messages, Dovecot on this computer", messages));
  progress("the first sync");
  const double download = bare_download(server), first = time_of(ladder);
  report.note("first sync", format("{:.2f} s", first), format("{:.2f} s download", download), first / download);
  progress("nothing new");
  double nothing = 0, minimum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    nothing = std::max(nothing, time_of(ladder));
    minimum = std::max(minimum, bare_listing(server));
  }
  report.below("sync with nothing new, slowest of 5", format("{:.3f} s", nothing), format("{:.3f} s", minimum),
               nothing - minimum <= kMaxOverMinimum, format("<= floor + {} s", kMaxOverMinimum));
  progress("deliveries");
  const double found = deliveries(ladder, account, messages + 1);
  report.below("delivery until it is found, slowest of 10", format("{:.2f} s", found), found <= kMaxFound,
               format("<= {} s", kMaxFound));
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) {
  try {
    const bool is_quick = argc > 1 && std::string_view(argv[1]) == "--quick";
    return ladder::bench::measure(is_quick ? ladder::bench::kQuickMessages : ladder::bench::kMessages);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sync: %s\n", error.what());
    return 1;
  }
}
