// The one writing connection of a store. Every write is a transaction that holds the writer queue.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/suspension.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/file_identity.h"
#include "store/sqlite/engine/writer_queue.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ladder::store::sqlite {

class Writer;

// The kind of a write transaction. A bulk one may be long but ends early when others wait (should_end). An erasing one
// stops its work early, because its commit has much to write, and lets other writers in before its bytes are on the
// disk. An urgent one is short and is served first.
enum class WriteKind : std::uint8_t { kShort, kBulk, kErasing, kUrgent };

// Rolls back unless committed. Keep it short: all other writers wait for it.
class WriteTransaction {
 public:
  WriteTransaction(Writer* writer, Suspension::Hold hold, WriterQueue::Pass pass, Connection* connection, WriteKind kind)
      : writer_(writer), hold_(std::move(hold)), pass_(std::move(pass)), connection_(connection), kind_(kind) {}
  WriteTransaction(WriteTransaction&& other) noexcept
      : writer_(other.writer_),
        hold_(std::move(other.hold_)),
        pass_(std::move(other.pass_)),
        connection_(std::exchange(other.connection_, nullptr)),
        kind_(other.kind_),
        begun_(other.begun_) {}
  WriteTransaction& operator=(WriteTransaction&&) = delete;
  ~WriteTransaction() {
    if (connection_) connection_->roll_back();
  }

  // The transaction has no owner until then, or after for another.
  void set_owner(OwnerNo owner) const { connection_->set_owner(owner); }

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }

  // Durable when it returns. The transaction must not be used afterwards. Bulk writers use commit_bulk and keep the log
  // short, however long it has become.
  Status commit() { return commit(false); }
  Status commit_bulk() { return commit(true); }
  bool time_is_up() const;  // most of the time limit of a write transaction is used: commit and begin another
  bool should_end();        // the same for a bulk write, but only if others wait

 private:
  Status commit(bool bulk);

  Writer* writer_;
  Suspension::Hold hold_;  // released after the pass
  std::optional<WriterQueue::Pass> pass_;
  Connection* connection_;
  WriteKind kind_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_check_ = begun_;  // time of the last check for waiting writers
};

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), identity_(path), writer_queue_(path) {}
  static Deadline usual_timeout();

  // kStoreUnavailable when the writer queue stays busy past the limit, when the schema is newer than this program, or
  // when the store's file was replaced.
  Result<WriteTransaction> begin(WriteKind kind = WriteKind::kShort, Deadline wait_limit = usual_timeout());

  // Copies the log into the database and truncates it. False when readers or writers prevent it; try again later.
  Result<bool> truncate_log();
  std::size_t waiting() const { return writer_queue_.waiting(); }  // threads of this process that wait to write
  // Releases free pages from `from` on to the file system (upkeep/free_pages.h), for a few milliseconds. Returns where
  // to resume, or -1 when done. Returns nullopt when readers prevent it; try again later.
  Result<std::optional<std::int64_t>> release_free_pages(std::int64_t from);

 private:
  friend class WriteTransaction;

  Result<WriterQueue::Pass> enter(WriteKind kind = WriteKind::kShort, Deadline wait_limit = usual_timeout());
  Status take_write_lock(Deadline deadline);
  Result<bool> empty_log_in_queue(int mode);  // SQLITE_CHECKPOINT_RESTART or _TRUNCATE
  Status grow_cache();                        // for the pages of a bulk transaction
  Status set_flushing(WriteKind kind);
  Status check_schema();
  void checkpoint_after_commit(std::optional<WriterQueue::Pass>& pass, int from, bool bulk);  // if it has `from` pages
  Status finish_erasing(int frames);  // called without a pass, after a commit that left `frames` pages in the log
  void checkpoint_in_queue();
  int checkpoint_outside_queue();  // returns the number of copied pages
  Result<Connection*> second_connection() LADDER_REQUIRES(second_mutex_);

  const std::string path_;
  const FileIdentity identity_;
  WriterQueue writer_queue_;
  // Used by the holder of the pass.
  std::unique_ptr<Connection> connection_;
  std::int64_t schema_cookie_ = -1;
  bool has_bulk_cache_ = false;
  bool flushes_late_ = false;          // a commit does not flush its bytes
  int log_frames_ = 0;                 // pages in the log after the last commit here
  std::atomic<int> checkpointed_ = 0;  // how many of them are known to be in the database

  Mutex second_mutex_;
  std::unique_ptr<Connection> second_ LADDER_GUARDED_BY(second_mutex_);  // for use without a pass; opened on first use
};

}  // namespace ladder::store::sqlite
