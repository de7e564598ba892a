// The one writing connection of a store, and the right to use it: every write is a transaction inside the writer queue.
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

// How much a transaction is going to write: in bulk it may be long, but ends early when others wait (should_end). An erasing one
// ends its work early, since its commit has much to write, and lets others write before its bytes are on the disk. An urgent one
// is short and goes before all others.
enum class Manner : std::uint8_t { kShort, kBulk, kErasing, kUrgent };

// Rolls back unless committed. Lives short: everyone else's writes wait for it.
class WriteTransaction {
 public:
  WriteTransaction(Writer* writer, Suspension::Hold hold, WriterQueue::Pass pass, Connection* connection, Manner manner)
      : writer_(writer), hold_(std::move(hold)), pass_(std::move(pass)), connection_(connection), manner_(manner) {}
  WriteTransaction(WriteTransaction&& other) noexcept
      : writer_(other.writer_),
        hold_(std::move(other.hold_)),
        pass_(std::move(other.pass_)),
        connection_(std::exchange(other.connection_, nullptr)),
        manner_(other.manner_),
        begun_(other.begun_) {}
  WriteTransaction& operator=(WriteTransaction&&) = delete;
  ~WriteTransaction() {
    if (connection_) connection_->roll_back();
  }

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }

  // Durable when it returns; nothing may use the transaction afterwards. Those who write much commit with commit_bulk and pay for
  // keeping the log short, however long it has become.
  Status commit() { return commit(false); }
  Status commit_bulk() { return commit(true); }
  bool used_up() const;  // most of the time a write transaction may take is gone: commit and begin another
  bool should_end();     // the same in bulk: while nobody waits there is time

 private:
  Status commit(bool bulk);

  Writer* writer_;
  Suspension::Hold hold_;  // let go after the pass
  std::optional<WriterQueue::Pass> pass_;
  Connection* connection_;
  Manner manner_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point looked_ = begun_;  // for others who wait
};

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), identity_(path), writer_queue_(path) {}
  static Deadline usual_timeout();

  // kStoreUnavailable when the writer queue stays taken for so long, the schema has become newer than this program, or the
  // store's file is another one now.
  Result<WriteTransaction> begin(Manner manner = Manner::kShort, Deadline wait_limit = usual_timeout());

  // Copies the log into the database and cuts it. False when readers or others stand in the way; try again later.
  Result<bool> cut_log();
  std::size_t waiting() const { return writer_queue_.waiting(); }  // threads of this process that want to write
  // Gives free pages from that one on back to the file system (upkeep/free_pages.h), for some milliseconds; where to go on, -1:
  // all are. Nothing when readers stand in the way; try again later.
  Result<std::optional<std::int64_t>> give_back(std::int64_t from);

 private:
  friend class WriteTransaction;

  Result<WriterQueue::Pass> enter(Manner manner = Manner::kShort, Deadline wait_limit = usual_timeout());
  Status take_write_lock(Deadline deadline);
  Result<bool> empty_log_in_turn(int mode);  // SQLITE_CHECKPOINT_RESTART or _TRUNCATE
  Status make_room();                        // for the pages of a transaction in bulk
  Status set_flushing(Manner manner);
  Status check_schema();
  void checkpoint_after_commit(std::optional<WriterQueue::Pass>& pass, int from, bool bulk);  // when the log has so many pages
  Status finish_erasing(int frames);  // without a pass, after a commit that left so many pages in the log
  void checkpoint_in_turn();
  int checkpoint_out_of_turn();  // how many pages it has copied
  Result<Connection*> second_connection() LADDER_REQUIRES(out_of_turn_);

  const std::string path_;
  const FileIdentity identity_;
  WriterQueue writer_queue_;
  // Used by whoever holds a pass.
  std::unique_ptr<Connection> connection_;
  std::int64_t schema_cookie_ = -1;
  bool has_room_ = false;
  bool flushes_late_ = false;          // a commit leaves its bytes to the system
  int log_frames_ = 0;                 // pages in the log after the last commit here
  std::atomic<int> checkpointed_ = 0;  // how many of them are known to be in the database, too

  Mutex out_of_turn_;
  std::unique_ptr<Connection> second_ LADDER_GUARDED_BY(out_of_turn_);  // for whoever holds no pass; made on first use
};

}  // namespace ladder::store::sqlite
