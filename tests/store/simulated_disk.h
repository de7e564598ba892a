// An in-memory disk under SQLite, implemented as a VFS, for fault injection. Every call may fail, tear, be refused
// temporarily, or kill the calling process, depending on a seed; a power cut loses what was not synced. Processes are
// simulated, too: a connection belongs to the process that was current when it was opened, locks belong to processes,
// and a dead process changes nothing more. One thread drives all of them, so a seed gives the same run every time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ladder::store::sqlite {

class SimulatedDisk {
 public:
  static constexpr const char* kVfs = "simulated-disk";

  // Returns the process's only disk, registered with SQLite, emptied and with a new seed.
  static SimulatedDisk& fresh(std::uint64_t seed);

  // --- for the test driver ---
  void become(int process) { current_ = process; }
  bool is_dead(int process) const { return dead_.contains(process); }
  void kill(int process);  // releases its locks; its later calls have no effect
  void cut_power();        // every process dies; each unsynced write is kept, lost or torn
  // Makes one call in `calls` fail on average; 0: none.
  void inject_faults(int calls) { fault_every_ = calls; }
  std::int64_t faults() const { return faults_; }
  std::int64_t bytes_written() const { return bytes_written_; }

  // --- for the VFS ---
  struct Change {  // an unsynced write, or a truncation if there are no bytes
    std::int64_t offset = 0;
    std::string bytes;
    bool truncates = false;
  };
  struct File {
    std::string bytes;    // current contents, seen by every process
    std::string durable;  // contents at the last sync
    std::vector<Change> unsynced;
    std::map<int, int> locks;  // lock level by handle
    std::vector<std::unique_ptr<char[]>> shared_memory;
    std::map<int, std::uint32_t> shared_locks, exclusive_locks;  // by handle: one bit per slot of the shared memory
    std::set<int> mapped;                                        // handles with the shared memory mapped
  };
  struct Handle {
    std::string name;
    int process = 0;
    int no = 0;
  };

  enum class Fault : std::uint8_t { kNone, kFails, kTears, kDies };
  Fault next_fault(int process);
  bool coin(int one_in) { return std::uniform_int_distribution<int>(1, one_in)(random_) == 1; }
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound)(random_); }

  bool exists(const std::string& name) const { return files_.contains(name); }
  File& file(const std::string& name) { return files_[name]; }
  void remove(const std::string& name) { files_.erase(name); }
  int current() const { return current_; }
  int next_handle() { return ++handles_; }
  void opened(int handle, const std::string& name, int process) { open_[handle] = {name, process, handle}; }
  void closed(int handle) {
    drop_locks(handle);
    open_.erase(handle);
  }
  void write(File& file, std::int64_t offset, std::string bytes);
  void truncate(File& file, std::int64_t size);
  static void sync(File& file);

 private:
  void drop_locks(int handle);
  void lose_unsynced(File& file);
  static void apply(std::string& to, const Change& change);

  std::mt19937_64 random_;
  int current_ = 0;
  int handles_ = 0;
  int fault_every_ = 0;
  std::int64_t faults_ = 0;
  std::int64_t bytes_written_ = 0;
  std::set<int> dead_;
  std::map<std::string, File> files_;
  std::map<int, Handle> open_;
};

}  // namespace ladder::store::sqlite
