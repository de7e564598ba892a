#include "import/sqlite/sqlite_file.h"

#include "base/text/format.h"
#include "import/text/text.h"

#include <sqlite3.h>

#include <cstring>
#include <map>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::string_view kMagic = std::string_view("SQLite format 3\0", 16);
constexpr std::size_t kHeaderBytes = 100, kLogHeaderBytes = 32, kFrameHeaderBytes = 24;
constexpr std::size_t kScannedBytes = 1024 * 1024;  // of a file whose tables are looked for

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}
std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

std::size_t page_bytes(std::string_view database) {
  const std::size_t size = static_cast<unsigned char>(database[16]) << 8 | static_cast<unsigned char>(database[17]);
  return size == 1 ? 65'536 : size;
}

// The checksum of a log (https://www.sqlite.org/fileformat2.html#checksum_algorithm).
struct Checksum {
  std::uint32_t first = 0, second = 0;
  void add(std::string_view bytes, bool is_big_endian) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += (is_big_endian ? big_endian(bytes, at) : little_endian(bytes, at)) + second;
      second += (is_big_endian ? big_endian(bytes, at + 4) : little_endian(bytes, at + 4)) + first;
    }
  }
  bool is(std::string_view bytes, std::size_t at) const {
    return first == big_endian(bytes, at) && second == big_endian(bytes, at + 4);
  }
};

// Allows reading tables and the functions that a plain SELECT needs.
int authorize(void*, int action, const char*, const char* function, const char*, const char*) {
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  if (action == SQLITE_FUNCTION) {
    const std::string_view name = function == nullptr ? std::string_view() : std::string_view(function);
    return name == "coalesce" || name == "max" || name == "count" ? SQLITE_OK : SQLITE_DENY;
  }
  return SQLITE_DENY;
}

std::unexpected<Error> damaged(sqlite3* file) {
  return fail(Code::kInvalidRequest, format("the database is damaged: {}", replace_invalid(sqlite3_errmsg(file))));
}

void restrict_file(sqlite3* file) {
  sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(file, SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024);
  sqlite3_limit(file, SQLITE_LIMIT_SQL_LENGTH, 256 * 1024);
  sqlite3_limit(file, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(file, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(file, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA query_only=ON; PRAGMA mmap_size=0", nullptr,
               nullptr, nullptr);
  sqlite3_set_authorizer(file, authorize, nullptr);
}

}  // namespace

bool is_sqlite(std::string_view head) { return head.starts_with(kMagic); }

std::string with_write_ahead_log(std::string database, std::string_view log) {
  if (database.size() < kHeaderBytes) return database;
  const std::size_t page = page_bytes(database);
  // A database in memory has no log of its own.
  const auto switch_log_off = [&] {
    if (database.size() > 19) database[18] = database[19] = 1;
  };
  const bool is_log =
      log.size() >= kLogHeaderBytes && (big_endian(log, 0) & 0xFFFFFFFE) == 0x377F0682 && big_endian(log, 8) == page;
  if (!is_log || page < 512) {
    switch_log_off();
    return database;
  }
  const bool is_big_endian = (big_endian(log, 0) & 1) != 0;
  Checksum sum;
  sum.add(log.substr(0, 24), is_big_endian);
  std::map<std::uint32_t, std::string_view> pending;
  const std::size_t frame = kFrameHeaderBytes + page;
  for (std::size_t at = kLogHeaderBytes; sum.is(log, 24) || at > kLogHeaderBytes; at += frame) {
    if (at + frame > log.size()) break;
    const std::string_view head = log.substr(at, kFrameHeaderBytes), body = log.substr(at + kFrameHeaderBytes, page);
    if (head.substr(8, 8) != log.substr(16, 8)) break;  // an older log at the same place
    sum.add(head.substr(0, 8), is_big_endian);
    sum.add(body, is_big_endian);
    const std::uint32_t number = big_endian(head, 0), pages = big_endian(head, 4);
    if (!sum.is(head, 16) || number == 0) break;
    pending[number] = body;
    if (pages == 0) continue;  // the transaction continues
    if (static_cast<std::size_t>(pages) * page > kMaxSqliteBytes) break;
    database.resize(static_cast<std::size_t>(pages) * page);
    for (const auto& [written, bytes] : pending) {
      if (written <= pages) std::memcpy(database.data() + static_cast<std::size_t>(written - 1) * page, bytes.data(), page);
    }
    pending.clear();
  }
  switch_log_off();
  return database;
}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }
SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : file_(std::move(other.file_)), statement_(std::exchange(other.statement_, nullptr)) {}

Result<bool> SqliteRows::next() {
  const int done = sqlite3_step(statement_);
  if (done == SQLITE_ROW) return true;
  if (done == SQLITE_DONE) return false;
  return damaged(file_.get());
}

Status SqliteRows::restart(std::int64_t parameter) {
  sqlite3_reset(statement_);
  if (sqlite3_bind_int64(statement_, 1, parameter) != SQLITE_OK) return damaged(file_.get());
  return {};
}

bool SqliteRows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t SqliteRows::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double SqliteRows::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string SqliteRows::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  std::string valid = replace_invalid({text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))});
  std::erase(valid, '\0');
  return valid;
}

std::string_view SqliteRows::bytes(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<SqliteFile> SqliteFile::open(Tree& tree, EntryNo entry) {
  LADDER_TRY(std::string database, tree.read(entry, kMaxSqliteBytes));
  if (!is_sqlite(database) || database.size() < kHeaderBytes) return fail(Code::kInvalidRequest, "it is not an SQLite database");
  std::string log;
  if (const auto found = tree.find(tree.entries()[entry].path + "-wal")) {
    LADDER_TRY(log, tree.read(*found, kMaxSqliteBytes / 2));
  }
  database = with_write_ahead_log(std::move(database), log);
  log.clear();
  log.shrink_to_fit();
  sqlite3* opened = nullptr;
  const int done =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  // The bytes belong to the database and are freed after it is closed.
  auto bytes = std::make_shared<std::string>(std::move(database));
  std::shared_ptr<sqlite3> file(opened, [bytes](sqlite3* closed) { sqlite3_close_v2(closed); });
  if (done != SQLITE_OK) return fail(Code::kInternal, "SQLite has no memory");
  if (sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(bytes->data()),
                          static_cast<sqlite3_int64>(bytes->size()), static_cast<sqlite3_int64>(bytes->size()),
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return damaged(opened);
  }
  restrict_file(opened);
  return SqliteFile(std::move(file));
}

std::set<std::string> SqliteFile::columns(std::string_view table) const {
  std::set<std::string> names;
  const auto rows = query(format("SELECT * FROM \"{}\"", table));
  if (!rows) return names;
  for (int i = 0; i < sqlite3_column_count(rows->statement_); ++i) names.emplace(sqlite3_column_name(rows->statement_, i));
  return names;
}

Result<SqliteRows> SqliteFile::query(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(file_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK) {
    return damaged(file_.get());
  }
  return SqliteRows(file_, statement);
}

bool mentions_table(Tree& tree, EntryNo entry, std::string_view name) {
  const auto scan = [&](EntryNo file) {
    const auto bytes = tree.open(file);
    if (!bytes) return false;
    std::string text(kScannedBytes, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const auto count = (*bytes)->read(text.data() + size, text.size() - size);
      if (!count || *count == 0) break;
      size += *count;
    }
    return std::string_view(text).substr(0, size).find(name) != std::string_view::npos;
  };
  if (scan(entry)) return true;
  const auto log = tree.find(tree.entries()[entry].path + "-wal");
  return log && scan(*log);
}

}  // namespace ladder::imports
