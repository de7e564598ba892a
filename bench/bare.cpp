#include "bare.h"

#include "scene.h"

#include "base/limits.h"
#include "store/compression/compression.h"

namespace ladder::bench {

std::string raw_of(std::string_view stored, std::optional<std::int64_t> raw_size) {
  std::string raw;
  if (!store::read_raw({stored, raw_size}, limits::kRecordRowBytes, raw)) give_up("a row is damaged");
  return raw;
}

BareSqlite::BareSqlite(const std::string& path, Access access) {
  const int flags =
      SQLITE_OPEN_NOMUTEX | (access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  expect(sqlite3_open_v2(path.c_str(), &db_, flags, nullptr), SQLITE_OK);
  execute("PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY");
  if (access == Access::kWrite) execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16000");
}

BareSqlite::~BareSqlite() {
  for (sqlite3_stmt* const statement : statements_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

sqlite3_stmt* BareSqlite::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  expect(sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr), SQLITE_OK);
  statements_.push_back(statement);
  return statement;
}

void BareSqlite::execute(const std::string& sql) { expect(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK); }

void BareSqlite::run(sqlite3_stmt* statement) {
  expect(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_reset(statement);
}

std::string BareSqlite::value(const std::string& sql) {
  sqlite3_stmt* const statement = prepare(sql.c_str());
  expect(sqlite3_step(statement), SQLITE_ROW);
  std::string text(bytes_at(statement, 0));
  sqlite3_reset(statement);
  return text;
}

void BareSqlite::expect(int rc, int wanted) {
  if (rc != wanted) give_up(std::string("SQLite: ") + sqlite3_errmsg(db_));
}

BarePostgres::BarePostgres(const std::string& address) : connection_(PQconnectdb(address.c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) fail();
  value(
      "SELECT set_config('search_path', 'ladder', false), set_config('plan_cache_mode', 'force_generic_plan', false), "
      "set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false), set_config('jit', 'off', "
      "false)");
}

BarePostgres::~BarePostgres() { PQfinish(connection_); }

void BarePostgres::prepare(const char* name, const char* sql) {
  const BareRows answer(PQprepare(connection_, name, sql, 0, nullptr));
  if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) fail();
}

BareRows BarePostgres::run(const char* name, const store::postgres::Parameters& parameters) {
  BareRows rows(
      PQexecPrepared(connection_, name, parameters.count(), parameters.values(), parameters.lengths(), parameters.formats(), 1));
  const ExecStatusType status = PQresultStatus(rows.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail();
  return rows;
}

std::string BarePostgres::value(const std::string& sql) {
  const BareRows rows(PQexec(connection_, sql.c_str()));
  if (PQresultStatus(rows.get()) != PGRES_TUPLES_OK || PQntuples(rows.get()) == 0) fail();
  return PQgetvalue(rows.get(), 0, 0);
}

void BarePostgres::execute(const std::string& sql) {
  const BareRows done(PQexec(connection_, sql.c_str()));
  if (PQresultStatus(done.get()) != PGRES_COMMAND_OK) fail();
}

void BarePostgres::enter_pipeline() {
  if (PQenterPipelineMode(connection_) != 1) fail();
}

void BarePostgres::send(const char* name, const store::postgres::Parameters& parameters) {
  if (PQsendQueryPrepared(connection_, name, parameters.count(), parameters.values(), parameters.lengths(), parameters.formats(),
                          1) != 1) {
    fail();
  }
  ++sent_;
}

void BarePostgres::finish_pipeline() {
  if (PQpipelineSync(connection_) != 1) fail();
  for (; sent_ > 0; --sent_) {
    const BareRows answer(PQgetResult(connection_));
    if (PQresultStatus(answer.get()) != PGRES_COMMAND_OK) fail();
    PQgetResult(connection_);  // the end of one statement's results
  }
  const BareRows sync(PQgetResult(connection_));
  if (PQresultStatus(sync.get()) != PGRES_PIPELINE_SYNC) fail();
}

void BarePostgres::fail() const { give_up(std::string("PostgreSQL: ") + PQerrorMessage(connection_)); }

}  // namespace ladder::bench
