#include "mcp/protocol/subscriptions.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <algorithm>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace ladder::mcp {
namespace {

using std::chrono_literals::operator""ms;

// A watch with scripted reports; records what was added.
struct Script {
  std::map<std::string, api::WatchTarget> targets;
  std::optional<Result<api::WatchReport>> next;
  int looks = 0;
};

class ScriptedWatch final : public api::Watch {
 public:
  explicit ScriptedWatch(Script& script) : script_(script) {}
  Status add(const std::string& name, const api::WatchTarget& target) override {
    script_.targets[name] = target;
    return {};
  }
  void remove(const std::string& name) override { script_.targets.erase(name); }
  Result<api::WatchReport> look() override {
    ++script_.looks;
    if (!script_.next) return api::WatchReport{};
    return *std::exchange(script_.next, std::nullopt);
  }

 private:
  Script& script_;
};

class SubscriptionsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Subscription> make(Subscription::Shape shape) {
    auto made = std::make_shared<Subscription>(std::make_unique<ScriptedWatch>(script), std::move(shape));
    made->speak([this](std::string message) {
      said.push_back(std::move(message));
      return wanted;
    });
    return made;
  }
  static api::WatchReport report(std::vector<std::string> changed, bool scope_changed = false, bool ended = false) {
    return {std::move(changed), scope_changed, ended};
  }

  Script script;
  std::vector<std::string> said;
  bool wanted = true;
};

TEST_F(SubscriptionsTest, WatchesStreamsAndRecords) {
  const auto stream = watch_target("pdpp://stream/a%2Fb");
  EXPECT_FALSE(stream) << "invalid stream name";
  EXPECT_EQ(watch_target("pdpp://stream/notes")->stream, "notes");
  const auto record = watch_target("pdpp://record/home%2Fnotes%3An1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->connection_id, "home");
  EXPECT_EQ(record->stream, "notes");
  EXPECT_EQ(record->record_id, "n1");
  EXPECT_EQ(watch_target("pdpp://record/%").error().code, Code::kInvalidHandle);
  for (const char* other : {"pdpp://blob/x", "pdpp://field-window/x", "test://x", ""}) {
    EXPECT_EQ(watch_target(other).error().code, Code::kNotFound) << other;
  }
}

TEST_F(SubscriptionsTest, MessagesNameTheirListenRequest) {
  const auto subscription = make({"\"a\"", true, "the end"});
  ASSERT_TRUE(subscription->add("pdpp://stream/notes"));
  subscription->look();
  EXPECT_EQ(said, std::vector<std::string>{});
  script.next = report({"pdpp://stream/notes"}, true);
  subscription->look();
  EXPECT_EQ(said, (std::vector<std::string>{
                      R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":)"
                      R"({"io.modelcontextprotocol/subscriptionId":"a"}}})",
                      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"pdpp://stream/notes",)"
                      R"("_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}})"}));
  EXPECT_FALSE(subscription->is_over());
  said.clear();
  script.next = report({}, false, true);
  subscription->look();
  EXPECT_EQ(said, std::vector<std::string>{"the end"});
  EXPECT_TRUE(subscription->is_over());
  EXPECT_EQ(subscription->add("pdpp://stream/notes").error().code, Code::kGrantRevoked);
}

// The input may end between the acknowledgement of a subscription and its first message.
TEST_F(SubscriptionsTest, SendsItsLastMessageIfEndedEarly) {
  Subscription subscription(std::make_unique<ScriptedWatch>(script), {"1", false, "the end"});
  subscription.end();
  subscription.speak([this](std::string message) {
    said.push_back(std::move(message));
    return true;
  });
  EXPECT_EQ(said, std::vector<std::string>{"the end"});
  EXPECT_TRUE(subscription.is_over());
}

TEST_F(SubscriptionsTest, SendsListChangesOnRequest) {
  const auto subscription = make({"1", false, "the end"});
  script.next = report({}, true);
  subscription->look();
  EXPECT_EQ(said, std::vector<std::string>{});
}

