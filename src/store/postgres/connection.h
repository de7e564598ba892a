// One connection to PostgreSQL: RAII over libpq. Statements are prepared on first use, in the same round trip; parameters and
// results are binary. Everything queued by add() travels in one round trip with run(). Not safe to share between threads.
//
// A transaction is begin() + add()… + run(), then add()… + commit(). Whatever a failure leaves open, the pool rolls back. The
// first run() also finds out whether a newer Ladder has migrated the store meanwhile, before anything is written.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "store/postgres/address.h"
#include "store/postgres/timeouts.h"
#include "store/postgres/wire.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct pg_conn;
struct pg_result;

namespace ladder::store::postgres {

// One SQL statement with $1, $2, …; an object of static storage, since connections know it by its address.
struct Statement {
  const char* sql;
};

// The rows of one answer. Views live as long as it does.
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
  std::int64_t affected() const;  // rows an INSERT, UPDATE or DELETE touched

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

class Connection {
 public:
  // Connects and prepares the session. kStoreUnavailable, or kNotSetUp for a missing database or one that is not UTF8.
  static Result<std::unique_ptr<Connection>> open(const Address& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  template <class... P>
  void add(const Statement& statement, const P&... parameters) {
    queue(statement, Parameters(parameters...));
  }
  // Sends what was queued and waits for every answer: one Rows per add(). On an error nothing after it was done.
  Result<std::vector<Rows>> run(milliseconds patience = kAnswerTimeout);
  template <class... P>
  Result<Rows> run_one(const Statement& statement, const P&... parameters) {
    add(statement, parameters...);
    LADDER_TRY(auto answers, run());
    return std::move(answers.front());
  }
  // The same with the answer to this one, after those to what was queued before it.
  template <class... P>
  Result<Rows> run_last(const Statement& statement, const P&... parameters) {
    add(statement, parameters...);
    LADDER_TRY(auto answers, run());
    return std::move(answers.back());
  }

  void begin();
  // Sends what was queued and COMMIT. When the connection is lost meanwhile, nobody knows whether it was committed.
  Result<std::vector<Rows>> commit(milliseconds patience = kAnswerTimeout);
  Status rollback();  // a transaction that turned out to change nothing: cheaper than a commit, which waits for the disk
  // Several statements of plain SQL, or one that can't run in a transaction. Nothing may be queued.
  Status script(const std::string& sql, milliseconds patience = kLongWorkTimeout);
  // Ends a transaction left open. False when the connection is of no more use.
  bool reset();

  bool lost() const { return lost_; }
  std::string_view sqlstate() const { return sqlstate_; }  // of the last failure
  // The last failure has certainly changed nothing and may be gone when tried again, on a fresh connection if this one is lost.
  bool may_retry() const;

  const Address& address() const { return address_; }

 private:
  struct Prepared {
    std::string name;
    bool sent = false;  // to the server, and not known to have failed
  };
  enum class Use : std::uint8_t { kAnswer, kNothing, kSchemaVersion };
  struct Expected {
    Prepared* prepares = nullptr;  // set for the answer to a PREPARE
    Use use = Use::kAnswer;
  };

  Connection(pg_conn* connection, const Address& address);
  void queue(const Statement& statement, const Parameters& parameters, Use use = Use::kAnswer);
  Status start_session();
  pg_result* await(Deadline deadline);  // the next result, null at a boundary or when the connection is lost
  Error note_failure(const pg_result* result);
  Error note_loss(std::string detail);

  pg_conn* connection_;
  Address address_;
  std::unordered_map<const Statement*, Prepared> prepared_;
  std::vector<Expected> expected_;
  std::string sqlstate_;
  bool lost_ = false;
  bool commit_sent_ = false;
};

}  // namespace ladder::store::postgres
