#include "simulated_disk.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kSectorBytes = 512;

SimulatedDisk& disk() {
  static SimulatedDisk& only = *new SimulatedDisk;  // SQLite keeps the VFS until the process ends
  return only;
}

using Fault = SimulatedDisk::Fault;

struct OpenFile {
  sqlite3_file base{};
  SimulatedDisk::Handle* handle = nullptr;
};

SimulatedDisk::Handle& handle(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file)->handle; }
SimulatedDisk::File& contents(sqlite3_file* file) { return disk().file(handle(file).name); }
Fault fault(sqlite3_file* file) { return disk().next_fault(handle(file).process); }

int close_file(sqlite3_file* file) {
  disk().closed(handle(file).no);
  delete reinterpret_cast<OpenFile*>(file)->handle;
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  if (fault(file) != Fault::kNone) return SQLITE_IOERR_READ;
  const std::string& bytes = contents(file).bytes;
  std::memset(out, 0, static_cast<std::size_t>(size));
  const auto end = static_cast<sqlite3_int64>(bytes.size());
  const auto there = static_cast<std::size_t>(std::clamp<sqlite3_int64>(end - offset, 0, size));
  if (there > 0) std::memcpy(out, bytes.data() + offset, there);
  return there == static_cast<std::size_t>(size) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const Fault what = fault(file);
  const bool dead = disk().is_dead(handle(file).process) && what != Fault::kDies;
  if (dead || what == Fault::kFails) return disk().coin(2) ? SQLITE_IOERR_WRITE : SQLITE_FULL;
  std::string text(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  if (what != Fault::kNone) text.resize(disk().below(text.size()));
  disk().write(contents(file), offset, std::move(text));
  return what == Fault::kNone ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (fault(file) != Fault::kNone) return SQLITE_IOERR_TRUNCATE;
  disk().truncate(contents(file), size);
  return SQLITE_OK;
}

int sync_file(sqlite3_file* file, int) {
  if (fault(file) != Fault::kNone) return SQLITE_IOERR_FSYNC;
  SimulatedDisk::sync(contents(file));
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  if (fault(file) != Fault::kNone) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(contents(file).bytes.size());
  return SQLITE_OK;
}

int most_of_others(const SimulatedDisk::File& file, int self) {
  int most = SQLITE_LOCK_NONE;
  for (const auto& [other, level] : file.locks) {
    if (other != self) most = std::max(most, level);
  }
  return most;
}

int lock_file(sqlite3_file* file, int level) {
  if (fault(file) != Fault::kNone) return disk().coin(2) ? SQLITE_BUSY : SQLITE_IOERR_LOCK;
  SimulatedDisk::File& on = contents(file);
  int& mine = on.locks[handle(file).no];
  if (mine >= level) return SQLITE_OK;
  const int others = most_of_others(on, handle(file).no);
  if (level == SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
  if (level >= SQLITE_LOCK_RESERVED && others >= SQLITE_LOCK_RESERVED) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED) {
    mine = SQLITE_LOCK_PENDING;
    return SQLITE_BUSY;
  }
  mine = level;
  return SQLITE_OK;
}

int unlock_file(sqlite3_file* file, int level) {
  if (disk().is_dead(handle(file).process)) return SQLITE_OK;
  contents(file).locks[handle(file).no] = level;
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* file, int* out) {
  *out = most_of_others(contents(file), handle(file).no) >= SQLITE_LOCK_RESERVED ? 1 : 0;
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return static_cast<int>(kSectorBytes); }
int characteristics(sqlite3_file*) { return 0; }

int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  *out = nullptr;
  if (fault(file) != Fault::kNone) return SQLITE_IOERR_SHMMAP;
  SimulatedDisk::File& on = contents(file);
  on.mapped.insert(handle(file).no);
  while (std::ssize(on.shared_memory) <= page) {
    if (!extend) return SQLITE_OK;
    on.shared_memory.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
  }
  *out = on.shared_memory[static_cast<std::size_t>(page)].get();
  return SQLITE_OK;
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  SimulatedDisk::File& on = contents(file);
  const int self = handle(file).no;
  const std::uint32_t slots = ((1U << count) - 1) << offset;
  if (flags & SQLITE_SHM_UNLOCK) {
    if (disk().is_dead(handle(file).process)) return SQLITE_OK;
    on.shared_locks[self] &= ~slots;
    on.exclusive_locks[self] &= ~slots;
    return SQLITE_OK;
  }
  if (fault(file) != Fault::kNone) return disk().coin(2) ? SQLITE_BUSY : SQLITE_IOERR_SHMLOCK;
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  for (const auto& [other, locks] : on.exclusive_locks) {
    if (other != self && (locks & slots)) return SQLITE_BUSY;
  }
  for (const auto& [other, locks] : on.shared_locks) {
    if (exclusive && other != self && (locks & slots)) return SQLITE_BUSY;
  }
  (exclusive ? on.exclusive_locks : on.shared_locks)[self] |= slots;
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) {}

