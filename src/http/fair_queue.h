// A fair queue of work for the workers. Owners take turns, and the clients of an owner take turns, so that one client's
// requests do not delay another's. Costly work is also limited: each client may run a limited amount at a time, some of it is
// queued, and the rest is told when to retry.
//
//   owner ─┬─ client ─┬─ light    goes first, limited only by the number of workers
//          │          ├─ writes   half of the workers: they wait for each other, not for a core
//          │          └─ costly   limited, depending on the measured cost of the client's calls
//          └─ client …
//
// It uses neither threads nor the clock: WorkerPool calls it with its lock held and passes the time.
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

// The owner and client that work is done for. Unknown callers have empty names and share one queue.
struct Party {
  std::string owner, client;
  Weight weight = Weight::kLight;
};

enum class Entry : std::uint8_t {
  kTaken,
  kTooMany,  // too many requests of this client; it may retry
  kFull,     // the queue of all clients is full
};

struct Admission {
  Entry entry = Entry::kTaken;
  std::chrono::seconds retry_after{1};  // for kTooMany: when most of the queued work will be done
  explicit operator bool() const { return entry == Entry::kTaken; }
};

class FairQueue {
 public:
  using Task = std::move_only_function<void()>;
  using Time = std::chrono::steady_clock::time_point;

  // Sets limits for that many cores. `most_waiting` applies to all clients together; one client may use at most half of it.
  FairQueue(std::size_t workers, std::size_t cores, std::size_t most_waiting);

  Admission push(const Party& party, Task task, Time now);
  void push_always(const Party& party, Task task, Time now);  // for work that has already started

  struct Job {
    Task task;
    void* lane = nullptr;
    Weight weight = Weight::kLight;
    Time began;
  };
  using Cost = std::chrono::duration<double>;
  std::optional<Job> pop(Time now);        // returns nothing if no work may start now; finish() may change that
  void finish(const Job& job, Cost cost);  // exactly once for each popped job
  bool has_ready(Time now) const { return next(now).lane != nullptr; }
  std::size_t waiting() const { return waiting_; }
  struct Backlog {
    std::size_t owners = 0, longest = 0;  // owners with waiting work, and the most waiting work of one of them
  };
  Backlog backlog() const;
  std::vector<Task> clear();

  static constexpr std::size_t kMaxCostlyWaiting = 16;           // per client whose calls are known to be costly
  static constexpr auto kCheap = std::chrono::milliseconds(25);  // clients with shorter calls are not limited
  static constexpr auto kWritersLast = std::chrono::seconds(2);  // since another client's last call
  static constexpr auto kLongestWait = std::chrono::seconds(5);  // a longer wait would miss the deadline
  static constexpr auto kLongestRetry = std::chrono::seconds(30);

 private:
  struct Owner {
    std::uint64_t served = 0;  // the turn count at its last turn
    std::size_t lanes = 0;
  };
  struct Line {
    std::vector<Task> tasks;  // in order; those before `at` have started
    std::size_t at = 0;
    std::vector<Time> under_way;  // start times

    std::size_t waiting() const { return tasks.size() - at; }
    Task take();
  };
  struct Lane {
    Owner* owner = nullptr;
    std::uint64_t served = 0;
    std::array<Line, 3> lines;  // by weight
    std::optional<Cost> cost;   // of a costly call, if known
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
  std::optional<Weight> ready(const Lane& lane, Time now) const;  // the class of its work that may start now
  bool is_cheap(const Lane& lane, Time now) const;
  std::size_t most_under_way(const Lane& lane, Time now) const;
  Cost time_for(const Lane& lane, std::size_t calls, Time now) const;  // zero until it is known
  bool has_too_much(const Lane& lane, Weight weight, Time now) const;
  void forget_old(Time now);

  const std::size_t most_long_;    // writes and costly calls of all clients; leaves some workers for short work
  const std::size_t most_writes_;  // per client
  const std::size_t cores_, most_waiting_;
  std::map<std::string, Owner> owners_;
  std::map<std::pair<std::string, std::string>, Lane> lanes_;
  std::vector<Lane*> with_work_;  // lanes with queued work
  std::size_t waiting_ = 0, long_under_way_ = 0;
  std::uint64_t turns_ = 0;
  struct Seen {
    const Lane* lane = nullptr;
    Time at{};
  } newest_, before_newest_;  // the last two clients that sent a request
};

}  // namespace ladder::http
