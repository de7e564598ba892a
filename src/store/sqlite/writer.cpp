#include "store/sqlite/writer.h"

#include "base/limits.h"
#include "store/sqlite/errors.h"
#include "store/sqlite/migrations.h"

namespace ladder::store::sqlite {
namespace {

// Of kWriteTransactionMs; what remains is for the commit.
constexpr std::chrono::milliseconds kWorkSpan{20};
// The fold waits no longer for readers while it keeps other writers out.
constexpr int kFoldBusyMs = 20;

}  // namespace

Status WriteTransaction::commit() { return connection_->use(Sql::kCommit).run(); }

bool WriteTransaction::used_up() const { return std::chrono::steady_clock::now() - begun_ >= kWorkSpan; }

Result<Turnstile::Pass> Writer::enter() {
  LADDER_TRY(Turnstile::Pass pass, turnstile_.enter(Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs))));
  // A connection that could not even roll back is of no use any more.
  if (connection_ && connection_->in_transaction()) connection_.reset();
  if (!connection_) {
    LADDER_TRY(connection_, Connection::open(path_, Connection::Access::kWrite));
    schema_cookie_ = -1;
  }
  return pass;
}

Result<WriteTransaction> Writer::begin() {
  LADDER_TRY(Turnstile::Pass pass, enter());
  LADDER_CHECK(connection_->use(Sql::kBeginWrite).run());
  WriteTransaction transaction(std::move(pass), connection_.get());
  LADDER_CHECK(check_schema());
  return transaction;
}

// Another process may have migrated the store since; SQLite's own cookie tells for the price of one integer.
Status Writer::check_schema() {
  Statement cookie = connection_->use(Sql::kSchemaCookie);
  LADDER_TRY(const bool row, cookie.step());
  const std::int64_t now = row ? cookie.integer_at(0) : 0;
  if (now == schema_cookie_) return {};
  Result<std::int64_t> version = schema_version(*connection_);
  if (!version) {
    version.error().code = Code::kStoreUnavailable;  // it was set up when this process opened it
    return std::unexpected(std::move(version).error());
  }
  if (*version < newest_schema()) {
    return fail(Code::kStoreUnavailable, "the store has been replaced by an older one: run `ladder init`, then try again");
  }
  schema_cookie_ = now;
  return {};
}

Result<bool> Writer::fold_log() {
  LADDER_TRY(const Turnstile::Pass pass, enter());
  sqlite3_busy_timeout(connection_->handle(), kFoldBusyMs);
  int log_frames = 0;
  int folded = 0;
  const int rc = sqlite3_wal_checkpoint_v2(connection_->handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, &log_frames, &folded);
  sqlite3_busy_timeout(connection_->handle(), Connection::kBusyTimeoutMs);
  if (rc == SQLITE_OK) return true;
  if (rc == SQLITE_BUSY) return false;
  return std::unexpected(sqlite_error(connection_->handle(), rc, "folding in the log"));
}

}  // namespace ladder::store::sqlite
