// Two hundred bad clients at once: a good client is served as if they were absent, and each bad client gets the
// expected end.
#include "bad_clients.h"
#include "http/server.h"
#include "owner_store.h"
#include "serving.h"
#include "support/store_fixture.h"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <span>
#include <thread>

namespace ladder::faults {
namespace {

using test_support::StoreLocation;

constexpr milliseconds kGoodP99 = kSlower * seconds(1);
constexpr int kTimesAlone = 10;  // plus this many times the duration without the load
constexpr milliseconds kGoodPause{20};
constexpr std::size_t kAlone = 30, kLeastGood = 100;

// Requests a record, a window and a list in turn until stopped. Its requests before the load are the baseline.
class GoodClient {
 public:
  GoodClient(const Serving& serving, const std::string& token) : thread_([this, &serving, token] { ask(serving, token); }) {}
  ~GoodClient() { stop(); }

  bool wait_for_baseline() const {
    return eventually([this] { return asked_ >= kAlone; });
  }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // Call after stop().
  milliseconds alone() const { return std::ranges::max(std::span(took_).first(kAlone)); }
  milliseconds beside(double share) const {
    std::vector<milliseconds> took(took_.begin() + kAlone, took_.end());
    std::ranges::sort(took);
    return took.at(static_cast<std::size_t>(share * static_cast<double>(took.size() - 1)));
  }
  std::size_t asked_beside() const { return took_.size() - kAlone; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  void ask(const Serving& serving, const std::string& token) {
    const std::string records = "/v1/streams/notes/records";
    for (int n = 0; !stop_; ++n) {
      for (const auto& [target, wanted] : {std::pair{format("{}/n{}", records, n % 100), format("\"id\":\"n{}\"", n % 100)},
                                           {records + "/n7/field-window?field=body&limit_chars=100", "\"text\":\"bbb"},
                                           {records + "?limit=25", "\"has_more\":true"}}) {
        const Answer answer = serving.get(target, token);
        took_.push_back(answer.took());
        ++asked_;
        if (answer.status != 200 || answer.text.find(wanted) == std::string::npos) {
          faults_.push_back(target + ": " + answer.summary());
        }
        std::this_thread::sleep_for(kGoodPause);
      }
    }
  }

  std::vector<milliseconds> took_;
  std::vector<std::string> faults_;
  std::atomic<std::size_t> asked_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Runs the load for this long, then waits until every client has finished.
void expect_good_service(const std::string& engine, milliseconds keep_up) {
  SCOPED_TRACE(engine);
  const StoreLocation place(engine);
  OwnerStore owner_store(place.location());
  owner_store.put_notes(100, std::string(2000, 'b'));
  owner_store.put(record_line(std::string(kLongNote), text_member("body", std::string(kLongNoteChars, 'l'))));
  // Two clients: calls of one client wait for each other, and above a limit it is told to retry later.
  const std::string good_token = owner_store.grant("notes", "good").token, bad_token = owner_store.grant("notes", "bad").token;
  const Serving serving(place.location());
  const std::vector<BadBehavior> kinds = bad_behaviors(bad_token, owner_store.owner_token());
  BadClients clients(serving.port(), kinds);
  GoodClient good(serving, good_token);
  EXPECT_TRUE(good.wait_for_baseline());
  clients.run(keep_up);
  good.stop();

  std::cout << engine << ": good requests " << good.asked_beside() << ", alone at most " << good.alone().count() << " ms, p50 "
            << good.beside(0.5).count() << " ms, p99 " << good.beside(0.99).count() << " ms, longest " << good.beside(1).count()
            << " ms; at most " << clients.most_connected() << " bad clients at once\n";
  for (const auto& [kind, count] : clients.ends()) std::cout << "  " << kind << ": " << count << " ends\n";
  EXPECT_EQ(clients.faults(), std::vector<std::string>());
  EXPECT_EQ(good.faults(), std::vector<std::string>());
  EXPECT_GE(clients.most_connected(), 200U);
  EXPECT_GE(good.asked_beside(), kLeastGood);
  EXPECT_LT(good.beside(0.99), kGoodP99 + kTimesAlone * good.alone());
  for (const BadBehavior& behavior : kinds) {
    EXPECT_TRUE(clients.ends().contains(behavior.kind) && clients.ends().at(behavior.kind) >= behavior.clients) << behavior.kind;
  }
}

// Runs both engines at once: most of the time passes in the longest timeouts, those of bodies and of slow readers.
TEST(BadClients, EveryKindGetsItsExpectedEnd) {
  const http::ServerOptions limits;
  const milliseconds longest = std::max({limits.header_time, limits.body_time, limits.write_time});
  std::thread other([&] { expect_good_service("postgres", longest - limits.header_time); });
  expect_good_service("sqlite", longest - limits.header_time);
  other.join();
}

}  // namespace
}  // namespace ladder::faults
