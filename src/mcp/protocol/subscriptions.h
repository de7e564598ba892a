// Notifies clients of changes: the streams of subscriptions/listen (modern) and of resources/subscribe (legacy, over stdio).
// Records and streams are watched as resources, under the caller's grants (api::Watch).
//
//   Subscription    a listen request, or all subscriptions of a legacy client: a watch, and the messages built from it
//   Subscriptions   all of a server's: one thread checks each once a second; it starts with the first subscription
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

inline constexpr std::size_t kMaxWatchedResources = 64;      // per subscription; a change costs a few reads each
inline constexpr std::size_t kMaxSubscriptionsOfClient = 8;  // open at a time; hosts open one or two
inline constexpr std::size_t kMaxSubscriptions = 512;        // per server
inline constexpr auto kLookInterval = std::chrono::seconds(1);

// The key that contains the subscription id in every message of a listen request.
inline constexpr std::string_view kSubscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

// Returns the record or stream that a URI names; only these can be watched. Errors: kInvalidHandle, kNotFound.
Result<api::WatchTarget> watch_target(std::string_view uri);

// Thread-safe.
class Subscription {
 public:
  struct Shape {
    std::string id;             // of the listen request, as JSON; empty in the legacy era, whose messages have none
    bool list_changes = false;  // the client requested resources/list_changed
    std::string final_message;  // the response that ends the listen request; empty in the legacy era
  };
  // Sends a message to the client; returns false if the client has gone. It must not call back into the subscription.
  using Say = std::function<bool(std::string message)>;

  Subscription(std::unique_ptr<api::Watch> watch, Shape shape) : shape_(std::move(shape)), watch_(std::move(watch)) {}

  // Watches the resource from now on. Errors are those of reading the resource; kResourceLimit if the limit is reached.
  Status add(const std::string& uri);
  void remove(const std::string& uri);

  // Sets the callback; no message is sent before.
  void speak(Say say);
  // Checks for changes and sends them; ends if all grants are inactive.
  void look();
  void end();                      // sends the last message, once
  void close() { *over_ = true; }  // sends nothing more; the client disconnected or cancelled. Never blocks
  bool is_over() const { return *over_; }
  // Setting the flag closes the subscription, for holders that must not extend its lifetime.
  std::shared_ptr<std::atomic<bool>> closing() const { return over_; }
  const std::string& final_message() const { return shape_.final_message; }

 private:
  void say(std::string message) LADDER_REQUIRES(mutex_);
  void finish() LADDER_REQUIRES(mutex_);
  std::string notification(std::string_view method, std::string_view uri) const;

  const Shape shape_;
  Mutex mutex_;  // held during a check, which may wait for a database
  const std::unique_ptr<api::Watch> watch_ LADDER_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> uris_ LADDER_GUARDED_BY(mutex_);
  Say say_ LADDER_GUARDED_BY(mutex_);
  bool end_waits_ LADDER_GUARDED_BY(mutex_) = false;  // end() was called before speak()
  const std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
};

// Thread-safe.
class Subscriptions {
 public:
  explicit Subscriptions(std::chrono::milliseconds interval = kLookInterval) : interval_(interval) {}
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // Starts checking it periodically until it is over; an open one stays open. Returns kRateLimited if the client or the server
  // has reached its limit.
  Status open(const std::string& client, std::shared_ptr<Subscription> subscription);
  void end_all();  // graceful: sends the last message of each

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
  std::thread thread_ LADDER_GUARDED_BY(mutex_);  // started with the first subscription
};

}  // namespace ladder::mcp
