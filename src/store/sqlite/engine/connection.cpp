// Opens connections with shared settings and manages the statement slots.
#include "store/sqlite/engine/connection.h"

#include "base/text/format.h"
#include "store/sqlite/engine/numbers.h"
#include "store/sqlite/engine/recent_chunks.h"
#include "store/sqlite/engine/vfs.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

namespace ladder::store::sqlite {
namespace {

constexpr std::array<const char*, kStatementCount> kTexts = {
#define LADDER_SQLITE_TEXT(name, text) text,
    LADDER_SQLITE_STATEMENTS(LADDER_SQLITE_TEXT)
#undef LADDER_SQLITE_TEXT
};

// The cache holds the inner pages of a store with a million records and a few hundred leaves in use. It keeps a reader
// within its 4 MB budget. A larger cache gains little (measured), because misses hit the operating system's cache. All
// readers together stay within kPageCacheBytes.
constexpr const char* kReadSettings = "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -3500";
// The cache holds the table and index pages of one batch, so that no page is written to the log twice.
constexpr const char* kWriteSettings =
    "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = "
    "-16000";

void append_escaped(std::string& uri, std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#' || c == '&') {
      uri += '%';
      uri += kHex[static_cast<unsigned char>(c) >> 4];
      uri += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      uri += c;
    }
  }
}

std::string uri_of(std::string_view path, std::string_view mode_of) {
  std::string uri = "file:";
  append_escaped(uri, path);
  if (!mode_of.empty()) {
    uri += "?modeof=";
    append_escaped(uri, mode_of);
  }
  return uri;
}

int open_flags(Connection::Access access) {
  // NOMUTEX: a connection is never used by two threads at once.
  constexpr int kCommon = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (access) {
    case Connection::Access::kRead:
      return kCommon | SQLITE_OPEN_READONLY;
    case Connection::Access::kWrite:
      return kCommon | SQLITE_OPEN_READWRITE;
    case Connection::Access::kCreate:
      return kCommon | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  return kCommon;
}

// A statement whose `:owner` is the parameter after its last numbered one.
struct NumberedSql {
  std::string sql;
  int owner_at = 0;
};

NumberedSql number_owner(std::string_view sql) {
  constexpr std::string_view kOwner = ":owner";
  NumberedSql numbered{std::string(sql), 0};
  std::size_t at = numbered.sql.find(kOwner);
  if (at == std::string::npos) return numbered;
  for (std::size_t mark = sql.find('?'); mark != std::string_view::npos; mark = sql.find('?', mark + 1)) {
    int number = 0;
    std::from_chars(sql.data() + mark + 1, sql.data() + sql.size(), number);
    numbered.owner_at = std::max(numbered.owner_at, number);
  }
  const std::string parameter = format("?{}", ++numbered.owner_at);
  for (; at != std::string::npos; at = numbered.sql.find(kOwner, at)) numbered.sql.replace(at, kOwner.size(), parameter);
  return numbered;
}

// A statement of both engines in SQLite's dialect, which has no row locks.
std::string translated(std::string_view sql) {
  std::string text(sql.substr(0, std::min(sql.find(" FOR KEY SHARE"), sql.find(" FOR NO KEY UPDATE"))));
  std::ranges::replace(text, '$', '?');
  return text;
}

}  // namespace

Statement::~Statement() {
  if (owned_) {
    sqlite3_finalize(statement_);
  } else if (statement_) {
    sqlite3_reset(statement_);
  }
}

Statement& Statement::integer(int at, std::int64_t value) {
  note(sqlite3_bind_int64(statement_, at, value));
  return *this;
}

Statement& Statement::maybe_integer(int at, std::optional<std::int64_t> value) {
  note(value ? sqlite3_bind_int64(statement_, at, *value) : sqlite3_bind_null(statement_, at));
  return *this;
}

