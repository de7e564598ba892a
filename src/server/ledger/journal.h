// The journal of one process: an append-only file that receives every ledger entry before its response is sent. Data
// in the kernel survives the death of the process; a durable journal also waits for the disk. Files are
//
//   FOLDER/<32 hex>.journal     frames (journal_file.h), then zeros if a process was killed
//
// The writing process holds a file lock, so a file that can be locked has no writer and any process may sweep it.
// Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "server/ledger/journal_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A journal with no writer. It stays locked while this object exists.
class ClosedJournal {
 public:
  ClosedJournal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~ClosedJournal();
  ClosedJournal(const ClosedJournal&) = delete;
  ClosedJournal& operator=(const ClosedJournal&) = delete;

  std::string name() const;  // file name without the folder
  // Returns the complete frames from byte `from` on, at most about `most` bytes; `next` is the start of the following
  // frame. Zeros end the journal, and so does a truncated or damaged frame: its response was never sent.
  struct Part {
    std::vector<std::string> frames;
    std::int64_t next = 0;
    bool at_end = false;
  };
  Result<Part> read(std::int64_t from, std::size_t most) const;
  // Deletes the file after everything up to read_to is in the store. A file with unreadable data after that is kept
  // as <32 hex>.journal.rest for inspection.
  void finish(std::int64_t read_to);

 private:
  std::string path_;
  int descriptor_;
};

class Journal {
 public:
  Journal(std::string folder, bool durable, JournalFile::Writing writing = JournalFile::Writing::kMapped)
      : folder_(std::move(folder)), durable_(durable), writing_(durable ? JournalFile::Writing::kByCalls : writing) {}

  // Returns once the entry is in the kernel, or on disk if durable. On kStoreUnavailable nothing of it remains.
  Status append(std::string_view entry);
  // Closes the current file for writing; returns null if there is none.
  std::unique_ptr<ClosedJournal> rotate();
  bool is_open();  // something was written that is not swept
  // Returns the size of all unswept journals in the folder. Those of other processes include preallocated space.
  std::int64_t bytes_in_folder() const;
  // Returns files left by processes that have ended.
  std::vector<std::unique_ptr<ClosedJournal>> orphans() const;

 private:
  Status open() LADDER_REQUIRES(mutex_);

  const std::string folder_;
  const bool durable_;
  const JournalFile::Writing writing_;
  mutable Mutex mutex_;
  std::shared_ptr<JournalFile> file_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::server
