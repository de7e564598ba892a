// Besides beginning and ending transactions, the writer keeps the WAL short. SQLite would checkpoint the WAL in
// whichever commit finds it long. After a long read that can take seconds of copying while every other writer waits. So
// a short checkpoint runs while holding the writer queue, where it can finish and let the WAL restart. A long one runs
// outside the queue, in the threads that write in bulk.
//
// Most of the time of a small write is waiting for the disk, and the disk is slowest during large erasures. So an
// erasing transaction commits without a flush (PRAGMA synchronous = NORMAL), lets the next writer in, and then flushes
// the log. It is durable when commit() returns, like all others. A power failure before that undoes it and all later
// log frames; a later commit flushes the whole log first.
#include "store/sqlite/engine/writer.h"

#include "base/limits.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"
#include "store/sqlite/engine/word_tables.h"

#include <algorithm>
#include <thread>

namespace ladder::store::sqlite {
namespace {

// Part of kWriteTransactionMs; the rest is for the commit.
constexpr std::chrono::milliseconds kWorkSpan{20};
// Erasing overwrites a page in memory in a third of the time that its commit takes to write it.
constexpr std::chrono::milliseconds kErasingSpan{7};
constexpr std::chrono::milliseconds kCheckInterval{2};  // how often a bulk write checks for waiting writers
// The timeout for readers while it blocks other writers.
constexpr int kCutBusyMs = 20;
// The WAL size in pages that starts a checkpoint. After a small write: the pages of some 25 small writes, so that the
// one that checkpoints takes a few times as long as the others, not twenty times. After a large one: 10 MB, because a
// page that many writes changed is copied once. In bulk: 36 MB, for the same reason.
constexpr int kCheckpointFrames = 600;
constexpr int kCheckpointFramesLarge = 2400;
constexpr int kCheckpointFramesBulk = 9000;
constexpr int kSmallWriteFrames = 100;
constexpr int kCheckpointFramesLeft = 4 * kCheckpointFramesBulk;
constexpr int kMaxFramesInQueue = 3000;  // the most pages that are copied while other writers wait: some 10 ms
// An erasure checkpoints outside the queue until one copy was so short that the rest fits inside the queue. Other
// writers may write much in the meantime, so it tries this often.
constexpr int kFewFrames = 300;
constexpr int kMaxCopiesOutsideQueue = 3;
// Holds the pages of a bulk transaction. Pages that do not fit are written to the WAL twice.
constexpr const char* kBulkCacheSql = "PRAGMA cache_size = -32000";
constexpr std::int64_t kBulkCacheBytes = 32'000 * 1024;

int checkpoint_from(int written, WriteKind kind) {
  if (written <= kSmallWriteFrames) return kCheckpointFrames;
  return kind == WriteKind::kBulk ? kCheckpointFramesBulk : kCheckpointFramesLarge;
}

WriterQueue::Priority priority_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::kShort:
    case WriteKind::kErasing:
      return WriterQueue::Priority::kNormal;
    case WriteKind::kBulk:
      return WriterQueue::Priority::kLow;
    case WriteKind::kUrgent:
      return WriterQueue::Priority::kUrgent;
  }
  return WriterQueue::Priority::kNormal;
}

// A busy handler for SQLite, whose own would back off further with each try.
int wait_briefly(void* deadline, int) {
  if (static_cast<const Deadline*>(deadline)->passed()) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return 1;
}

// Returns the number of pages that this connection has ever written to the log.
int pages_written(const Connection& connection) {
  int written = 0, highest = 0;
  sqlite3_db_status(connection.handle(), SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 0);
  return written;
}

// A small write does not checkpoint the pages of a concurrent importer or erasure, unless the log has become very long.
bool leaves_checkpoint_to_others(int own, int others, int log_frames) {
  if (own > kSmallWriteFrames) return false;
  if (others > kCheckpointFrames) return log_frames < kCheckpointFramesLeft;
  return others > kSmallWriteFrames && log_frames < kCheckpointFramesBulk;
}

