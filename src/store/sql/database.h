// Runs statements that are written once for SQLite and PostgreSQL (store/catalog). Where the dialects differ, the engines
// give the same text the same meaning:
//
//   $1, $2, …    parameters. Their C++ types are their SQL types, so the text needs no casts.
//   :owner       the owner that the session works for
//   nextval('x') the next number of a counter. SQLite has it as a function of the engine.
//   FOR …        row locks at the end of a statement. SQLite ignores them, because it has one writer at a time.
//
// Boolean columns are integers in SQLite. Only comparisons such as `$1 <> 0` make a boolean in both.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/rows/rows.h"
#include "store/sql/rows.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::sql {

// It must have static storage, because connections identify it by its address.
struct Statement {
  const char* sql;
};

// A parameter for a column of bytes; other strings are for columns of text.
struct Bytes {
  std::string_view bytes;
};

// Refers to the bytes, which must live until the statement is added.
struct Parameter {
  enum class Type : std::uint8_t { kInteger, kText, kBytes };

  Parameter(std::integral auto value) : number(static_cast<std::int64_t>(value)) {}
  Parameter(const std::optional<std::int64_t>& value) : is_null(!value), number(value.value_or(0)) {}
  Parameter(std::string_view text) : type(Type::kText), bytes(text) {}
  Parameter(const std::string& text) : type(Type::kText), bytes(text) {}
  Parameter(Bytes value) : type(Type::kBytes), bytes(value.bytes) {}

  Type type = Type::kInteger;
  bool is_null = false;
  std::int64_t number = 0;
  std::string_view bytes;
};

// The message of the kConflict of a statement that adds a row whose key exists.
inline constexpr std::string_view kExistsAlready = "it exists already";

class Session {
 public:
  virtual ~Session() = default;

  template <class... P>
  void add(const Statement& statement, const P&... parameters) {
    queue(statement, std::array<Parameter, sizeof...(P)>{Parameter(parameters)...});
  }
  // Runs the added statements, on PostgreSQL in one round trip, and returns the rows of each. After an error, no further
  // statement has been run.
  virtual Result<std::vector<Rows>> run() = 0;
  // The same for one more statement; returns only its rows.
  template <class... P>
  Result<Rows> run_last(const Statement& statement, const P&... parameters) {
    add(statement, parameters...);
    LADDER_TRY(auto answers, run());
    return std::move(answers.back());
  }
  // Runs the added statements and commits the transaction of a write, durably.
  virtual Status commit() = 0;
  // The statements that are added from now on work for this owner, for a session without an owner.
  virtual void work_for(OwnerNo owner) = 0;
  // The session may read tokens and their grants of every owner, to find the owner of a token.
  virtual void sign_in() = 0;
  // The statements of the next run() of a read see one state of the store.
  virtual void begin_snapshot() = 0;

 private:
  virtual void queue(const Statement& statement, std::span<const Parameter> parameters) = 0;
};

struct WriteOptions {
  bool is_revocation = false;               // served before other writers; on SQLite, disk space is reserved for it
  bool adds_grants = false;                 // which may be revoked later
  std::optional<Deadline> wait_limit = {};  // for other writers
};

class Database {
 public:
  virtual ~Database() = default;

  // Runs work(session). The session works for the owner, or for none (0). PostgreSQL may run it twice, if the first run
  // changed nothing.
  template <class Function>
  auto read(OwnerNo owner, const Function& work) -> decltype(work(std::declval<Session&>())) {
    decltype(work(std::declval<Session&>())) result;
    LADDER_CHECK(run_read(owner, kept(result, work)));
    return result;
  }
  // The same in a write transaction, which is rolled back unless work() commits it.
  template <class Function>
  auto write(OwnerNo owner, const WriteOptions& options, const Function& work) -> decltype(work(std::declval<Session&>())) {
    decltype(work(std::declval<Session&>())) result;
    LADDER_CHECK(run_write(owner, options, kept(result, work)));
    return result;
  }

 protected:
  using Work = std::function<Status(Session& session)>;

 private:
  template <class Answer, class Function>
  static Work kept(Answer& result, const Function& work) {
    return [&](Session& session) -> Status {
      result = work(session);
      if (!result) return std::unexpected(result.error());
      return {};
    };
  }

  virtual Status run_read(OwnerNo owner, const Work& work) = 0;
  virtual Status run_write(OwnerNo owner, const WriteOptions& options, const Work& work) = 0;
};

}  // namespace ladder::store::sql
