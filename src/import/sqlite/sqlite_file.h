// Reads the tables of an SQLite file of another program: a browser's history, a phone's messages. The file is hostile input: it
// is read into memory, so nothing is ever written next to it, and SQLite is limited to plain SELECTs on its tables. Changes that
// the program had not yet moved into the file (`-wal`) are applied first.
#pragma once

#include "base/error/error.h"
#include "import/tree/tree.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ladder::imports {

inline constexpr std::size_t kMaxSqliteBytes =
    768 * 1024 * 1024;  // memory of the child process, with room for its copy of a record

bool is_sqlite(std::string_view head);

// Returns the database with the complete transactions of a write-ahead log applied. Invalid frames end the log, as for SQLite.
std::string with_write_ahead_log(std::string database, std::string_view log);

class SqliteRows {
 public:
  ~SqliteRows();
  SqliteRows(SqliteRows&& other) noexcept;
  SqliteRows& operator=(SqliteRows&&) = delete;

  Result<bool> next();                     // false at the end; kInvalidRequest if the file is damaged
  Status restart(std::int64_t parameter);  // runs the statement again, with this value for its `?`

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;        // valid UTF-8
  std::string_view bytes(int column) const;  // valid until next()

 private:
  friend class SqliteFile;
  SqliteRows(std::shared_ptr<sqlite3> file, sqlite3_stmt* statement) : file_(std::move(file)), statement_(statement) {}
  std::shared_ptr<sqlite3> file_;
  sqlite3_stmt* statement_;
};

class SqliteFile {
 public:
  // Opens an entry with its log, if the tree has one. kInvalidRequest if it is not an SQLite file, kResourceLimit if it is too
  // large.
  static Result<SqliteFile> open(Tree& tree, EntryNo entry);

  // The columns of a table; empty if there is none of that name. They differ between the versions of a program.
  std::set<std::string> columns(std::string_view table) const;
  bool has_table(std::string_view table) const { return !columns(table).empty(); }

  Result<SqliteRows> query(const std::string& sql) const;

 private:
  explicit SqliteFile(std::shared_ptr<sqlite3> file) : file_(std::move(file)) {}
  std::shared_ptr<sqlite3> file_;
};

// Returns true if the beginning of the file, where SQLite keeps the definitions of small schemas, has this text; also looks at
// the log next to it.
bool mentions_table(Tree& tree, EntryNo entry, std::string_view name);

}  // namespace ladder::imports
