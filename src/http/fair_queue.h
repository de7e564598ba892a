// Work that waits for a worker, and whose turn it is. Owners take turns, and within an owner its clients do, so that what one
// client sends never decides how long another waits. Costly work is bounded besides: a client has so much of it under way at a
// time, some of it waits, and the rest is told when to come back.
//
//   owner ─┬─ client ─┬─ light    goes first, as much of it at a time as there are workers
//          │          ├─ writes   half of the workers: they wait for each other, not for a core
//          │          └─ costly   at most so much at a time, learned from what the client's calls cost
//          └─ client …
//
// Knows neither threads nor the clock: WorkerPool calls it under its lock and says what time it is.
#pragma once

#include <array>
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

enum class Weight : std::uint8_t { kLight, kWrite, kCostly };

// For whom work is done. Who is not known yet has empty names: strangers share one place.
struct Party {
  std::string owner, client;
  Weight weight = Weight::kLight;
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

  // Limits for that many cores. `most_waiting` is of everybody together; one client has at most half of it.
  FairQueue(std::size_t workers, std::size_t cores, std::size_t most_waiting);

  Admission push(const Party& party, Task task, Time now);
  void push_always(const Party& party, Task task, Time now);  // what has begun already

  struct Job {
    Task task;
    void* lane = nullptr;
    Weight weight = Weight::kLight;
    Time began;
  };
  using Cost = std::chrono::duration<double>;
  std::optional<Job> pop(Time now);        // nothing when nothing may begin now; finish() may change that
  void finish(const Job& job, Cost cost);  // exactly once for each that was popped
  bool has_ready(Time now) const { return next(now).lane != nullptr; }
  std::size_t waiting() const { return waiting_; }
  std::vector<Task> clear();

  static constexpr std::size_t kMaxCostlyWaiting = 16;           // of one client whose calls are known to be costly
  static constexpr auto kCheap = std::chrono::milliseconds(25);  // a client whose calls take less is not held back
  static constexpr auto kWritersLast = std::chrono::seconds(2);  // since another client's last call
  static constexpr auto kLongestWait = std::chrono::seconds(5);  // nobody waits who would only see a deadline pass
  static constexpr auto kLongestRetry = std::chrono::seconds(30);

 private:
  struct Owner {
    std::uint64_t served = 0;  // when it had its last turn, as a count of turns
    std::size_t lanes = 0;
  };
  struct Line {
    std::vector<Task> tasks;  // in order; those before `at` are taken
    std::size_t at = 0;
    std::vector<Time> under_way;  // when each began

    std::size_t waiting() const { return tasks.size() - at; }
    Task take();
  };
  struct Lane {
    Owner* owner = nullptr;
    std::uint64_t served = 0;
    std::array<Line, 3> lines;  // by weight
    std::optional<Cost> cost;   // of a costly call, as far as it is known
    Time seen{};

    Line& line(Weight weight) { return lines[static_cast<std::size_t>(weight)]; }
    const Line& line(Weight weight) const { return lines[static_cast<std::size_t>(weight)]; }
    std::size_t waiting() const;
    bool is_idle() const;
  };
  struct Turn {
    Lane* lane = nullptr;
    Weight weight = Weight::kLight;
  };

  Lane& lane_of(const Party& party, Time now);
  void add(Lane& lane, Weight weight, Task task);
  Turn next(Time now) const;
  std::optional<Weight> ready(const Lane& lane, Time now) const;  // what of it may begin now
  bool is_cheap(const Lane& lane, Time now) const;
  std::size_t most_under_way(const Lane& lane, Time now) const;
  Cost time_for(const Lane& lane, std::size_t calls, Time now) const;  // zero while nothing is known
  bool has_too_much(const Lane& lane, Weight weight, Time now) const;
  void forget_old(Time now);

  const std::size_t most_long_;    // writes and costly calls of everybody: some workers are always left for what is short
  const std::size_t most_writes_;  // of one client
  const std::size_t cores_, most_waiting_;
  std::map<std::string, Owner> owners_;
  std::map<std::pair<std::string, std::string>, Lane> lanes_;
  std::vector<Lane*> with_work_;  // lanes in which something waits
  std::size_t waiting_ = 0, long_under_way_ = 0;
  std::uint64_t turns_ = 0;
  struct Seen {
    const Lane* lane = nullptr;
    Time at{};
  } newest_, before_newest_;  // the last two clients that sent something
};

}  // namespace ladder::http
