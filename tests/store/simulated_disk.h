// A disk in memory under SQLite, as a VFS of its own, for the fault injection of the VFS. Every call may fail, tear, be
// refused for now, or end the process that makes it, as a seed says; a power cut loses what was not synced. Processes are
// simulated too: a connection belongs to the process that was current when it was opened, locks belong to processes, and a dead
// process can change nothing more. One thread drives all of them, so a seed gives the same run every time.
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

  // The one disk of the process, registered with SQLite; empty again, with a seed of its own.
  static SimulatedDisk& fresh(std::uint64_t seed);

  // --- for the driver ---
  void become(int process) { current_ = process; }
  bool is_dead(int process) const { return dead_.contains(process); }
  void kill(int process);  // its locks go, its later calls have no effect
  void cut_power();        // every process dies; each unsynced write is there, lost or torn
  // One call of `calls` is a fault from here on, on average; 0: none.
  void inject_faults(int calls) { fault_every_ = calls; }
  std::int64_t faults() const { return faults_; }
  std::int64_t bytes_written() const { return bytes_written_; }

  // --- for the VFS ---
  struct Change {  // an unsynced write, or a truncation when there are no bytes
    std::int64_t offset = 0;
    std::string bytes;
    bool truncates = false;
  };
  struct File {
    std::string bytes;    // as any process sees them
    std::string durable;  // as of the last sync
    std::vector<Change> unsynced;
    std::map<int, int> locks;  // by handle: its level
    std::vector<std::unique_ptr<char[]>> shared_memory;
    std::map<int, std::uint32_t> shared_locks, exclusive_locks;  // by handle: a bit per slot of the shared memory
    std::set<int> mapped;                                        // handles that have the shared memory
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
