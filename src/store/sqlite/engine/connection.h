// One connection to the database file: a thin RAII wrapper of the SQLite C API with prepared statements in slots. A
// connection is used by one thread at a time; the reader pool and the writer enforce that.
#pragma once

#include "base/error/error.h"
#include "store/rows/rows.h"
#include "store/sql/database.h"
#include "store/sqlite/engine/statements.h"

#include <sqlite3.h>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store {
struct SearchRanges;
}

namespace ladder::store::sqlite {

// One use of a prepared statement: bind, step, read columns. The destructor resets it. The first step reports errors of
// preparing and binding. Bound bytes are not copied; they must live until the statement is reset.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* statement, int rc, bool owned) : db_(db), statement_(statement), rc_(rc), owned_(owned) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& integer(int at, std::int64_t value);
  Statement& maybe_integer(int at, std::optional<std::int64_t> value);
  Statement& blob(int at, std::string_view bytes);
  Statement& text(int at, std::string_view text);

  Result<bool> step();  // true: there is a row
  Status run();         // steps until there are no more rows
  void reset();         // allows binding and stepping again

  std::int64_t integer_at(int column) const { return sqlite3_column_int64(statement_, column); }
  std::optional<std::int64_t> maybe_integer_at(int column) const;
  int columns() const { return sqlite3_column_count(statement_); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  bool is_integer(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }
  std::string_view bytes_at(int column) const;  // the bytes of a blob or text, valid until the next step
  std::string string_at(int column) const { return std::string(bytes_at(column)); }

 private:
  Error fault(int rc) const;
  void note(int rc) {
    if (rc_ == SQLITE_OK) rc_ = rc;
  }

  sqlite3* db_;
  sqlite3_stmt* statement_;
  int rc_;
  bool owned_;
};

class RecentChunks;

// The cached ranges of a search and the data version at which they were read.
struct CachedRanges {
  std::int64_t data_version = 0;
  std::shared_ptr<const SearchRanges> ranges;
};

// Limits the page caches of all connections in the process. Above it, a cache reuses its own oldest page.
inline constexpr std::int64_t kPageCacheBytes = 16'000'000;
void raise_page_cache_bound(std::int64_t bytes);  // never lowers it, because a bulk writer may rely on it

class Connection {
 public:
  enum class Access : std::uint8_t { kRead, kWrite, kCreate };

  // The writer queue orders Ladder's own processes. SQLite's busy timeout is for other programs and for crash recovery.
  static constexpr int kBusyTimeoutMs = 5'000;

  // kCreate also creates the file, readable only by its owner, with the permissions of the existing file `mode_of`.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access, const std::string& mode_of = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The owner that the connection works for, bound to `:owner` in every statement that is used from now on. Such a
  // statement fails without an owner (0). Forgets what was read for another owner.
  void set_owner(OwnerNo owner);
  OwnerNo owner() const { return owner_; }

  Statement use(Sql id);                           // the slot's statement; a slot must not be in use twice
  Statement use(const sql::Statement& statement);  // the same for a statement of both engines
  Statement prepare(const char* sql);              // for rare statements
  Status execute(const char* sql);                 // runs any number of statements and ignores their results
  Result<std::int64_t> read_integer(const char* sql);

  std::int64_t rows_changed() const { return sqlite3_changes64(db_); }
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  void roll_back();   // rolls back any open transaction; check in_transaction for failure
  void drop_cache();  // discards all cached pages and the last read
  sqlite3* handle() const { return db_; }

  // The last read on this connection and SQLite's data version at that time. It is valid until the data version changes.
  struct LastRead {
    std::int64_t data_version = 0;
    Guard guard;
    AccessStatusRow access_status;
    StreamNo stream = 0;  // with `key`, identifies the record
    std::string key;
    std::optional<RecordRow> record;  // set on the second request for it
  };
  std::optional<LastRead>& last_read() { return last_read_; }

  RecentChunks& recent_chunks();  // empty before the first window

  // Every number block of the owner, by stream, kind and first number, as of `taken`, the count of allocated numbers. The count
  // grows with every new block and blocks are never freed, so the list is valid while the count is unchanged.
  struct NumberBlocks {
    struct Block {
      StreamNo stream = 0;
      std::int64_t kind = 0, first = 0, end = 0;
    };
    std::int64_t taken = -1;
    std::vector<Block> blocks;
  };
  NumberBlocks& number_blocks() { return number_blocks_; }

  // The ranges of the last search, null before the first search.
  CachedRanges& search_ranges() { return search_ranges_; }

 private:
  struct Slot {
    sqlite3_stmt* statement = nullptr;
    int owner_at = 0;  // the parameter of the owner; 0: it has none
  };

  explicit Connection(sqlite3* db);
  int prepare_owned(std::string_view sql, unsigned flags, Slot& slot);
  int bind_owner(const Slot& slot) const;
  Statement use(Slot& slot, int rc);  // `rc` is the result of preparing it

  sqlite3* db_;
  OwnerNo owner_ = 0, cached_owner_ = 0;  // the last owner other than 0
  std::array<Slot, kStatementCount> slots_{};
  std::unordered_map<const sql::Statement*, Slot> shared_slots_;
  std::optional<LastRead> last_read_;
  std::unique_ptr<RecentChunks> recent_chunks_;
  NumberBlocks number_blocks_;
  CachedRanges search_ranges_;
};

// Converts SQLite's result codes to an Error that says what is wrong with the store and how to fix it.

// `rc` is what SQLite returned, `db` the connection it came from (may be null), `doing` goes to the operator's log.
Error sqlite_error(sqlite3* db, int rc, std::string_view doing);

// Returns whether an error made here means that the disk is full.
bool means_disk_full(const Error& error);

// Converts an errno of a failed system call on `path`, outside SQLite.
Error file_error(int error_number, std::string_view path, std::string_view doing);

}  // namespace ladder::store::sqlite
