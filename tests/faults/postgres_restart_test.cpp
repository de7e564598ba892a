// PostgreSQL stops and restarts while clients read and write: immediate typed refusals during the outage, correct
// responses before and after, no acknowledged record lost, and no restart of `ladder serve`.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "support/postgres_cluster.h"

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace ladder::faults {
namespace {

using test_support::PostgresCluster;

constexpr int kReaders = 6, kWriters = 6;  // as many as workers, and more
constexpr milliseconds kGoneForLong = seconds(6);
constexpr milliseconds kBetweenRequests{30};

const std::string kBody(5000, 'b');  // too long for a record's row

enum class Phase { kUp, kGoing, kGone, kComing, kBack };

// Readers and writers that never pause and record wrong responses.
class Load {
 public:
  Load(const Serving& serving, const std::string& token, const std::string& owner_token)
      : serving_(serving), token_(token), owner_token_(owner_token) {
    for (int n = 0; n < kReaders; ++n) threads_.emplace_back([this, n] { read(n); });
    for (int n = kReaders; n < kReaders + kWriters; ++n) threads_.emplace_back([this, n] { write(n); });
  }
  ~Load() { stop(); }

  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  void enter(Phase phase) { phase_ = phase; }
  int good() const { return good_; }
  int refused() const { return refused_; }
  // Waits until every client has this many further responses: none hangs in the current phase.
  void expect_answers_for_all(int answers) const {
    std::vector<int> before;
    for (const auto& of_one : answered_) before.push_back(of_one);
    EXPECT_TRUE(eventually([&] {
      for (std::size_t n = 0; n < before.size(); ++n) {
        if (answered_[n] < before[n] + answers) return false;
      }
      return true;
    })) << "somebody gets no answer";
  }
  std::vector<std::string> faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }
  const std::vector<std::string>& acknowledged() const { return acknowledged_; }

 private:
  void read(int thread) {
    const std::string records = "/v1/streams/notes/records";
    for (int n = thread; !stop_; ++n) {
      const std::string id = format("n{}", n % 10);
      switch (n % 3) {
        case 0:
          judge(phase_, serving_.get(format("{}/{}", records, id), token_), format("\"body\":\"{}\"", kBody));
          break;
        case 1:
          judge(phase_, serving_.get(format("{}/{}/field-window?field=body&limit_chars=10", records, id), token_),
                "\"text\":\"bbbbbbbbbb\"");
          break;
        default:
          judge(phase_, serving_.get(records + "?limit=3&fields=id", token_), "\"has_more\":true");
      }
      ++answered_[static_cast<std::size_t>(thread)];
      std::this_thread::sleep_for(kBetweenRequests);
    }
  }

  void write(int thread) {
    for (int n = 0; !stop_; ++n) {
      const std::string id = format("w{}-{}", thread, n);
      const Phase phase = phase_;
      const Answer answer =
          serving_.send("POST", "/v1/ingest/notes?connection_id=work", owner_token_, record_line(id, text_member("body", kBody)));
      if (judge(phase, answer, "\"records_accepted\":1")) {
        const std::lock_guard lock(mutex_);
        acknowledged_.push_back(id);
      }
      ++answered_[static_cast<std::size_t>(thread)];
      std::this_thread::sleep_for(kBetweenRequests);
    }
  }

  // The expected response depends on the phase when the request was sent and on whether it has changed.
  bool judge(Phase before, const Answer& answer, std::string_view wanted) {
    const Phase after = phase_;
    const bool held_off = answer.is(429, "rate_limit_exceeded");  // calls that wait for a missing store are expensive
    const bool refused = answer.is(503, "store_unavailable") || answer.is(503, "ingest_batch_storage_error") || held_off;
    const bool right = answer.status == 200 && answer.text.find(wanted) != std::string::npos;
    const bool surely_up = before == after && (after == Phase::kUp || after == Phase::kBack);
    const bool surely_gone = before == Phase::kGone && after == Phase::kGone;
    (right ? good_ : refused_)++;
    if ((!right && !refused) || (surely_up && !right) || (surely_gone && !refused)) {
      const std::lock_guard lock(mutex_);
      faults_.push_back(format("phase {} to {}, {} ms: {}", static_cast<int>(before), static_cast<int>(after),
                               answer.took().count(), answer.summary()));
    }
    return right;
  }

  const Serving& serving_;
  const std::string token_, owner_token_;
  std::atomic<bool> stop_ = false;
  std::atomic<Phase> phase_ = Phase::kUp;
  std::atomic<int> good_ = 0, refused_ = 0;
  std::array<std::atomic<int>, kReaders + kWriters> answered_{};
  mutable std::mutex mutex_;
  std::vector<std::string> faults_, acknowledged_;
  std::vector<std::thread> threads_;
};

void wait_until_good(const Serving& serving, const std::string& token) {
  EXPECT_TRUE(eventually([&] { return serving.get("/v1/streams/notes/records/n1", token).status == 200; }))
      << "it does not recover";
}

void go_away_and_come_back(PostgresCluster& cluster, PostgresCluster::Stop how, milliseconds gone_for, const Serving& serving,
                           const std::string& token, Load& load) {
  const int refused = load.refused();
  load.enter(Phase::kGoing);
  cluster.stop(how);
  load.enter(Phase::kGone);
  std::this_thread::sleep_for(gone_for);
  load.expect_answers_for_all(2);
  EXPECT_GT(load.refused(), refused);
  EXPECT_EQ(serving.get("/healthz", "").status, 200) << "the process is well";
  EXPECT_TRUE(serving.get("/readyz", "").is(503, "store_unavailable")) << "and says that its store is not";
  load.enter(Phase::kComing);
  cluster.start();
  wait_until_good(serving, token);
  load.enter(Phase::kBack);
  const int good = load.good();
  load.expect_answers_for_all(5);
  EXPECT_GT(load.good(), good);
}

TEST(PostgresRestart, LosesNothingUnderLoad) {
  PostgresCluster cluster;  // not shared: this test stops it
  const auto database = cluster.fresh_database();
  std::string token, owner_token;
  {
    OwnerStore owner_store(database->address());
    owner_store.put_notes(10, kBody);
    token = owner_store.grant().token;
    owner_token = owner_store.owner_token();
  }
  const Serving serving(database->address());
  Load load(serving, token, owner_token);
  load.expect_answers_for_all(5);
  EXPECT_GT(load.good(), 0);
  EXPECT_EQ(load.refused(), 0);
  go_away_and_come_back(cluster, PostgresCluster::Stop::kFast, seconds(1), serving, token, load);
  go_away_and_come_back(cluster, PostgresCluster::Stop::kCrash, kGoneForLong, serving, token, load);
  load.stop();

  EXPECT_EQ(load.faults(), std::vector<std::string>());
  ASSERT_FALSE(load.acknowledged().empty());
  for (const std::string& id : load.acknowledged()) {
    const Answer answer = serving.get("/v1/streams/notes/records/" + id + "?fields=id", token);
    ASSERT_EQ(answer.status, 200) << id << " was acknowledged: " << answer.summary();
  }
}

}  // namespace
}  // namespace ladder::faults
