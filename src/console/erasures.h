// Erases or merges a connection in the background, because it can take minutes.
#pragma once

#include "base/mutex.h"
#include "server/merges.h"
#include "server/owner/erasures.h"
#include "server/owner/sources.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::console {

// Runs one erasure or merge at a time. A server shutdown stops it between two steps; starting it again continues.
class Erasures {
 public:
  struct State {
    std::string connection_id, name;
    std::int64_t records = 0, erased = 0;  // total and erased so far
    bool compacting = false;
    bool ended = false;
    std::string problem = {};  // why it stopped, or empty
    server::Erasure outcome = {};
    // Set for a merge.
    std::string into = {}, into_name = {};
    bool is_copying = false;  // nothing was erased yet
    std::int64_t copied = 0;
    server::Merged merged = {};
  };
  struct MergeTarget {
    std::string connection_id, name;
  };

  Erasures(server::Erasures& erasures, server::Merges& merges) : erasures_(erasures), merges_(merges) {}
  ~Erasures();  // stops the running erasure
  Erasures(const Erasures&) = delete;
  Erasures& operator=(const Erasures&) = delete;

  // Returns kConflict while another connection is being erased. Does nothing if this one already is.
  Status start(const server::Access& owner, const server::ConnectionSummary& connection, std::string name) {
    return start_merge(owner, connection, std::move(name), {});
  }
  // The same, but merges the connection into another one first.
  Status start_merge(const server::Access& owner, const server::ConnectionSummary& connection, std::string name,
                     MergeTarget into);
  std::optional<State> find(const server::Access& owner, std::string_view connection_id) const;

 private:
  using Key = std::pair<store::OwnerNo, std::string>;
  class Watcher;
  void run(const server::Access& owner, const Key& key, const std::string& into, const std::stop_token& stop);

  server::Erasures& erasures_;
  server::Merges& merges_;
  mutable Mutex mutex_;
  std::map<Key, State> states_ LADDER_GUARDED_BY(mutex_);
  bool running_ LADDER_GUARDED_BY(mutex_) = false;
  std::jthread thread_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::console