TEST_F(SubscriptionsTest, ALegacySubscriptionChecksOnlyWhileItWatches) {
  const auto subscription = make({});
  subscription->look();
  EXPECT_EQ(script.looks, 0);
  ASSERT_TRUE(subscription->add("pdpp://stream/notes"));
  script.next = report({"pdpp://stream/notes"}, true);
  subscription->look();
  EXPECT_EQ(said, std::vector<std::string>{
                      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"pdpp://stream/notes"}})"});
  subscription->remove("pdpp://stream/notes");
  EXPECT_TRUE(script.targets.empty());
  subscription->look();
  EXPECT_EQ(script.looks, 1);
}

TEST_F(SubscriptionsTest, RecoversFromAFailedCheck) {
  const auto subscription = make({"1", true, "the end"});
  script.next = fail(Code::kStoreUnavailable, "busy");
  subscription->look();
  EXPECT_EQ(said, std::vector<std::string>{});
  EXPECT_FALSE(subscription->is_over());
}

TEST_F(SubscriptionsTest, SendsNothingAfterItIsClosed) {
  const auto closed = make({"1", true, "the end"});
  closed->close();
  script.next = report({}, true, true);
  closed->look();
  closed->end();
  EXPECT_EQ(said, std::vector<std::string>{});
  EXPECT_EQ(script.looks, 0);

  const auto unwanted = make({"2", true, "the end"});
  wanted = false;
  script.next = report({"pdpp://stream/a", "pdpp://stream/b"}, true, true);
  unwanted->look();
  EXPECT_EQ(said.size(), 1U) << "only the one beyond the limit is rejected";
  EXPECT_TRUE(unwanted->is_over());
}

TEST_F(SubscriptionsTest, LimitsWatchedResources) {
  const auto subscription = make({"1", false, "the end"});
  for (std::size_t i = 0; i < kMaxWatchedResources; ++i) ASSERT_TRUE(subscription->add(format("pdpp://stream/s{}", i)));
  EXPECT_EQ(subscription->add("pdpp://stream/more").error().code, Code::kResourceLimit);
  EXPECT_TRUE(subscription->add("pdpp://stream/s0")) << "already watched";
  subscription->remove("pdpp://stream/s0");
  EXPECT_TRUE(subscription->add("pdpp://stream/more"));
}

TEST_F(SubscriptionsTest, LimitsOpenSubscriptionsPerClient) {
  Subscriptions all(std::chrono::hours(1));
  std::vector<std::shared_ptr<Subscription>> open;
  for (std::size_t i = 0; i < kMaxSubscriptionsOfClient; ++i) {
    open.push_back(make({"1", true, "the end"}));
    ASSERT_TRUE(all.open("a", open.back()));
  }
  EXPECT_EQ(all.open("a", make({"1", true, {}})).error().code, Code::kRateLimited);
  EXPECT_TRUE(all.open("b", make({"1", true, {}})));
  EXPECT_TRUE(all.open("a", open.front())) << "already open";
  open.front()->close();
  EXPECT_TRUE(all.open("a", make({"1", true, {}})));
  all.end_all();
  EXPECT_EQ(std::ranges::count(said, "the end"), std::ssize(open) - 1) << "all except the closed one";
}

TEST_F(SubscriptionsTest, OneThreadChecksAllSubscriptions) {
  std::mutex mutex;
  std::map<std::string, int> heard;
  Script of_a, of_b;
  Subscriptions all(10ms);
  const auto open = [&](Script& script_of, const std::string& name) {
    auto made = std::make_shared<Subscription>(std::make_unique<ScriptedWatch>(script_of), Subscription::Shape{"1", true, name});
    made->speak([&heard, &mutex, name](std::string) {
      const std::scoped_lock lock(mutex);
      ++heard[name];
      return true;
    });
    EXPECT_TRUE(all.open(name, made));
    return made;
  };
  of_a.next = report({}, false, true);
  of_b.next = report({}, true);
  const auto a = open(of_a, "a"), b = open(of_b, "b");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto done = [&] {
    const std::scoped_lock lock(mutex);
    return heard["a"] == 1 && heard["b"] == 1;
  };
  while (!done() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(done());
  EXPECT_TRUE(a->is_over());
  EXPECT_FALSE(b->is_over());
  b->close();
}

}  // namespace
}  // namespace ladder::mcp
