// Opening with the settings every connection shares, and the statement slots.
#include "store/sqlite/connection.h"

#include "base/format.h"
#include "store/sqlite/errors.h"
#include "store/sqlite/vfs.h"

#include <cassert>

namespace ladder::store::sqlite {
namespace {

constexpr std::array<const char*, kStatementCount> kTexts = {
#define LADDER_SQLITE_TEXT(name, text) text,
    LADDER_SQLITE_STATEMENTS(LADDER_SQLITE_TEXT)
#undef LADDER_SQLITE_TEXT
};

// The cache holds the inner pages of a store of a million records and some hundred leaves that are in use, and keeps a reader
// within the 4 MB that reading may take (measured: more gains little, since what is missing here lies in the system's cache).
constexpr const char* kReadSettings = "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -3500";
// The cache holds the pages of one batch with its index pages, so that none is written to the log twice.
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
  // NOMUTEX: a connection never serves two threads at once.
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

// A null pointer would bind NULL, so nothing is bound as an empty literal.
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

Statement& Statement::unbind() {
  if (statement_) sqlite3_clear_bindings(statement_);  // SQLite takes a null statement everywhere else, but not here
  return *this;
}

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
  if (!sqlite3_compileoption_used("ENABLE_FTS5")) {
    return fail(
        Code::kStoreUnavailable,
        format("the SQLite library on this machine ({}) was built without FTS5, which Ladder needs: install one that has it",
               sqlite3_libversion()));
  }
  LADDER_TRY(const char* vfs, vfs_name());
  sqlite3* db = nullptr;
  const int rc = sqlite3_open_v2(uri_of(path, mode_of).c_str(), &db, open_flags(access), vfs);
  std::unique_ptr<Connection> connection(new Connection(db));
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(db, rc, "opening " + path));
  sqlite3_busy_timeout(db, kBusyTimeoutMs);
  LADDER_CHECK(register_words(db, &connection->hits_));
  LADDER_CHECK(connection->execute(access == Access::kRead ? kReadSettings : kWriteSettings));
  return connection;
}

Connection::~Connection() {
  for (sqlite3_stmt* const statement : slots_) sqlite3_finalize(statement);
  for (const auto& [key, statement] : further_slots_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

Statement Connection::use(Sql id) {
  sqlite3_stmt*& slot = slots_[static_cast<std::size_t>(id)];
  int rc = SQLITE_OK;
  if (!slot) rc = sqlite3_prepare_v3(db_, kTexts[static_cast<std::size_t>(id)], -1, SQLITE_PREPARE_PERSISTENT, &slot, nullptr);
  assert(!slot || !sqlite3_stmt_busy(slot));
  return {db_, slot, rc, false};
}

Statement Connection::use(std::int64_t key, const std::function<std::string()>& text) {
  sqlite3_stmt*& slot = further_slots_[key];
  int rc = SQLITE_OK;
  if (!slot) rc = sqlite3_prepare_v3(db_, text().c_str(), -1, SQLITE_PREPARE_PERSISTENT, &slot, nullptr);
  assert(!slot || !sqlite3_stmt_busy(slot));
  return {db_, slot, rc, false};
}

Statement Connection::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int rc = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  return {db_, statement, rc, true};
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
  if (in_transaction()) (void)use(Sql::kRollback).run();  // one that can't even roll back is given up by whoever finds it so
}

void Connection::drop_cache() {
  sqlite3_db_release_memory(db_);
  last_read_.reset();
  search_ranges_.reset();
}

}  // namespace ladder::store::sqlite
