// The log in SQLite's file format: a header of 32 bytes, then frames. A frame has a header of 24 bytes, which starts
// with the page number, and the page. A checkpoint reports how many frames are committed and how many of them are in
// the database.
#include "store/sqlite/upkeep/page_snapshot.h"

#include "base/limits.h"
#include "store/sqlite/engine/vfs.h"
#include "store/sqlite/engine/writer_queue.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kPageSize = static_cast<std::int64_t>(kPageBytes);
constexpr std::int64_t kHeaderBytes = 32, kFrameHeaderBytes = 24, kFrameBytes = kFrameHeaderBytes + kPageSize;
constexpr int kTries = 100;

std::int64_t page_number(std::string_view frame_header) {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(frame_header[i]);
  return number;
}

Result<std::int64_t> data_version(Connection& connection) { return connection.read_integer("PRAGMA data_version"); }

}  // namespace

Result<std::unique_ptr<PageSnapshot>> PageSnapshot::open(const std::string& path) {
  LADDER_TRY(auto connection, Connection::open(path, Connection::Access::kRead));
  LADDER_TRY(const auto other, Connection::open(path, Connection::Access::kWrite));
  std::unique_ptr<PageSnapshot> snapshot(new PageSnapshot(std::move(connection)));
  WriterQueue writers(path);
  for (int tries = 0; tries < kTries; ++tries) {
    // Copies most of the log before entering the queue, so that writers wait only briefly.
    sqlite3_wal_checkpoint_v2(other->handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    LADDER_TRY(const WriterQueue::Pass pass, writers.enter(Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs))));
    LADDER_TRY(const bool begun, snapshot->begin(*other));
    if (begun) return snapshot;
    snapshot->connection_->roll_back();
  }
  return fail(Code::kStoreUnavailable, "another program writes to the store without a pause: stop it, then try again");
}

// The transaction matches the state that the checkpoint reported only if nothing was committed in between.
Result<bool> PageSnapshot::begin(Connection& other) {
  LADDER_TRY(const std::int64_t before, data_version(other));
  int frames = 0, in_database = 0;
  const int rc = sqlite3_wal_checkpoint_v2(other.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &in_database);
  if (rc == SQLITE_BUSY) return false;  // another connection is checkpointing
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(other.handle(), rc, "bringing the log into the store"));
  LADDER_CHECK(connection_->execute("BEGIN; SELECT count(*) FROM sqlite_schema"));
  sqlite3* const handle = connection_->handle();
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&database_));
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log_));
  LADDER_TRY(page_count_, connection_->read_integer("PRAGMA page_count"));
  in_log_.clear();
  if (in_database < frames) LADDER_CHECK(find_log_pages(in_database + 1, frames));
  LADDER_TRY(const std::int64_t after, data_version(other));
  return before == after;
}

Result<std::string> PageSnapshot::log_header() const {
  std::string header(static_cast<std::size_t>(kHeaderBytes), '\0');
  const int rc = log_->pMethods->xRead(log_, header.data(), static_cast<int>(kHeaderBytes), 0);
  if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ) return header;
  return std::unexpected(sqlite_error(connection_->handle(), rc, "reading the log of the store"));
}

Status PageSnapshot::find_log_pages(std::int64_t first_frame, std::int64_t last_frame) {
  LADDER_TRY(header_, log_header());
  std::string frame(static_cast<std::size_t>(kFrameHeaderBytes), '\0');
  for (std::int64_t at = first_frame; at <= last_frame; ++at) {
    const std::int64_t offset = kHeaderBytes + (at - 1) * kFrameBytes;
    const int rc = log_->pMethods->xRead(log_, frame.data(), static_cast<int>(kFrameHeaderBytes), offset);
    if (rc != SQLITE_OK) return std::unexpected(sqlite_error(connection_->handle(), rc, "reading the log of the store"));
    in_log_.push_back({page_number(frame) - 1, offset + kFrameHeaderBytes});
  }
  // Keeps the newest frame of each page.
  std::ranges::sort(in_log_,
                    [](const LogPage& a, const LogPage& b) { return a.page != b.page ? a.page < b.page : a.offset > b.offset; });
  const auto older = std::ranges::unique(in_log_, {}, &LogPage::page);
  in_log_.erase(older.begin(), older.end());
  return {};
}

Status PageSnapshot::read_database(std::int64_t first, std::int64_t count, std::string& into) {
  into.resize(static_cast<std::size_t>(count * kPageSize));
  const int rc = database_->pMethods->xRead(database_, into.data(), static_cast<int>(into.size()), first * kPageSize);
  // The end of the database may be only in the log; the missing bytes were filled with zeros.
  if (rc == SQLITE_OK || rc == SQLITE_IOERR_SHORT_READ) return {};
  return std::unexpected(sqlite_error(connection_->handle(), rc, "reading the store"));
}

Status PageSnapshot::take_from_log(std::int64_t first, std::int64_t count, std::string& into) {
  for (auto at = std::ranges::lower_bound(in_log_, first, {}, &LogPage::page); at != in_log_.end() && at->page < first + count;
       ++at) {
    char* const place = into.data() + (at->page - first) * kPageSize;
    const int rc = log_->pMethods->xRead(log_, place, static_cast<int>(kPageSize), at->offset);
    if (rc == SQLITE_IOERR_SHORT_READ) return {};  // the log was truncated; the caller sees it in the header
    if (rc != SQLITE_OK) return std::unexpected(sqlite_error(connection_->handle(), rc, "reading the log of the store"));
    // The same scrubbing as on a write to the database (vfs.h).
    const std::span<unsigned char, kPageBytes> page(reinterpret_cast<unsigned char*>(place), kPageBytes);
    if (at->page == 0 || page_count_ * kPageSize < scrubbed_file_bytes(page[0])) scrub_page(page, at->page == 0);
  }
  return {};
}

Status PageSnapshot::read(std::int64_t first, std::int64_t count, std::string& into) {
  LADDER_CHECK(read_database(first, count, into));
  if (in_log_.empty()) return {};
  LADDER_CHECK(take_from_log(first, count, into));
  LADDER_TRY(const std::string now, log_header());
  if (now == header_) return {};
  // While a reader is active, the log restarts only if everything this reader may see was already in the database. The
  // header is written before any frame, so the frames read before this check may be from the new log.
  in_log_.clear();
  return read_database(first, count, into);
}

}  // namespace ladder::store::sqlite
