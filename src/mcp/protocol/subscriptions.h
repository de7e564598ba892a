// Telling clients of changes: the streams of subscriptions/listen (modern) and what resources/subscribe asked for (legacy, over
// stdio). Records and streams are watched as resources, under the caller's grants (api::Watch).
//
//   Subscription    one listen request, or everything that a legacy client subscribed to: a watch, and messages made from it
//   Subscriptions   all of a server: one thread looks at each once a second, and none runs before the first is opened
#pragma once

#include "api/resource_port.h"
#include "base/error/error.h"
#include "base/mutex.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::mcp {

inline constexpr std::size_t kMaxWatchedResources = 64;      // of one subscription; each is a few reads where something changed
inline constexpr std::size_t kMaxSubscriptionsOfClient = 8;  // open at a time; hosts open one or two
inline constexpr std::size_t kMaxSubscriptions = 512;        // of a server
inline constexpr auto kLookInterval = std::chrono::seconds(1);

// The key under which every message of a listen request names it.
inline constexpr std::string_view kSubscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

// The record or stream that a URI names: those are the resources that can be watched. kInvalidHandle, kNotFound.
Result<api::WatchTarget> watch_target(std::string_view uri);

// Safe from any thread.
class Subscription {
 public:
  struct Shape {
    std::string id;             // of the listen request, as JSON; empty in the legacy era, whose messages name none
    bool list_changes = false;  // resources/list_changed was asked for
    std::string last_words;     // the answer to the listen request, which ends it; empty in the legacy era
  };
  // Hands a message to the client; false when the client wants no more of them. Must not call back into the subscription.
  using Say = std::function<bool(std::string message)>;

  Subscription(std::unique_ptr<api::Watch> watch, Shape shape) : shape_(std::move(shape)), watch_(std::move(watch)) {}

  // From now on. Errors as for a read of the resource; kResourceLimit when it watches as many as it may.
  Status add(const std::string& uri);
  void remove(const std::string& uri);

  // Nothing is said before.
  void speak(Say say);
  // Looks for changes and tells them; ends when no grant stands any more.
  void look();
  void end();                      // says the last words, once
  void close() { *over_ = true; }  // says nothing more: the client has gone, or has cancelled it. Never waits
  bool is_over() const { return *over_; }
  // Setting it closes the subscription, for whoever must not hold on to it.
  std::shared_ptr<std::atomic<bool>> closing() const { return over_; }
  const std::string& last_words() const { return shape_.last_words; }

 private:
  void say(std::string message) LADDER_REQUIRES(mutex_);
  void finish() LADDER_REQUIRES(mutex_);
  std::string notification(std::string_view method, std::string_view uri) const;

  const Shape shape_;
  Mutex mutex_;  // held while it looks, which may wait for a database
  const std::unique_ptr<api::Watch> watch_ LADDER_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> uris_ LADDER_GUARDED_BY(mutex_);
  Say say_ LADDER_GUARDED_BY(mutex_);
  bool end_waits_ LADDER_GUARDED_BY(mutex_) = false;  // it was ended before it could speak
  const std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
};

// Safe from any thread.
class Subscriptions {
 public:
  explicit Subscriptions(std::chrono::milliseconds interval = kLookInterval) : interval_(interval) {}
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // Looks at it from now on, until it is over; one that is open stays so. kRateLimited when the client, or the server, has as
  // many as may be.
  Status open(const std::string& client, std::shared_ptr<Subscription> subscription);
  void end_all();  // graceful: the last words of each

 private:
  struct Entry {
    std::string client;
    std::shared_ptr<Subscription> subscription;
  };

  void run();
  std::vector<Entry> drop_ended() LADDER_REQUIRES(mutex_);

  const std::chrono::milliseconds interval_;
  Mutex mutex_;
  Condition wake_;
  std::vector<Entry> entries_ LADDER_GUARDED_BY(mutex_);
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  std::thread thread_ LADDER_GUARDED_BY(mutex_);  // from the first subscription on
};

}  // namespace ladder::mcp