// A null pointer would bind NULL, so an empty value is bound as an empty literal.
Statement& Statement::blob(int at, std::string_view bytes) {
  note(sqlite3_bind_blob64(statement_, at, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::text(int at, std::string_view text) {
  note(sqlite3_bind_text64(statement_, at, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Result<bool> Statement::step() {
  if (rc_ != SQLITE_OK) return std::unexpected(fault(rc_));
  const int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return std::unexpected(fault(rc));
}

Status Statement::run() {
  for (;;) {
    LADDER_TRY(const bool row, step());
    if (!row) return {};
  }
}

void Statement::reset() { sqlite3_reset(statement_); }

std::optional<std::int64_t> Statement::maybe_integer_at(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer_at(column);
}

std::string_view Statement::bytes_at(int column) const {
  const void* const data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return {static_cast<const char*>(data), data ? size : 0};
}

Error Statement::fault(int rc) const {
  const char* const sql = statement_ ? sqlite3_sql(statement_) : nullptr;
  return sqlite_error(db_, rc, sql ? sql : "preparing a statement");
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Access access, const std::string& mode_of) {
  LADDER_TRY(const char* vfs, vfs_name());
  sqlite3* db = nullptr;
  const int rc = sqlite3_open_v2(uri_of(path, mode_of).c_str(), &db, open_flags(access), vfs);
  std::unique_ptr<Connection> connection(new Connection(db));
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(db, rc, "opening " + path));
  sqlite3_busy_timeout(db, kBusyTimeoutMs);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  LADDER_CHECK(define_nextval(*connection));
  LADDER_CHECK(connection->execute(access == Access::kRead ? kReadSettings : kWriteSettings));
  return connection;
}

Connection::Connection(sqlite3* db) : db_(db) {}

RecentChunks& Connection::recent_chunks() {
  if (!recent_chunks_) recent_chunks_ = std::make_unique<RecentChunks>();
  return *recent_chunks_;
}

Connection::~Connection() {
  for (const Slot& slot : slots_) sqlite3_finalize(slot.statement);
  for (const auto& [statement, slot] : shared_slots_) sqlite3_finalize(slot.statement);
  sqlite3_close(db_);
}

void Connection::set_owner(OwnerNo owner) {
  owner_ = owner;
  if (owner == 0 || owner == cached_owner_) return;
  cached_owner_ = owner;
  last_read_.reset();
  if (recent_chunks_) recent_chunks_->forget();
  number_blocks_ = {};
  search_ranges_ = {};
}

// Returns what sqlite3_prepare returns.
int Connection::prepare_owned(std::string_view sql, unsigned flags, Slot& slot) {
  const NumberedSql numbered = number_owner(sql);
  slot.owner_at = numbered.owner_at;
  return sqlite3_prepare_v3(db_, numbered.sql.c_str(), -1, flags, &slot.statement, nullptr);
}

// Returns what sqlite3_bind returns.
int Connection::bind_owner(const Slot& slot) const {
  if (slot.owner_at == 0) return SQLITE_OK;
  return owner_ == 0 ? SQLITE_MISUSE : sqlite3_bind_int64(slot.statement, slot.owner_at, owner_);
}

Statement Connection::use(Slot& slot, int rc) {
  assert(!slot.statement || !sqlite3_stmt_busy(slot.statement));
  if (rc == SQLITE_OK) rc = bind_owner(slot);
  return {db_, slot.statement, rc, false};
}

Statement Connection::use(Sql id) {
  Slot& slot = slots_[static_cast<std::size_t>(id)];
  if (slot.statement) return use(slot, SQLITE_OK);
  return use(slot, prepare_owned(kTexts[static_cast<std::size_t>(id)], SQLITE_PREPARE_PERSISTENT, slot));
}

Statement Connection::use(const sql::Statement& statement) {
  Slot& slot = shared_slots_[&statement];
  if (slot.statement) return use(slot, SQLITE_OK);
  return use(slot, prepare_owned(translated(statement.sql), SQLITE_PREPARE_PERSISTENT, slot));
}

Statement Connection::prepare(const char* sql) {
  Slot slot;
  int rc = prepare_owned(sql, 0, slot);
  if (rc == SQLITE_OK) rc = bind_owner(slot);
  return {db_, slot.statement, rc, true};
}

Status Connection::execute(const char* sql) {
  const int rc = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(db_, rc, sql));
  return {};
}

Result<std::int64_t> Connection::read_integer(const char* sql) {
  Statement statement = prepare(sql);
  LADDER_TRY(const bool row, statement.step());
  return row ? statement.integer_at(0) : 0;
}

void Connection::roll_back() {
  if (in_transaction()) (void)use(Sql::kRollback).run();  // a connection that fails to roll back is discarded by its owner
}

void Connection::drop_cache() {
  sqlite3_db_release_memory(db_);
  last_read_.reset();
  recent_chunks_.reset();
  search_ranges_ = {};
}

// Error messages may reach remote callers, so they contain no path; the log detail does. Errors while opening a store
// go to the local operator and include the path (sqlite_store.cpp).

namespace {

constexpr std::string_view kDiskFull =
    "the disk that holds the store is full: this was not written; free some space and try again";
constexpr std::string_view kReadOnly =
    "the store is read-only: make its file and the folder around it writable for this user, then try again";

bool means_full(int error_number) { return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG; }

std::string system_text(int error_number) {
  return error_number == 0 ? "input/output error" : std::generic_category().message(error_number);
}

struct MappedError {
  Code code;
  std::string message;
};

MappedError map_error(int rc, int error_number) {
  switch (rc & 0xff) {
    case SQLITE_FULL:
      return {Code::kStoreUnavailable, std::string(kDiskFull)};
    case SQLITE_IOERR:
      // The log's index grows by writing one byte, which fails only on a full disk.
      if (means_full(error_number) || rc == SQLITE_IOERR_SHMSIZE) return {Code::kStoreUnavailable, std::string(kDiskFull)};
      return {Code::kStoreUnavailable, format("the store's files cannot be read or written ({}): check the disk, then try again",
                                              system_text(error_number))};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Code::kStoreUnavailable, std::string(kReadOnly)};
    case SQLITE_CANTOPEN:
      return {Code::kStoreUnavailable,
              "the store's files cannot be opened: check that this user may read and write the file and the folder around it"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::kStoreUnavailable,
              "the store is busy: another program keeps its file locked; close that program or wait, then try again"};
    case SQLITE_CORRUPT:
      return {Code::kStoreUnavailable, "the store's file is damaged: restore it from a backup"};
    case SQLITE_NOTADB:
      return {Code::kStoreUnavailable,
              "the file is not a Ladder store, or is damaged: choose another path, or restore it from a backup"};
    case SQLITE_NOMEM:
      return {Code::kStoreUnavailable, "there is not enough memory to use the store: try again later"};
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
      return {Code::kStoreUnavailable,
              "the store's tables are not those this Ladder knows: it was changed while in use; restart with the newest Ladder"};
    case SQLITE_CONSTRAINT:
      if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY)
        return {Code::kConflict, std::string(sql::kExistsAlready)};
      return {Code::kInternal, "the store failed unexpectedly"};
    case SQLITE_TOOBIG:
      return {Code::kResourceLimit, "a value is larger than the store can hold"};
    default:
      return {Code::kInternal, "the store failed unexpectedly"};
  }
}

}  // namespace

void raise_page_cache_bound(std::int64_t bytes) {
  if (sqlite3_soft_heap_limit64(-1) < bytes) sqlite3_soft_heap_limit64(bytes);
}

bool means_disk_full(const Error& error) { return error.message == kDiskFull; }

Error sqlite_error(sqlite3* db, int rc, std::string_view doing) {
  const int error_number = db ? sqlite3_system_errno(db) : 0;
  auto [code, message] = map_error(rc, error_number);
  Error error{code, std::move(message)};
  error.log_detail = format("sqlite {} ({}){}{}: {}", rc, db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), error_number ? ", " : "",
                            error_number ? system_text(error_number) : "", doing);
  return error;
}

Error file_error(int error_number, std::string_view path, std::string_view doing) {
  Error error{Code::kStoreUnavailable, {}};
  if (means_full(error_number)) {
    error.message = kDiskFull;
  } else if (error_number == EROFS || error_number == EACCES || error_number == EPERM) {
    error.message = kReadOnly;
  } else {
    error.message =
        format("the store's files cannot be used ({}): check the disk and the folder, then try again", system_text(error_number));
  }
  error.log_detail = format("{} {}: {}", doing, path, system_text(error_number));
  return error;
}

}  // namespace ladder::store::sqlite
