// Kills an ingest with kill -9 at random moments: afterwards every acknowledged record is complete, every invariant of
// the schema holds, and writing continues. 20 kills in a normal run (10 per engine), 200 with LADDER_TEST_ALL.
#include "base/text/utf8.h"
#include "support/child_process.h"
#include "support/server_fixture.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <thread>

namespace ladder {
namespace {

using test_support::ChildProcess;
using test_support::must;
using test_support::text_member;

constexpr int kLines = 3'000;
constexpr int kKeys = 700;  // fewer keys than lines: records are replaced and deleted during the ingest

// The effect of one input line. It depends only on the line's number, so that a check needs no state of the run.
struct Step {
  std::string key;
  bool is_delete = false;
  std::string body;
};

Step step(int i) {
  std::mt19937 random(static_cast<unsigned>(i) * 2654435761U + 17);
  Step s;
  s.key = "k" + std::to_string(random() % kKeys);
  s.is_delete = random() % 11 == 0;
  // Most bodies are short, some have a few chunks, some are long enough to be staged.
  const unsigned size = i % 251 == 250 ? 1'500'000 : i % 7 == 0 ? 9'000 : 40;
  s.body = format("line {} ", i);
  while (s.body.size() < size) s.body += format("äöü🙂 {} ", random() % 1'000'000);
  return s;
}

std::string input_line(int i) {
  const Step s = step(i);
  if (s.is_delete) return format("{{\"key\":\"{}\",\"op\":\"delete\"}}\n", s.key);
  return test_support::record_line(s.key, text_member("body", s.body));
}

class Crash : public test_support::ServerFixture {
 protected:
  Crash() {
    std::ofstream file(input());
    for (int i = 0; i < kLines; ++i) file << input_line(i);
  }

  std::string input() { return (place().folder() / "lines.ndjson").string(); }
  std::vector<std::string> command() {
    return {LADDER_BINARY, "ingest",   "--db",  place().location(), "--connection",
            "work",        "--stream", "notes", "--receipts",       input()};
  }

  // Runs the ingest until `target` lines are acknowledged and kills it after a part of the time between the last two
  // acknowledgements. Timing the kill by progress hits the work on slow machines, too. Returns the last acknowledged
  // line.
  int acknowledged_when_killed_near(int target, double part) {
    using Clock = std::chrono::steady_clock;
    ChildProcess child(command());
    std::jthread killer;
    const auto kill_after = [&](Clock::duration pause) {
      killer = std::jthread([&child, pause] {
        std::this_thread::sleep_for(pause);
        child.kill(SIGKILL);
      });
    };
    if (target == 0) kill_after(std::chrono::duration_cast<Clock::duration>(std::chrono::milliseconds(60) * part));
    int acknowledged = 0;
    auto last = Clock::now();
    while (const auto line = child.read_line()) {
      if (std::sscanf(line->c_str(), "{\"durable_through\":%d", &acknowledged) != 1) continue;
      const auto gap = Clock::now() - last;
      last = Clock::now();
      if (acknowledged >= target && !killer.joinable()) kill_after(std::chrono::duration_cast<Clock::duration>(gap * part));
    }
    if (killer.joinable()) killer.join();
    child.wait();
    return acknowledged;
  }

  // The writer stopped at some line at or after the acknowledged one. Each key must be exactly as it was after some
  // line between the two, and nothing may be torn.
  void expect_whole(int acknowledged) {
    std::map<std::string, std::vector<int>> lines_of;
    for (int i = 0; i < kLines; ++i) lines_of[step(i).key].push_back(i);
    for (const auto& [key, lines] : lines_of) {
      const auto window = read(owner(), key, "body", test_support::at_offset(0, 40));
      ASSERT_TRUE(window || window.error().code == Code::kNotFound) << key << ": " << window.error().message;
      bool explained = lines.front() >= acknowledged && !window;  // not written yet
      for (std::size_t n = 0; n < lines.size() && !explained; ++n) {
        const bool acknowledged_after = n + 1 < lines.size() && lines[n + 1] < acknowledged;
        if (acknowledged_after) continue;  // a later acknowledged line must have overwritten this one
        const Step s = step(lines[n]);
        explained = s.is_delete ? !window : window && window->digest == crypto::digest_text(crypto::sha256(s.body));
      }
      ASSERT_TRUE(explained) << key << " after " << acknowledged
                             << " acknowledged lines: " << (window ? window->text : std::string("missing"));
    }
    EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>{});
  }
};

TEST_P(Crash, Kill9LosesNoAcknowledgedRecordAndTearsNone) {
  const int kills = std::getenv("LADDER_TEST_ALL") ? 100 : 10;
  std::mt19937 random(GetParam() == "sqlite" ? 1 : 2);
  int stopped_midway = 0;
  for (int round = 0; round < kills; ++round) {
    // 0: kills it while it opens the store.
    const int target = round % 5 == 0 ? 0 : static_cast<int>(random() % (kLines * 9 / 10));
    const double part = static_cast<double>(random() % 1'000) / 1'000;
    const int acknowledged = acknowledged_when_killed_near(target, part);
    SCOPED_TRACE(format("round {}, killed {} of a gap after line {}, {} lines acknowledged", round, part, target, acknowledged));
    expect_whole(acknowledged);
    if (HasFatalFailure()) return;
    if (acknowledged > 0 && acknowledged < kLines) ++stopped_midway;
  }
  EXPECT_GT(stopped_midway, kills / 4) << "the kills missed the work";

  const auto finished = test_support::run(command());
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  expect_whole(kLines);
}

LADDER_FOR_EVERY_ENGINE(Crash);

}  // namespace
}  // namespace ladder