// Receives SQLite's report after each commit, instead of its automatic checkpoint.
int note_frames(void* frames, sqlite3*, const char*, int count) {
  *static_cast<int*>(frames) = count;
  return SQLITE_OK;
}

}  // namespace

Status WriteTransaction::commit(bool bulk) {
  const int before = writer_->log_frames_, before_own = pages_written(*connection_);
  LADDER_CHECK(connection_->use(Sql::kCommit).run());
  const int own = pages_written(*connection_) - before_own;
  connection_ = nullptr;
  if (kind_ == WriteKind::kErasing) {
    const int frames = writer_->log_frames_;
    pass_.reset();
    return writer_->finish_erasing(frames);
  }
  const int others = std::max(0, writer_->log_frames_ - before - own);
  if (leaves_checkpoint_to_others(own, others, writer_->log_frames_)) return {};
  writer_->checkpoint_after_commit(pass_, checkpoint_from(own, kind_), bulk);
  return {};
}

bool WriteTransaction::time_is_up() const {
  return std::chrono::steady_clock::now() - begun_ >= (kind_ == WriteKind::kErasing ? kErasingSpan : kWorkSpan);
}

bool WriteTransaction::should_end() {
  if (Suspension::of_process().is_wanted()) return true;
  if (!time_is_up()) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_check_ < kCheckInterval) return false;
  last_check_ = now;
  return writer_->writer_queue_.has_waiters();
}

Deadline Writer::usual_timeout() { return Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs)); }

Result<WriterQueue::Pass> Writer::enter(WriteKind kind, Deadline wait_limit) {
  LADDER_TRY(WriterQueue::Pass pass, writer_queue_.enter(wait_limit, priority_of(kind)));
  LADDER_CHECK(identity_.check());
  // Discards a connection that failed to roll back.
  if (connection_ && connection_->in_transaction()) connection_.reset();
  if (!connection_) {
    LADDER_TRY(connection_, Connection::open(path_, Connection::Access::kWrite));
    schema_cookie_ = -1;
    has_bulk_cache_ = false;
    flushes_late_ = false;
    sqlite3_wal_hook(connection_->handle(), note_frames, &log_frames_);
  }
  return pass;
}

Status Writer::grow_cache() {
  if (has_bulk_cache_) return {};
  has_bulk_cache_ = true;
  raise_page_cache_bound(kPageCacheBytes + kBulkCacheBytes);
  return connection_->execute(kBulkCacheSql);
}

