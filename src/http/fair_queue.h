// Work that waits for a worker, and whose turn it is. Owners take turns, and within an owner its clients do, so that what one
// client sends never decides how long another waits. Costly work is bounded besides: a client has so much of it under way at a
// time, some of it waits, and the rest is told when to come back.
//
//   owner ─┬─ client ─┬─ light    goes first, as much of it at a time as there are workers
//          │          └─ costly   at most so much at a time, learned from how long the client's calls take
//          └─ client …
//
// Knows neither threads nor the clock: WorkerPool calls it under its lock and says what time it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ladder::http {

// For whom work is done. Who is not known yet has empty names: strangers share one place.
struct Party {
  std::string owner, client;
  bool costly = false;
};

enum class Entry : std::uint8_t {
  kTaken,
  kTooMany,  // of this client: it may come back
  kFull,     // of everybody
};

struct Admission {
  Entry entry = Entry::kTaken;
  std::chrono::seconds retry_after{1};  // of kTooMany: when most of what waits will be done
  explicit operator bool() const { return entry == Entry::kTaken; }
};

class FairQueue {
 public:
  using Task = std::move_only_function<void()>;
  using Time = std::chrono::steady_clock::time_point;

  // What runs on that many cores. `most_waiting` is of everybody together; one client has at most half of it.
  FairQueue(std::size_t workers, std::size_t cores, std::size_t most_waiting);

  Admission push(const Party& party, Task task, Time now);
  void push_always(const Party& party, Task task, Time now);  // what has begun already

  struct Job {
    Task task;
    void* lane = nullptr;
    bool costly = false;
    Time began;
  };
  std::optional<Job> pop(Time now);       // nothing when nothing may begin now; finish() may change that
  void finish(const Job& job, Time now);  // exactly once for each that was popped
  bool has_ready(Time now) const { return next(now).lane != nullptr; }
  std::size_t waiting() const { return waiting_; }
  std::vector<Task> clear();

  static constexpr std::size_t kMostCostlyWaiting = 16;           // of one client whose calls are known to be costly
  static constexpr auto kCheap = std::chrono::milliseconds(25);   // a client whose calls take less is not held back
  static constexpr auto kCompanyLasts = std::chrono::seconds(2);  // since another client's last call
  static constexpr auto kLongestRetry = std::chrono::seconds(30);

 private:
  struct Owner {
    std::uint64_t served = 0;  // when it had its last turn, as a count of turns
    std::size_t lanes = 0;
  };
  struct Lane {
    Owner* owner = nullptr;
    std::uint64_t served = 0;
    std::vector<Task> light, costly;  // in order; taken from `…_at`
    std::size_t light_at = 0, costly_at = 0;
    std::vector<Time> under_way;                        // costly ones: when each began
    std::size_t running = 0;                            // of both
    std::optional<std::chrono::duration<double>> cost;  // of a costly call, as far as it is known
    Time seen{};

    std::size_t light_waiting() const { return light.size() - light_at; }
    std::size_t costly_waiting() const { return costly.size() - costly_at; }
  };
  struct Turn {
    Lane* lane = nullptr;
    bool costly = false;
  };

  Lane& lane_of(const Party& party, Time now);
  void add(Lane& lane, bool costly, Task task);
  Turn next(Time now) const;
  bool is_cheap(const Lane& lane, Time now) const;
  bool may_begin_costly(const Lane& lane, Time now) const;
  std::size_t most_under_way(const Lane& lane, Time now) const;
  void forget_old(Time now);
  static Task take(std::vector<Task>& tasks, std::size_t& at);

  const std::size_t most_costly_;  // of everybody: some workers are always left for what is short
  const std::size_t cores_, most_waiting_;
  std::map<std::string, Owner> owners_;
  std::map<std::pair<std::string, std::string>, Lane> lanes_;
  std::vector<Lane*> with_work_;  // lanes in which something waits
  std::size_t waiting_ = 0, costly_under_way_ = 0;
  std::uint64_t turns_ = 0;
  struct Seen {
    const Lane* lane = nullptr;
    Time at{};
  } newest_, before_newest_;  // the last two clients that sent something
};

}  // namespace ladder::http