int shm_unmap(sqlite3_file* file, int) {
  SimulatedDisk::File& on = contents(file);
  const int self = handle(file).no;
  on.shared_locks.erase(self);
  on.exclusive_locks.erase(self);
  on.mapped.erase(self);
  if (on.mapped.empty()) on.shared_memory.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {
    2,         close_file,  read_file,      write_file,   truncate_file, sync_file,       file_size,
    lock_file, unlock_file, check_reserved, file_control, sector_size,   characteristics, shm_map,
    shm_lock,  shm_barrier, shm_unmap,      nullptr,      nullptr,
};

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  const auto opened = new (static_cast<void*>(file)) OpenFile;
  if (disk().next_fault(disk().current()) != Fault::kNone) return SQLITE_CANTOPEN;
  const std::string path = name ? name : "temporary";
  if (!(flags & SQLITE_OPEN_CREATE) && !disk().exists(path)) return SQLITE_CANTOPEN;
  disk().file(path);
  opened->handle = new SimulatedDisk::Handle{path, disk().current(), disk().next_handle()};
  disk().opened(opened->handle->no, path, opened->handle->process);
  opened->base.pMethods = &kMethods;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int) {
  if (disk().next_fault(disk().current()) != Fault::kNone) return SQLITE_IOERR_DELETE;
  if (!disk().exists(name)) return SQLITE_IOERR_DELETE_NOENT;
  disk().remove(name);
  return SQLITE_OK;
}

int access_file(sqlite3_vfs*, const char* name, int, int* out) {
  *out = disk().exists(name) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}

// Depends on the seed only, so that runs are repeatable.
int randomness(sqlite3_vfs*, int size, char* out) {
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(disk().below(255));
  return size;
}
int sleep_for(sqlite3_vfs*, int microseconds) { return microseconds; }
int current_time(sqlite3_vfs*, double* out) {
  *out = 2'460'000.5;
  return SQLITE_OK;
}
int current_time_ms(sqlite3_vfs*, sqlite3_int64* out) {
  *out = 212'544'043'200'000;
  return SQLITE_OK;
}
int last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

SimulatedDisk& SimulatedDisk::fresh(std::uint64_t seed) {
  static sqlite3_vfs vfs{};
  if (!sqlite3_vfs_find(kVfs)) {
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.mxPathname = 100;
    vfs.zName = kVfs;
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    vfs.xRandomness = randomness;
    vfs.xSleep = sleep_for;
    vfs.xCurrentTime = current_time;
    vfs.xGetLastError = last_error;
    vfs.xCurrentTimeInt64 = current_time_ms;
    sqlite3_vfs_register(&vfs, 0);
  }
  disk() = SimulatedDisk();
  disk().random_.seed(seed);
  return disk();
}

SimulatedDisk::Fault SimulatedDisk::next_fault(int process) {
  if (is_dead(process)) return Fault::kFails;
  if (fault_every_ == 0 || !coin(fault_every_)) return Fault::kNone;
  ++faults_;
  if (coin(8)) {
    kill(process);
    return Fault::kDies;
  }
  return coin(2) ? Fault::kFails : Fault::kTears;
}

void SimulatedDisk::kill(int process) {
  dead_.insert(process);
  for (const auto& [no, handle] : open_) {
    if (handle.process == process) drop_locks(no);
  }
}

void SimulatedDisk::cut_power() {
  for (const auto& [no, handle] : open_) dead_.insert(handle.process);
  for (auto& [name, file] : files_) {
    file.locks.clear();
    file.shared_locks.clear();
    file.exclusive_locks.clear();
    lose_unsynced(file);
  }
}

void SimulatedDisk::drop_locks(int handle) {
  for (auto& [name, file] : files_) {
    file.locks.erase(handle);
    file.shared_locks.erase(handle);
    file.exclusive_locks.erase(handle);
  }
}

void SimulatedDisk::write(File& file, std::int64_t offset, std::string bytes) {
  bytes_written_ += std::ssize(bytes);
  Change change{offset, std::move(bytes), false};
  apply(file.bytes, change);
  file.unsynced.push_back(std::move(change));
}

void SimulatedDisk::truncate(File& file, std::int64_t size) {
  Change change{size, {}, true};
  apply(file.bytes, change);
  file.unsynced.push_back(std::move(change));
}

void SimulatedDisk::sync(File& file) {
  for (const Change& change : file.unsynced) apply(file.durable, change);
  file.unsynced.clear();
}

// Each sector of each unsynced write randomly reaches the disk or does not.
void SimulatedDisk::lose_unsynced(File& file) {
  for (const Change& change : file.unsynced) {
    if (change.truncates) {
      if (coin(2)) apply(file.durable, change);
      continue;
    }
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t place = static_cast<std::size_t>(change.offset) + at;
      const std::size_t size = std::min(kSectorBytes - place % kSectorBytes, change.bytes.size() - at);
      if (coin(2)) apply(file.durable, {static_cast<std::int64_t>(place), change.bytes.substr(at, size), false});
      at += size;
    }
  }
  file.unsynced.clear();
  file.bytes = file.durable;
}

void SimulatedDisk::apply(std::string& to, const Change& change) {
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.truncates) {
    to.resize(offset);
    return;
  }
  if (to.size() < offset + change.bytes.size()) to.resize(offset + change.bytes.size());
  std::ranges::copy(change.bytes, to.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace ladder::store::sqlite
