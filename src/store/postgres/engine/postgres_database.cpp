#include "store/postgres/engine/postgres_database.h"

namespace ladder::store::postgres {
namespace {

constexpr Statement kEndSnapshot{"COMMIT"};

class ReceivedRows final : public sql::RowSource {
 public:
  explicit ReceivedRows(Rows rows) : rows_(std::move(rows)) {}

  int size() const override { return rows_.size(); }
  std::int64_t affected() const override { return rows_.affected(); }
  bool is_null(int row, int column) const override { return rows_.is_null(row, column); }
  std::int64_t integer(int row, int column) const override {
    return rows_.bytes(row, column).size() == 1 ? std::int64_t{rows_.boolean(row, column)} : rows_.int8(row, column);
  }
  std::string_view bytes(int row, int column) const override { return rows_.bytes(row, column); }

 private:
  Rows rows_;
};

class PostgresSession final : public sql::Session {
 public:
  explicit PostgresSession(Connection& connection, milliseconds wait_limit = kAnswerTimeout)
      : connection_(connection), wait_limit_(wait_limit) {}

  Result<std::vector<sql::Rows>> run() override {
    const bool is_snapshot = std::exchange(in_snapshot_, false);
    if (is_snapshot) connection_.add(kEndSnapshot);
    LADDER_TRY(auto received, connection_.run(wait_limit_));
    std::vector<sql::Rows> answers;
    answers.reserve(received.size());
    for (Rows& rows : received) answers.emplace_back(std::make_unique<ReceivedRows>(std::move(rows)));
    if (is_snapshot) answers.pop_back();
    return answers;
  }
  Status commit() override {
    LADDER_TRY(const auto done, connection_.commit());
    return {};
  }
  void work_for(OwnerNo owner) override {
    if (owner != connection_.owner()) connection_.set_owner(owner);
  }
  void sign_in() override { connection_.set_crossing(Crossing::kSignIn); }
  void begin_snapshot() override {
    connection_.begin_snapshot();
    in_snapshot_ = true;
  }

 private:
  void queue(const Statement& statement, std::span<const sql::Parameter> parameters) override {
    connection_.add(statement, parameters);
  }

  Connection& connection_;
  const milliseconds wait_limit_;
  bool in_snapshot_ = false;
};

}  // namespace

std::unique_ptr<sql::Session> session_on(Connection& connection, milliseconds wait_limit) {
  return std::make_unique<PostgresSession>(connection, wait_limit);
}

Status PostgresDatabase::run_read(OwnerNo owner, const Work& work) {
  return pool_.read(owner, [&](Connection& connection) -> Status {
    PostgresSession session(connection);
    return work(session);
  });
}

Status PostgresDatabase::run_write(OwnerNo owner, const sql::WriteOptions& options, const Work& work) {
  const auto in_transaction = [&](Connection& connection) -> Status {
    connection.begin();
    PostgresSession session(connection);
    return work(session);
  };
  return pool_.run(owner, in_transaction, options.wait_limit.value_or(Deadline::never()));
}

}  // namespace ladder::store::postgres
