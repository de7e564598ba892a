// The bare engines, used to measure the floors: as little code around the C libraries as possible.
#pragma once

#include "store/postgres/engine/wire_values.h"

#include <libpq-fe.h>
#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

class BareSqlite {
 public:
  enum class Access : bool { kRead, kWrite };

  BareSqlite(const std::string& path, Access access);  // applies the settings of Ladder's own connections
  ~BareSqlite();
  BareSqlite(const BareSqlite&) = delete;
  BareSqlite& operator=(const BareSqlite&) = delete;

  sqlite3_stmt* prepare(const char* sql);  // owned by this object
  void execute(const std::string& sql);
  void run(sqlite3_stmt* statement);          // for statements without rows; resets the statement afterwards
  std::string value(const std::string& sql);  // returns the first column of the first row as text
  sqlite3* handle() { return db_; }

 private:
  void expect(int rc, int wanted);

  sqlite3* db_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
};

// Returns the raw bytes of a row that may hold them compressed. Ends the program if they are damaged.
std::string raw_of(std::string_view stored, std::optional<std::int64_t> raw_size);

// Returns a column of the statement's current row; valid until its next step.
inline std::string_view bytes_at(sqlite3_stmt* row, int column) {
  const void* const data = sqlite3_column_blob(row, column);
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

inline std::optional<std::int64_t> maybe_number_at(sqlite3_stmt* row, int column) {
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(row, column);
}

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using BareRows = std::unique_ptr<PGresult, ClearResult>;

inline std::string_view bytes_at(const BareRows& rows, int row, int column) {
  return {PQgetvalue(rows.get(), row, column), static_cast<std::size_t>(PQgetlength(rows.get(), row, column))};
}
inline std::int64_t int8_at(const BareRows& rows, int row, int column) {
  return store::postgres::get_big_endian<std::int64_t>(PQgetvalue(rows.get(), row, column));
}

inline std::optional<std::int64_t> maybe_int8_at(const BareRows& rows, int row, int column) {
  if (PQgetisnull(rows.get(), row, column) != 0) return std::nullopt;
  return int8_at(rows, row, column);
}

class BarePostgres {
 public:
  explicit BarePostgres(const std::string& address);  // applies the planner settings of Ladder's sessions
  ~BarePostgres();
  BarePostgres(const BarePostgres&) = delete;
  BarePostgres& operator=(const BarePostgres&) = delete;

  void prepare(const char* name, const char* sql);
  BareRows run(const char* name, const store::postgres::Parameters& parameters);  // one round trip, binary format
  std::string value(const std::string& sql);                                      // returns the first column of the first row
  void execute(const std::string& sql);                                           // for statements without rows

  // Sends statements one after another and collects all results at the end.
  void enter_pipeline();
  void send(const char* name, const store::postgres::Parameters& parameters);
  void finish_pipeline();  // waits for all results; each must be a success

 private:
  [[noreturn]] void fail() const;

  PGconn* connection_;
  int sent_ = 0;
};

}  // namespace ladder::bench