Status Writer::set_flushing(WriteKind kind) {
  const bool late = kind == WriteKind::kErasing;
  if (late == flushes_late_) return {};
  LADDER_CHECK(connection_->execute(late ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL"));
  flushes_late_ = late;
  return {};
}

Result<WriteTransaction> Writer::begin(WriteKind kind, Deadline wait_limit) {
  Suspension::Hold hold(Suspension::of_process());
  LADDER_TRY(WriterQueue::Pass pass, enter(kind, wait_limit));
  if (kind == WriteKind::kBulk) LADDER_CHECK(grow_cache());
  LADDER_CHECK(set_flushing(kind));
  LADDER_CHECK(take_write_lock(wait_limit));
  connection_->set_owner(0);
  WriteTransaction transaction(this, std::move(hold), std::move(pass), connection_.get(), kind);
  LADDER_CHECK(check_schema());
  return transaction;
}

// Succeeds at once unless another program holds the lock, or a writer that skipped the lock files of a stopped process.
Status Writer::take_write_lock(Deadline deadline) {
  sqlite3_busy_handler(connection_->handle(), wait_briefly, &deadline);
  const Status begun = connection_->use(Sql::kBeginWrite).run();
  const bool busy = !begun && (sqlite3_errcode(connection_->handle()) & 0xff) == SQLITE_BUSY;
  sqlite3_busy_timeout(connection_->handle(), Connection::kBusyTimeoutMs);
  return busy ? std::unexpected(held_too_long(path_)) : begun;
}

// Another process may have migrated the store. SQLite's schema cookie detects that at the cost of reading one integer.
Status Writer::check_schema() {
  Statement cookie = connection_->use(Sql::kSchemaCookie);
  LADDER_TRY(const bool row, cookie.step());
  const std::int64_t now = row ? cookie.integer_at(0) : 0;
  if (now == schema_cookie_) return {};
  Result<std::int64_t> version = schema_version(*connection_);
  if (!version) {
    version.error().code = Code::kStoreUnavailable;  // the store was set up when this process opened it
    return std::unexpected(std::move(version).error());
  }
  if (*version < newest_schema()) {
    return fail(Code::kStoreUnavailable, "the store has been replaced by an older one: run `ladder init`, then try again");
  }
  LADDER_TRY(const bool current_words, words_are_current(*connection_));
  if (!current_words) {
    return fail(Code::kStoreUnavailable,
                "the word index was built by another version of Ladder: run `ladder init`, then try again");
  }
  schema_cookie_ = now;
  return {};
}

// A failed checkpoint does no harm: committed pages are safe in the WAL, and the next checkpoint tries again.
void Writer::checkpoint_after_commit(std::optional<WriterQueue::Pass>& pass, int from, bool bulk) {
  if (log_frames_ < from) return;
  if (log_frames_ < checkpointed_) checkpointed_ = 0;  // the log has restarted since
  if (log_frames_ - checkpointed_ <= kMaxFramesInQueue) {
    checkpoint_in_queue();
  } else if (bulk) {
    pass.reset();
    checkpoint_outside_queue();
  }
}

void Writer::checkpoint_in_queue() {
  int checkpointed = 0;
  const int rc = sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, &checkpointed);
  if (rc == SQLITE_OK) checkpointed_ = checkpointed;
}

// The writing connection belongs to the holder of the pass, so this uses another.
Result<Connection*> Writer::second_connection() {
  if (!second_) {
    LADDER_TRY(auto opened, Connection::open(path_, Connection::Access::kWrite));
    LADDER_CHECK(opened->read_integer("SELECT 1 FROM sqlite_schema"));  // SQLite opens the log on the first read
    second_ = std::move(opened);
  }
  return second_.get();
}

int Writer::checkpoint_outside_queue() {
  const MutexLock lock(second_mutex_);
  const auto connection = second_connection();
  if (!connection) return 0;
  const int before = checkpointed_;
  int checkpointed = 0;
  const int rc = sqlite3_wal_checkpoint_v2((*connection)->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, &checkpointed);
  if (rc != SQLITE_OK) return 0;
  checkpointed_ = checkpointed;
  return checkpointed < before ? checkpointed : checkpointed - before;  // fewer: the log has restarted since
}

Status Writer::finish_erasing(int frames) {
  {
    const MutexLock lock(second_mutex_);
    LADDER_TRY(Connection* const connection, second_connection());
    sqlite3_file* log = nullptr;
    sqlite3_file_control(connection->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    if (log == nullptr || log->pMethods == nullptr)
      return fail(Code::kInternal, "the log of the store is not open to be flushed");
    const int rc = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    if (rc != SQLITE_OK) return std::unexpected(sqlite_error(connection->handle(), rc, "flushing the log"));
  }
  if (frames < kCheckpointFramesLarge) return {};
  for (int i = 0; i < kMaxCopiesOutsideQueue; ++i) {
    if (checkpoint_outside_queue() > kFewFrames) continue;
    LADDER_TRY(const WriterQueue::Pass pass, enter(WriteKind::kErasing));
    checkpoint_in_queue();
    break;
  }
  return {};
}

Result<bool> Writer::truncate_log() {
  checkpoint_outside_queue();
  LADDER_TRY(const WriterQueue::Pass pass, enter());
  return empty_log_in_queue(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<bool> Writer::empty_log_in_queue(int mode) {
  sqlite3_busy_timeout(connection_->handle(), kCutBusyMs);
  const int rc = sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, mode, nullptr, nullptr);
  sqlite3_busy_timeout(connection_->handle(), Connection::kBusyTimeoutMs);
  if (rc == SQLITE_OK) return true;
  if (rc == SQLITE_BUSY) return false;
  return std::unexpected(sqlite_error(connection_->handle(), rc, "cutting the log"));
}

}  // namespace ladder::store::sqlite
