// The journal of one process: an append-only file into which every entry of the ledger goes before its answer is given. What the
// kernel has taken survives the death of the process; a durable journal waits for the disk, too. Files are
//
//   FOLDER/<32 hex>.journal     frames (journal_file.h), then zeros where a process was killed
//
// The writing process holds a file lock on its file, so a file that can be locked is nobody's any more and anybody sweeps it.
// Safe from any thread.
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

// A journal that is no longer written, locked while this lives.
class ClosedJournal {
 public:
  ClosedJournal(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~ClosedJournal();
  ClosedJournal(const ClosedJournal&) = delete;
  ClosedJournal& operator=(const ClosedJournal&) = delete;

  std::string name() const;  // of the file, without its folder
  // The frames from byte `from` on that are whole, at most about `most` bytes of them; `next` is where the following one begins.
  // Zeros end it, and so does a frame that is cut off or damaged: its answer was never given.
  struct Part {
    std::vector<std::string> frames;
    std::int64_t next = 0;
    bool at_end = false;
  };
  Result<Part> read(std::int64_t from, std::size_t most) const;
  // Everything up to there is in the store: the file goes. One that has more than zeros, which cannot be read, stays under the
  // name <32 hex>.journal.rest for whoever wants to look into it.
  void finish(std::int64_t read_to);

 private:
  std::string path_;
  int descriptor_;
};

class Journal {
 public:
  Journal(std::string folder, bool durable, JournalFile::Writing writing = JournalFile::Writing::kMapped)
      : folder_(std::move(folder)), durable_(durable), writing_(durable ? JournalFile::Writing::kByCalls : writing) {}

  // With the kernel when it returns, or on disk. kStoreUnavailable when it cannot be: then nothing of it is left.
  Status append(std::string_view entry);
  // Ends the file that is being written; null when there is none.
  std::unique_ptr<ClosedJournal> rotate();
  bool is_open();  // something was written that is not swept
  // Of all journals of the folder that are not swept; those of other processes count with the room that they allocated ahead.
  std::int64_t bytes_in_folder() const;
  // Files that other processes have left behind.
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
