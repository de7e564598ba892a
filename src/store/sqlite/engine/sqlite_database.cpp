#include "store/sqlite/engine/sqlite_database.h"

#include <cstddef>

namespace ladder::store::sqlite {
namespace {

class CopiedRows final : public sql::RowSource {
 public:
  // Runs the statement to its end.
  Status fill(Statement& statement) {
    for (;;) {
      LADDER_TRY(const bool row, statement.step());
      if (!row) return {};
      columns_ = statement.columns();
      for (int column = 0; column < columns_; ++column) add(statement, column);
    }
  }
  void set_affected(std::int64_t affected) { affected_ = affected; }

  int size() const override { return columns_ == 0 ? 0 : static_cast<int>(cells_.size()) / columns_; }
  std::int64_t affected() const override { return affected_; }
  bool is_null(int row, int column) const override { return at(row, column).is_null; }
  std::int64_t integer(int row, int column) const override { return at(row, column).number; }
  std::string_view bytes(int row, int column) const override {
    const Cell& cell = at(row, column);
    return std::string_view(bytes_).substr(static_cast<std::size_t>(cell.number), cell.size);
  }

 private:
  struct Cell {
    bool is_null = true;
    std::int64_t number = 0;  // of bytes: where they begin
    std::size_t size = 0;
  };

  void add(const Statement& statement, int column) {
    Cell& cell = cells_.emplace_back();
    cell.is_null = statement.is_null(column);
    if (cell.is_null) return;
    if (statement.is_integer(column)) {
      cell.number = statement.integer_at(column);
      return;
    }
    const std::string_view bytes = statement.bytes_at(column);
    cell.number = std::ssize(bytes_);
    cell.size = bytes.size();
    bytes_ += bytes;
  }
  const Cell& at(int row, int column) const {
    return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column)];
  }

  std::vector<Cell> cells_;
  std::string bytes_;
  int columns_ = 0;
  std::int64_t affected_ = 0;
};

void bind(Statement& statement, int at, const sql::Parameter& parameter) {
  switch (parameter.type) {
    case sql::Parameter::Type::kInteger:
      statement.maybe_integer(at, parameter.is_null ? std::nullopt : std::optional(parameter.number));
      return;
    case sql::Parameter::Type::kText:
      statement.text(at, parameter.bytes);
      return;
    case sql::Parameter::Type::kBytes:
      statement.blob(at, parameter.bytes);
      return;
  }
}

class SqliteSession final : public sql::Session {
 public:
  // A read has no transaction.
  explicit SqliteSession(Connection& connection, WriteTransaction* transaction = nullptr)
      : connection_(connection), transaction_(transaction) {}

  Result<std::vector<sql::Rows>> run() override {
    if (!done_) return std::unexpected(done_.error());
    return std::exchange(answers_, {});
  }
  Status commit() override {
    LADDER_CHECK(done_);
    return transaction_->commit();
  }
  void work_for(OwnerNo owner) override { connection_.set_owner(owner); }
  void sign_in() override {}
  void begin_snapshot() override {}  // a read transaction is one

 private:
  void queue(const sql::Statement& statement, std::span<const sql::Parameter> parameters) override {
    if (done_) done_ = execute(statement, parameters);
  }

  Status execute(const sql::Statement& text, std::span<const sql::Parameter> parameters) {
    Statement statement = connection_.use(text);
    int at = 0;
    for (const sql::Parameter& parameter : parameters) bind(statement, ++at, parameter);
    auto rows = std::make_unique<CopiedRows>();
    LADDER_CHECK(rows->fill(statement));
    rows->set_affected(connection_.rows_changed());
    answers_.emplace_back(std::move(rows));
    return {};
  }

  Connection& connection_;
  WriteTransaction* transaction_;
  Status done_;  // the first error of an added statement
  std::vector<sql::Rows> answers_;
};

}  // namespace

std::unique_ptr<sql::Session> session_on(Connection& connection) { return std::make_unique<SqliteSession>(connection); }

Status SqliteDatabase::run_read(OwnerNo owner, const Work& work) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take(owner));
  ReadTransaction view(*reader);
  LADDER_CHECK(view.begin());
  SqliteSession session(*reader);
  return work(session);
}

Status SqliteDatabase::write_once(OwnerNo owner, const sql::WriteOptions& options, const Work& work) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin(options.is_revocation ? WriteKind::kUrgent : WriteKind::kShort,
                                                         options.wait_limit.value_or(Writer::usual_timeout())));
  transaction.set_owner(owner);
  SqliteSession session(*transaction, &transaction);
  return work(session);
}

// On a full disk another program may take the released space first, so this retries until the reserve is empty.
Status SqliteDatabase::run_write(OwnerNo owner, const sql::WriteOptions& options, const Work& work) {
  Status done = write_once(owner, options, work);
  while (!done && options.is_revocation && means_disk_full(done.error()) && reserve_.release()) {
    done = write_once(owner, options, work);
  }
  if (done && options.adds_grants) reserve_.refill();
  return done;
}

}  // namespace ladder::store::sqlite
