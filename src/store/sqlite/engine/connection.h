// One connection to the database file: a thin RAII face of the SQLite C API with prepared statements kept by slot. A connection
// is used by one thread at a time; who holds it is the business of the reader pool and the writer.
#pragma once

#include "base/error/error.h"
#include "store/rows.h"
#include "store/sqlite/engine/statements.h"

#include <sqlite3.h>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

// One use of a prepared statement: bind, step, read columns; reset when it goes. Faults of preparing and binding are kept and
// reported by the first step. Bound bytes are not copied: they must live until the statement is reset.
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
  Status run();         // to the end
  void reset();         // ready to be bound and stepped again
  Statement& unbind();  // every value is NULL again

  std::int64_t integer_at(int column) const { return sqlite3_column_int64(statement_, column); }
  std::optional<std::int64_t> maybe_integer_at(int column) const;
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string_view bytes_at(int column) const;  // of a blob or text; valid until the next step
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
struct KeptRanges;

// The page caches of a process, all connections together: from here on a cache takes its own oldest page instead of a further
// one.
inline constexpr std::int64_t kPageCacheBytes = 16'000'000;
void raise_page_cache_bound(std::int64_t bytes);  // it never sinks: a writer in bulk may rely on it

class Connection {
 public:
  enum class Access : std::uint8_t { kRead, kWrite, kCreate };

  // The writer queue keeps our own processes apart; waiting in SQLite is for other programs and for recovery after a crash.
  static constexpr int kBusyTimeoutMs = 5'000;

  // kCreate also makes the file, readable by its owner only: with the permissions of `mode_of`, a file that exists.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access, const std::string& mode_of = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Statement use(Sql id);               // the slot's statement; not while another use of the same slot lives
  Statement prepare(const char* sql);  // for rare statements
  Status execute(const char* sql);     // any number of statements, results ignored
  Result<std::int64_t> read_integer(const char* sql);

  std::int64_t rows_changed() const { return sqlite3_changes64(db_); }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(db_); }
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }
  void roll_back();   // whatever is open; never fails visibly, see in_transaction
  void drop_cache();  // forgets every cached page, and what was read last
  sqlite3* handle() const { return db_; }

  // The last read over this connection, and SQLite's count of commits by others at that time: it holds until that moves.
  struct LastRead {
    std::int64_t data_version = 0;
    Guard guard;
    AccessStatusRow access_status;
    StreamNo stream = 0;  // and key, of the record
    std::string key;
    std::optional<RecordRow> record;  // once it has been asked for twice
  };
  std::optional<LastRead>& last_read() { return last_read_; }

  RecentChunks& recent_chunks();  // none before the first window

  // Every block of numbers, by stream, kind and first number, as of a count of numbers handed out. It grows with every new block,
  // and none is ever taken back, so they hold as long as it stands.
  struct NumberBlocks {
    struct Block {
      StreamNo stream = 0;
      std::int64_t kind = 0, first = 0, end = 0;
    };
    std::int64_t taken = -1;
    std::vector<Block> blocks;
  };
  NumberBlocks& number_blocks() { return number_blocks_; }

  // The ranges of the last search (search_rows.h); null before the first.
  KeptRanges& search_ranges() { return *search_ranges_; }

 private:
  explicit Connection(sqlite3* db);

  sqlite3* db_;
  std::array<sqlite3_stmt*, kStatementCount> slots_{};
  std::optional<LastRead> last_read_;
  std::unique_ptr<RecentChunks> recent_chunks_;
  NumberBlocks number_blocks_;
  const std::unique_ptr<KeptRanges> search_ranges_;
};

// Turns SQLite's result codes into an Error that says what is wrong with the store and how to mend it.

// `rc` is what SQLite returned, `db` the connection it came from (may be null), `doing` goes to the operator's log.
Error sqlite_error(sqlite3* db, int rc, std::string_view doing);

// Says whether an error made here says that the disk is full.
bool means_disk_full(const Error& error);

// The operating system refused something at `path`, outside SQLite.
Error file_error(int error_number, std::string_view path, std::string_view doing);

}  // namespace ladder::store::sqlite
