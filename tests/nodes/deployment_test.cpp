// Three nodes behind HAProxy, with PgBouncer and a PostgreSQL pair that Patroni manages, under load: nodes restart one after the
// other without a failed request; when the primary is killed, requests fail only until the standby takes over, each with a
// reason, and no acknowledged write is lost.
//
// LADDER_SOAK_MINUTES=20 repeats this for so long, with an import in each round, and also checks the memory of the nodes
// (`./dev bench soak`).
#include "deployment.h"
#include "base/text/format.h"
#include "load.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <thread>

namespace ladder::nodes {
namespace {

using faults::eventually;
using std::chrono::seconds;

constexpr int kReaders = 6, kWriters = 2, kImportedNotes = 500;
constexpr std::uint64_t kSteady = 100;                // requests that show that all is well
constexpr milliseconds kEndOfFailover = seconds(12);  // a request that began during a failover may fail this long after it

std::int64_t resident_kilobytes(pid_t process) {
  std::ifstream file(format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return 0;
}

// A failure during a failover is one of Ladder's typed errors, or HAProxy's for having no node.
bool is_explained(const Failure& failure) {
  if (failure.code == "store_unavailable" || failure.code == "ingest_batch_storage_error" ||
      failure.code == "rate_limit_exceeded")
    return true;
  return failure.status == 503 && failure.text.find("No server is available") != std::string::npos;
}

std::int64_t seconds_between(Time a, Time b) { return std::chrono::duration_cast<seconds>(b - a).count(); }

class Scene {
 public:
  void run_round(int round, bool soak) {
    Load load(deployment_.port(), deployment_.client_token(), deployment_.owner_token(), kReaders, kWriters);
    const Time begin = SteadyClock::now();
    EXPECT_TRUE(load.advances(kSteady));
    std::jthread importer;
    if (soak) importer = std::jthread([this, round] { import_notes(round); });
    for (std::size_t n = soak ? 0 : 1; n < Deployment::kNodes; ++n) deployment_.restart_node(n);
    EXPECT_TRUE(load.advances(kSteady));
    for (const Failure& failure : load.failures()) ADD_FAILURE() << "during a rolling restart: " << failure.summary();
    const std::size_t before = load.failures().size();

    if (importer.joinable()) importer.join();  // a failover ends an import
    const std::size_t killed = deployment_.primary();
    const Time kill = SteadyClock::now();
    deployment_.kill_server(killed);
    EXPECT_TRUE(eventually([&] { return deployment_.primary() != killed; }));
    EXPECT_TRUE(load.advances(kSteady));
    const Time back = SteadyClock::now();
    EXPECT_TRUE(
        eventually([&] { return deployment_.is_in_service(0) && deployment_.is_in_service(1) && deployment_.is_in_service(2); }));
    if (soak) {
      deployment_.start_server(killed);
      EXPECT_TRUE(eventually([&] { return deployment_.has_standby(); }));
      EXPECT_TRUE(load.advances(kSteady));
    }
    load.stop();

    std::map<std::string, int> reasons;
    const auto failures = load.failures();
    for (std::size_t n = before; n < failures.size(); ++n) {
      const Failure& failure = failures[n];
      const bool during = failure.received >= kill && failure.sent <= back + kEndOfFailover;
      if (!during || !is_explained(failure)) ADD_FAILURE() << "not by the failover: " << failure.summary();
      ++reasons[format("{} {}", failure.status, failure.code)];
    }
    std::cout << format("    {} requests succeeded; restarts {} s, failover {} ms, return of the standby {} s;", load.good(),
                        seconds_between(begin, kill), std::chrono::duration_cast<milliseconds>(back - kill).count(),
                        seconds_between(back, SteadyClock::now()));
    for (const auto& [reason, count] : reasons) std::cout << format(" {} failed with {};", count, reason);
    std::cout << std::endl;
    check_acknowledged(load);
  }

  std::int64_t memory() {
    std::int64_t most = 0;
    for (std::size_t n = 0; n < Deployment::kNodes; ++n) most = std::max(most, resident_kilobytes(deployment_.node(n).pid()));
    return most;
  }

 private:
  // Imports a folder of notes through the pooler, as an operator would.
  void import_notes(int round) {
    const auto folder = folder_ / format("notes-{}", round);
    std::filesystem::create_directory(folder);
    for (int n = 0; n < kImportedNotes; ++n)
      std::ofstream(folder / format("note-{}.md", n))
          << format("# Letter {}\n\n{} from the harbour\n", n, std::string(2'000, 'x'));
    const auto done = test_support::run({LADDER_BINARY, "import", "--db", deployment_.pooled_address(), folder.string()});
    EXPECT_EQ(done.exit_code, 0) << done.output;
  }

  void check_acknowledged(const Load& load) {
    ASSERT_FALSE(load.acknowledged().empty());
    const std::set<std::string> stored = stored_ids();
    for (const std::string& id : load.acknowledged()) EXPECT_TRUE(stored.contains(id)) << id << " was acknowledged";
  }

  std::set<std::string> stored_ids() {
    std::set<std::string> ids;
    for (std::string cursor;;) {
      const auto page =
          deployment_.node(0).get("/v1/streams/notes/records?limit=100&fields=id" + cursor, deployment_.client_token());
      EXPECT_EQ(page.status, 200) << page.summary();
      const auto body = boost::json::parse(page.text);
      for (const auto& record : body.at("data").as_array()) ids.emplace(record.at("id").as_string());
      if (!body.at("has_more").as_bool()) return ids;
      cursor = "&cursor=" + std::string(body.at("next_cursor").as_string());
    }
  }

  Deployment deployment_;
  test_support::ScratchFolder folder_;
};

TEST(Deployment, ServesThroughRestartsAndAFailover) {
  if (const std::string missing = Deployment::missing(); !missing.empty()) GTEST_SKIP() << "not installed:" << missing;
  Scene scene;
  const char* const minutes = std::getenv("LADDER_SOAK_MINUTES");
  if (minutes == nullptr) return scene.run_round(0, false);
  const Time end = SteadyClock::now() + std::chrono::minutes(std::atoi(minutes));
  std::int64_t after_first = 0;
  for (int round = 0; round == 0 || SteadyClock::now() < end; ++round) {
    scene.run_round(round, true);
    if (round == 0) after_first = scene.memory();
    std::cout << format("    round {}: the largest node has {} MB", round + 1, scene.memory() / 1024) << std::endl;
  }
  EXPECT_LE(scene.memory(), after_first + after_first / 4 + 20 * 1024) << "KB; the memory of the nodes grows";
}

}  // namespace
}  // namespace ladder::nodes
