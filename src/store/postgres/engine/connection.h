// The timeouts of the PostgreSQL engine, so that nothing waits forever. Each timeout is reported as kStoreUnavailable
// with advice.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/postgres/engine/wire_values.h"
#include "store/rows/rows.h"
#include "store/sql/database.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

using std::chrono::milliseconds;

inline constexpr std::size_t kMaxConnections = 16;        // per process, unless db_connections says otherwise; a server has 100
inline constexpr milliseconds kConnectTimeout{10'000};    // for one host of the address, unless the address sets connect_timeout
inline constexpr milliseconds kCheckoutTimeout{30'000};   // for a connection of the pool, first come first served
inline constexpr milliseconds kIdleTimeout{30'000};       // unused connections are closed, so that other programs can have them
inline constexpr milliseconds kConnectionAge{600'000};    // then it is replaced: its server process frees the memory of its plans
inline constexpr milliseconds kGrowPause{30'000};         // after the server had no connection left, before another is opened
inline constexpr milliseconds kLockTimeout{20'000};       // set on the server, for a row lock; writers hold one for some 50 ms
inline constexpr milliseconds kStatementTimeout{60'000};  // set on the server, for one statement
inline constexpr milliseconds kIdleInTransactionTimeout{30'000};  // set on the server: an inactive client loses its locks
inline constexpr milliseconds kReadTimeout{8'000};                // for all statements of one read; a request's deadline is 10 s
inline constexpr milliseconds kProbeTimeout{2'000};               // for connecting to a server that did not answer before
inline constexpr milliseconds kProbePause{1'000};                 // between two such attempts; other callers fail immediately
inline constexpr milliseconds kAnswerTimeout{75'000};             // for a server that never answers; over the server's own
inline constexpr milliseconds kLongWorkTimeout{3'600'000};        // migrations, invariants, VACUUM

// The server's address. Its text may contain a password, so it is never shown; messages use `shown`.
struct Address {
  std::string text;      // as given: secret
  std::string password;  // must not appear in any message; may be empty
  std::string shown;     // postgres://user@host:port/database
  int hosts = 1;

  // kInvalidRequest when it is not a PostgreSQL address.
  static Result<Address> parse(const std::string& text);
  // Removes the password from the message, in case libpq has put it there.
  std::string redact(std::string message) const;
};

// Converts SQLSTATE codes to typed errors that say what to do.

namespace sqlstate {
inline constexpr std::string_view kSerialization = "40001";
inline constexpr std::string_view kDeadlock = "40P01";
inline constexpr std::string_view kUniqueViolation = "23505";
inline constexpr std::string_view kStalePlan = "0A000";
inline constexpr std::string_view kReadOnly = "25006";
inline constexpr std::string_view kTooMany = "53300";
}  // namespace sqlstate

// The server closed the connection or never accepted it.
bool means_lost(std::string_view state);
// The transaction failed only because of concurrent transactions; it may succeed if repeated.
bool means_try_again(std::string_view state);

Error lost_connection(const Address& address, std::string detail);
Error unresponsive_server(const Address& address, std::string detail);
Error standby_server(const Address& address, std::string detail);
Error shared_session(const Address& address, std::string detail);
Error cannot_connect(const Address& address, std::string_view state, std::string detail);
Error failed_statement(const Address& address, std::string_view state, std::string detail);

}  // namespace ladder::store::postgres

// One connection to PostgreSQL: RAII over libpq. Statements are prepared on first use, in the same round trip.
// Parameters and results are binary. run() sends everything queued by add() in one round trip. Not thread-safe.
//
// A transaction is begin() + add()… + run(), then add()… + commit(). The pool rolls back whatever a failure leaves
// open. The first run() also checks whether a newer Ladder has migrated the store, before anything is written.
struct pg_conn;
struct pg_result;

namespace ladder::store::postgres {

// One SQL statement with $1, $2, … and `:owner`, the owner that the connection works for.
using sql::Statement;

// The rows of one result. Views are valid as long as it exists.
class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}

  int size() const;
  bool empty() const { return size() == 0; }
  bool is_null(int row, int column) const;
  std::int64_t int8(int row, int column) const;
  std::optional<std::int64_t> maybe_int8(int row, int column) const;
  bool boolean(int row, int column) const;
  std::string_view bytes(int row, int column) const;  // bytea or text; empty for NULL
  std::string text(int row, int column) const { return std::string(bytes(row, column)); }
  std::int64_t affected() const;  // rows an INSERT, UPDATE or DELETE changed

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

// Work that crosses owners. Row-level security (schema.h) shows every other connection only the rows of its owner, whatever
// its statements ask for.
enum class Crossing : std::uint8_t {
  kNone,
  kSignIn,      // reads tokens and their grants, before the owner is known
  kUpkeep,      // looks for owners for whom a sweep or a reindexing has work, and then works for one of them
  kWholeStore,  // backups, checks and migrations
};

class Connection {
 public:
  // Connects and prepares the session. kStoreUnavailable also for a standby: its copy of the grants may be stale, so it
  // could serve data whose access was revoked. kNotSetUp for a database that is missing or not UTF8, and for a pooler that
  // gives each transaction another session. `state` receives the SQLSTATE of a failed connect.
  static Result<std::unique_ptr<Connection>> open(const Address& address, Deadline deadline = Deadline::never(),
                                                  std::string* state = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  template <class... P>
  void add(const Statement& statement, const P&... parameters) {
    Parameters bound(parameters...);
    queue(statement, bound);
  }
  void add(const Statement& statement, std::span<const sql::Parameter> parameters) {
    Parameters bound(parameters);
    queue(statement, bound);
  }
  // Sends the queued statements and waits for all results: one Rows for each add(). On an error nothing after it was executed.
  Result<std::vector<Rows>> run(milliseconds wait_limit = kAnswerTimeout);
  template <class... P>
  Result<Rows> run_one(const Statement& statement, const P&... parameters) {
    add(statement, parameters...);
    LADDER_TRY(auto answers, run());
    return std::move(answers.front());
  }
  // The same for the last statement; returns only its result.
  template <class... P>
  Result<Rows> run_last(const Statement& statement, const P&... parameters) {
    add(statement, parameters...);
    LADDER_TRY(auto answers, run());
    return std::move(answers.back());
  }

  // The owner that the connection works for. A statement with `:owner` fails without one (0). Each transaction tells the server
  // the owner before its first statement, for row-level security.
  void set_owner(OwnerNo owner) {
    owner_ = owner;
    scope_sent_ = false;
  }
  OwnerNo owner() const { return owner_; }
  void set_crossing(Crossing crossing) {
    crossing_ = crossing;
    scope_sent_ = false;
  }

  void begin();
  void begin_snapshot();  // of reads, all of the same state; commit() or another COMMIT ends it
  // Sends the queued statements and COMMIT. If the connection is lost meanwhile, it is unknown whether it was committed.
  Result<std::vector<Rows>> commit(milliseconds wait_limit = kAnswerTimeout);
  Status rollback();  // for a transaction that changed nothing: cheaper than a commit, which waits for the disk
  // Runs several statements of plain SQL, or one that can't run in a transaction. The queue must be empty.
  Status script(const std::string& sql, milliseconds wait_limit = kLongWorkTimeout);

  // Blocks of the word index that were dropped since the last call, for deciding when to vacuum.
  void count_dropped_block() { ++dropped_blocks_; }
  std::int64_t take_dropped_blocks() { return std::exchange(dropped_blocks_, 0); }
  // Ends an open transaction. False when the connection is unusable.
  bool reset();

  // Limits every later wait for the server, in addition to the limit of each call.
  void limit_waits(Deadline deadline) { deadline_ = deadline; }

  bool lost() const { return lost_; }
  bool timed_out() const { return timed_out_; }            // lost because the server did not answer in time
  std::string_view sqlstate() const { return sqlstate_; }  // of the last failure
  bool is_pooled() const { return pooled_; }               // a pooler such as PgBouncer is between Ladder and the server
  bool is_older_than(milliseconds age) const { return std::chrono::steady_clock::now() - opened_at_ > age; }
  // The last failure changed nothing and a retry may succeed, on a new connection if this one is lost.
  bool may_retry() const;

  const Address& address() const { return address_; }

 private:
  struct Prepared {
    std::string name;
    std::string sql = {};  // with a number for `:owner`
    bool owned = false;    // it has `:owner`, which is its last parameter
    bool sent = false;     // sent to the server, and not known to have failed
  };
  enum class Use : std::uint8_t { kAnswer, kNothing, kSchemaVersion };
  struct Expected {
    Prepared* prepares = nullptr;  // set for the answer to a PREPARE
    Use use = Use::kAnswer;
  };

  Connection(pg_conn* connection, const Address& address);
  void queue(const Statement& statement, Parameters& parameters, Use use = Use::kAnswer);
  void queue(const Statement& statement, Use use);
  void queue_scope();
  Status start_session();
  pg_result* await(Deadline deadline);  // the next result, null at a boundary or when the connection is lost
  Error note_failure(const pg_result* result);
  Error note_loss(std::string detail);
  Deadline until(milliseconds wait_limit) const { return Deadline::after(std::min(wait_limit, deadline_.left())); }

  pg_conn* connection_;
  Address address_;
  OwnerNo owner_ = 0;
  Crossing crossing_ = Crossing::kNone;
  bool scope_sent_ = false;  // the server knows the owner until the transaction ends
  std::unordered_map<const Statement*, Prepared> prepared_;
  std::vector<Expected> expected_;
  std::string sqlstate_;
  Deadline deadline_ = Deadline::never();
  bool lost_ = false;
  bool timed_out_ = false;
  bool commit_sent_ = false;
  bool pooled_ = false;
  const std::chrono::steady_clock::time_point opened_at_ = std::chrono::steady_clock::now();
  std::int64_t dropped_blocks_ = 0;
};

}  // namespace ladder::store::postgres
