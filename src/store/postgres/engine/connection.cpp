#include "store/postgres/engine/connection.h"

#include "base/text/format.h"
#include "store/postgres/engine/migrations.h"

#include <libpq-fe.h>
#include <poll.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace ladder::store::postgres {

Result<Address> Address::parse(const std::string& text) {
  // libpq's error message may quote the whole address, so it is not passed on.
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(text.c_str(), nullptr),
                                                                             PQconninfoFree);
  if (!options || text.find('\0') != std::string::npos) {
    return fail(Code::kInvalidRequest,
                "the PostgreSQL address cannot be read: write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special "
                "characters percent-encoded; parts that have defaults may be left out",
                "db");
  }
  Address address{.text = text, .password = {}, .shown = {}};
  std::string user, host, port, database;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "password") address.password = option->val;
    if (keyword == "user") user = option->val;
    if (keyword == "host" || (keyword == "hostaddr" && host.empty())) host = option->val;
    if (keyword == "port") port = option->val;
    if (keyword == "dbname") database = option->val;
  }
  address.hosts = static_cast<int>(1 + std::ranges::count(host, ','));
  address.shown =
      format("postgres://{}{}{}{}{}/{}", user, user.empty() ? "" : "@", host, port.empty() ? "" : ":", port, database);
  return address;
}

std::string Address::redact(std::string message) const {
  if (password.empty()) return message;
  for (std::size_t at = message.find(password); at != std::string::npos; at = message.find(password, at + 3)) {
    message.replace(at, password.size(), "***");
  }
  return message;
}

namespace {

bool starts_with_class(std::string_view state, std::string_view first_two) { return state.substr(0, 2) == first_two; }

Error unavailable(std::string message, std::string detail) {
  return {.code = Code::kStoreUnavailable, .message = std::move(message), .log_detail = std::move(detail)};
}

Error not_set_up(std::string message, std::string detail) {
  return {.code = Code::kNotSetUp, .message = std::move(message), .log_detail = std::move(detail)};
}

}  // namespace

bool means_lost(std::string_view state) {
  return starts_with_class(state, "08") || state == "57P01" || state == "57P02" || state == "57P03" || state == "57P05" ||
         state == "25P03";
}

bool means_try_again(std::string_view state) { return state == sqlstate::kSerialization || state == sqlstate::kDeadlock; }

Error lost_connection(const Address& address, std::string detail) {
  return unavailable(
      format("the PostgreSQL server went away ({}): start it again or check the network, then repeat the call; what was "
             "not acknowledged may be sent again",
             address.shown),
      address.redact(std::move(detail)));
}

Error unresponsive_server(const Address& address, std::string detail) {
  return unavailable(
      format("PostgreSQL does not answer ({}): check whether the server hangs or is overloaded, then try again", address.shown),
      address.redact(std::move(detail)));
}

Error standby_server(const Address& address, std::string detail) {
  return unavailable(
      format("{} is a standby, whose grants may be out of date: give the address of the primary server", address.shown),
      address.redact(std::move(detail)));
}

Error shared_session(const Address& address, std::string detail) {
  return not_set_up(
      format(
          "a connection pooler at {} gives each transaction another session, and Ladder keeps prepared statements and settings "
          "in its sessions: set pool_mode = session (and server_reset_query = DISCARD ALL) for this database in pgbouncer.ini, "
          "or give the address of the server itself",
          address.shown),
      address.redact(std::move(detail)));
}

Error cannot_connect(const Address& address, std::string_view state, std::string detail) {
  detail = address.redact(std::move(detail));
  if (state == "3D000") {
    return not_set_up(
        format("there is no such database ({}): create it with `createdb -E UTF8 NAME`, then run `ladder init`", address.shown),
        std::move(detail));
  }
  if (state == sqlstate::kReadOnly) return standby_server(address, std::move(detail));
  if (starts_with_class(state, "28")) {
    return unavailable(format("PostgreSQL refuses the user or password of {}: check them in the address", address.shown),
                       std::move(detail));
  }
  if (state == sqlstate::kTooMany) {
    return unavailable(
        format("PostgreSQL has no connection left for {}: raise max_connections (or the pool of its pooler), or lower "
               "db_connections of the programs that use it",
               address.shown),
        std::move(detail));
  }
  return unavailable(
      format("PostgreSQL cannot be reached at {}: start the server, or check host, port and network", address.shown),
      std::move(detail));
}

Error failed_statement(const Address& address, std::string_view state, std::string detail) {
  detail = format("SQLSTATE {}: {}", state, address.redact(std::move(detail)));
  if (state == "57014") {
    return unavailable("PostgreSQL took longer over a statement than Ladder waits: try again when the server is less busy",
                       std::move(detail));
  }
  if (state == "55P03") {
    return unavailable("another program keeps rows of the store locked: end it (see pg_stat_activity), then try again",
                       std::move(detail));
  }
  if (means_try_again(state)) {
    return unavailable("the write conflicted with other writers twice: try again", std::move(detail));
  }
  if (state == "53100") {
    return unavailable("the disk of the PostgreSQL server is full: free some space there, then try again", std::move(detail));
  }
  if (starts_with_class(state, "53")) {
    return unavailable("the PostgreSQL server has run out of memory or another resource: try again, or give it more",
                       std::move(detail));
  }
  if (state == sqlstate::kReadOnly) return standby_server(address, std::move(detail));
  if (state == "42501") {
    return unavailable(format("the PostgreSQL user of {} lacks a right on the schema ladder: grant it, or use the user that ran "
                              "`ladder init`",
                              address.shown),
                       std::move(detail));
  }
  if (state == "42P05" || state == "26000") return shared_session(address, std::move(detail));
  if (state == "42P01" || state == "3F000" || state == "42703") {
    return not_set_up(
        format("the tables of the store in {} are missing or of another version: run `ladder init` of the newest Ladder, "
               "then start this one again",
               address.shown),
        std::move(detail));
  }
  if (starts_with_class(state, "58") || starts_with_class(state, "XX")) {
    return unavailable("the PostgreSQL server cannot read or write its files: see its log", std::move(detail));
  }
  if (state == "22021" || state == "22P05") {
    return {.code = Code::kInvalidRequest,
            .message = "a name holds NUL or invalid UTF-8, which PostgreSQL text cannot: leave it out",
            .log_detail = std::move(detail)};
  }
  if (state == sqlstate::kUniqueViolation) {
    return {.code = Code::kConflict, .message = std::string(sql::kExistsAlready), .log_detail = std::move(detail)};
  }
  return {.code = Code::kInternal,
          .message = "the store failed unexpectedly: see the log for details",
          .log_detail = std::move(detail)};
}

namespace {

constexpr Statement kBegin{"BEGIN"};
constexpr Statement kCommit{"COMMIT"};
constexpr Statement kRollback{"ROLLBACK"};
constexpr Statement kBeginSnapshot{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
// Both end with the transaction. Without BEGIN, a pipeline is one transaction up to its end.
constexpr Statement kSetOwner{"SELECT set_config('ladder.owner', ($1::bigint)::text, true)"};
constexpr Statement kSetScope{
    "SELECT set_config('ladder.owner', ($1::bigint)::text, true), set_config('ladder.task', $2::text, true)"};
constexpr Statement kSchemaVersionNow{"SELECT value FROM meta WHERE key = 'schema_version'"};

// Ladder's statements are written for one plan each, by index. Other plans depend on statistics that a new store lacks,
// and a plan for an empty table would be kept while the table grows. A role or database that turns synchronous_commit
// off would break the durability of acknowledged writes; any other setting is stronger or concerns replicas.
// Prefetching the pages of a bitmap took an eighth of the time of a search whose pages are already cached.
// ladder.session marks the session as Ladder's. A new session that has the mark is shared with another connection.
constexpr Statement kStartSession{R"(
  SELECT current_setting('server_encoding'), pg_is_in_recovery(), pg_backend_pid()::bigint,
         coalesce(current_setting('ladder.session', true), ''), set_config('ladder.session', 'used', false),
         set_config('search_path', 'ladder', false),
         set_config('statement_timeout', ($1::bigint)::text, false),
         set_config('lock_timeout', ($2::bigint)::text, false),
         set_config('idle_in_transaction_session_timeout', ($3::bigint)::text, false),
         set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
                                          ELSE current_setting('synchronous_commit') END, false),
         set_config('plan_cache_mode', 'force_generic_plan', false),
         set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
         set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
         set_config('enable_material', 'off', false),
         set_config('effective_io_concurrency', '0', false),
         set_config('jit', 'off', false))"};

// Replaces every `:owner` by the numbered parameter. Returns whether there was any.
bool number_owner(std::string& sql, int parameter) {
  constexpr std::string_view kOwner = ":owner";
  std::size_t at = sql.find(kOwner);
  const bool any = at != std::string::npos;
  for (const std::string numbered = format("${}::bigint", parameter); at != std::string::npos; at = sql.find(kOwner, at)) {
    sql.replace(at, kOwner.size(), numbered);
  }
  return any;
}

using ResultHandle = std::unique_ptr<PGresult, decltype(&PQclear)>;
ResultHandle own(PGresult* result) { return {result, PQclear}; }

std::string state_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state == nullptr ? std::string() : std::string(state);
}

// Waits until the socket is readable, or writable if `write_too` is set. Returns false on timeout.
bool wait_for(int socket, bool write_too, Deadline deadline) {
  pollfd waiting{.fd = socket, .events = static_cast<short>(POLLIN | (write_too ? POLLOUT : 0)), .revents = 0};
  for (;;) {
    const int ready = poll(&waiting, 1, static_cast<int>(deadline.left().count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// The schema was current when the store was opened.
std::optional<Error> refuse_other_schema(const PGresult& version) {
  const std::string_view found = PQntuples(&version) == 1 ? PQgetvalue(&version, 0, 0) : "";
  if (found == std::to_string(kSchemaVersion)) return std::nullopt;
  return Error{
      .code = Code::kStoreUnavailable,
      .message = format("the store has been migrated by another Ladder (schema {}, this one knows {}): upgrade ladder, then "
                        "start it again",
                        found, kSchemaVersion)};
}

// This version of libpq reports the SQLSTATE of a failed connect only in its message, so the important errors are
// recognized there.
std::string_view connect_state(std::string_view message) {
  if (message.find("database \"") != std::string_view::npos && message.find("does not exist") != std::string_view::npos)
    return "3D000";
  // Before the errors of sign-in, since the limit of a role names the role.
  if (message.find("too many clients") != std::string_view::npos || message.find("connection slots") != std::string_view::npos ||
      message.find("no more connections allowed") != std::string_view::npos ||
      message.find("too many connections") != std::string_view::npos ||
      message.find("query_wait_timeout") != std::string_view::npos) {
    return sqlstate::kTooMany;
  }
  if (message.find("authentication failed") != std::string_view::npos ||
      message.find("no password supplied") != std::string_view::npos ||
      message.find("no pg_hba.conf entry") != std::string_view::npos || message.find("role \"") != std::string_view::npos) {
    return "28000";
  }
  if (message.find("hot standby mode") != std::string_view::npos) return sqlstate::kReadOnly;
  return "08001";
}

std::string_view task_name(Crossing crossing) {
  switch (crossing) {
    case Crossing::kSignIn:
      return "sign-in";
    case Crossing::kUpkeep:
      return "upkeep";
    case Crossing::kWholeStore:
      return "whole-store";
    case Crossing::kNone:
      break;
  }
  return "";
}

}  // namespace

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }
int Rows::size() const { return PQntuples(result_.get()); }
bool Rows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }

std::int64_t Rows::int8(int row, int column) const {
  return get_big_endian<std::int64_t>(PQgetvalue(result_.get(), row, column));
}

std::optional<std::int64_t> Rows::maybe_int8(int row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return int8(row, column);
}

bool Rows::boolean(int row, int column) const { return *PQgetvalue(result_.get(), row, column) != 0; }

std::string_view Rows::bytes(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::affected() const {
  const std::string_view digits = PQcmdTuples(result_.get());
  std::int64_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

Connection::Connection(pg_conn* connection, const Address& address) : connection_(connection), address_(address) {}
Connection::~Connection() { PQfinish(connection_); }

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, Deadline deadline, std::string* state) {
  // The address overrides parameters before dbname; parameters after it override the address.
  // A host that is switched off must not use up the time for the next one.
  const auto wait_limit = std::chrono::ceil<std::chrono::seconds>(std::min(kConnectTimeout, deadline.left()) / address.hosts);
  const std::string seconds = std::to_string(std::max<std::int64_t>(wait_limit.count(), 1));
  const std::string silence = std::to_string(kAnswerTimeout.count());
  const char* const keywords[] = {"connect_timeout",           "tcp_user_timeout", "target_session_attrs", "keepalives_idle",
                                  "fallback_application_name", "dbname",           "client_encoding",      nullptr};
  const char* const values[] = {seconds.c_str(), silence.c_str(),      "primary", "30",
                                "ladder",        address.text.c_str(), "UTF8",    nullptr};
  std::unique_ptr<Connection> connection(new Connection(PQconnectdbParams(keywords, values, 1), address));
  PGconn* raw = connection->connection_;
  if (PQstatus(raw) != CONNECTION_OK) {
    const std::string message = raw == nullptr ? "out of memory" : PQerrorMessage(raw);
    if (state != nullptr) *state = connect_state(message);
    return std::unexpected(cannot_connect(address, connect_state(message), message));
  }
  PQsetNoticeProcessor(raw, [](void*, const char*) {}, nullptr);  // libpq would print notices
  connection->limit_waits(deadline);
  LADDER_CHECK(connection->start_session());
  return connection;
}

Status Connection::start_session() {
  if (PQsetnonblocking(connection_, 1) != 0 || PQenterPipelineMode(connection_) != 1) {
    return std::unexpected(note_loss(PQerrorMessage(connection_)));
  }
  LADDER_TRY(const Rows session,
             run_one(kStartSession, kStatementTimeout.count(), kLockTimeout.count(), kIdleInTransactionTimeout.count()));
  if (session.boolean(0, 1)) return std::unexpected(standby_server(address_, "pg_is_in_recovery()"));
  // A pooler tells its clients process ids of its own.
  pooled_ = session.int8(0, 2) != PQbackendPID(connection_);
  if (!session.bytes(0, 3).empty()) return std::unexpected(shared_session(address_, "ladder.session was set before"));
  if (session.bytes(0, 0) != "UTF8") {
    return fail(Code::kNotSetUp, format("the database {} is encoded in {}, Ladder needs UTF8: create one with "
                                        "`createdb -E UTF8 -T template0 NAME` and give its address",
                                        address_.shown, session.bytes(0, 0)));
  }
  return {};
}

void Connection::queue(const Statement& statement, Use use) {
  Parameters none;
  queue(statement, none, use);
}

void Connection::queue_scope() {
  if (crossing_ == Crossing::kNone) {
    Parameters owner(owner_);
    return queue(kSetOwner, owner, Use::kNothing);
  }
  Parameters scope(owner_, task_name(crossing_));
  queue(kSetScope, scope, Use::kNothing);
}

void Connection::queue(const Statement& statement, Parameters& parameters, Use use) {
  if (lost_) return;
  if (use == Use::kAnswer && !std::exchange(scope_sent_, true)) queue_scope();
  Prepared& prepared = prepared_[&statement];
  if (prepared.name.empty()) {
    prepared.name = format("s{}", prepared_.size());
    prepared.sql = statement.sql;
    prepared.owned = number_owner(prepared.sql, parameters.count() + 1);
  }
  if (prepared.owned) {
    if (owner_ == 0) {
      note_loss("a statement needs an owner, and the connection works for none");
      return;
    }
    parameters.append(owner_);
  }
  bool sent = true;
  if (!prepared.sent) {
    prepared.sent = sent =
        PQsendPrepare(connection_, prepared.name.c_str(), prepared.sql.c_str(), parameters.count(), parameters.types()) == 1;
    expected_.push_back({&prepared, Use::kNothing});
  }
  sent = sent && PQsendQueryPrepared(connection_, prepared.name.c_str(), parameters.count(), parameters.values(),
                                     parameters.lengths(), parameters.formats(), 1) == 1;
  expected_.push_back({nullptr, use});
  if (!sent) note_loss(PQerrorMessage(connection_));
}

Result<std::vector<Rows>> Connection::run(milliseconds wait_limit) {
  const std::vector<Expected> expected = std::exchange(expected_, {});
  if (lost_) return std::unexpected(note_loss("lost before"));
  if (PQpipelineSync(connection_) != 1) return std::unexpected(note_loss(PQerrorMessage(connection_)));
  const Deadline deadline = until(wait_limit);
  std::vector<Rows> answers;
  answers.reserve(expected.size());
  std::optional<Error> error;
  for (const Expected& next : expected) {
    ResultHandle result = own(await(deadline));
    if (lost_) break;
    const ExecStatusType status = PQresultStatus(result.get());
    const bool good = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (!good && !error) error = note_failure(result.get());  // the server skips everything after it up to the sync
    if (lost_) break;
    if (next.prepares != nullptr) next.prepares->sent = good;
    if (good && next.use == Use::kSchemaVersion && !error) error = refuse_other_schema(*result);
    if (good && next.use == Use::kAnswer) answers.emplace_back(result.release());
    own(await(deadline));  // the boundary after each result
  }
  if (!lost_) own(await(deadline));  // the sync
  if (PQtransactionStatus(connection_) == PQTRANS_IDLE) scope_sent_ = false;
  if (lost_ && !error) error = note_loss(PQerrorMessage(connection_));
  if (error) return std::unexpected(*std::move(error));
  return answers;
}

void Connection::begin() {
  commit_sent_ = false;
  queue(kBegin, Use::kNothing);
  queue(kSchemaVersionNow, Use::kSchemaVersion);
}

void Connection::begin_snapshot() { queue(kBeginSnapshot, Use::kNothing); }

Result<std::vector<Rows>> Connection::commit(milliseconds wait_limit) {
  queue(kCommit, Use::kNothing);
  commit_sent_ = true;
  LADDER_TRY(auto answers, run(wait_limit));
  commit_sent_ = false;
  return answers;
}

Status Connection::rollback() {
  queue(kRollback, Use::kNothing);
  LADDER_TRY(const auto done, run());
  return {};
}

Status Connection::script(const std::string& sql, milliseconds wait_limit) {
  if (lost_) return std::unexpected(note_loss("lost before"));
  if (PQexitPipelineMode(connection_) != 1 || PQsendQuery(connection_, sql.c_str()) != 1) {
    return std::unexpected(note_loss(PQerrorMessage(connection_)));
  }
  const Deadline deadline = until(wait_limit);
  std::optional<Error> error;
  while (ResultHandle result = own(await(deadline))) {
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && !error) error = note_failure(result.get());
  }
  if (!lost_ && PQenterPipelineMode(connection_) != 1) note_loss(PQerrorMessage(connection_));
  if (lost_ && !error) error = note_loss(PQerrorMessage(connection_));
  if (error) return std::unexpected(*std::move(error));
  return {};
}

bool Connection::reset() {
  if (lost_ || !expected_.empty()) return false;
  commit_sent_ = false;
  if (PQtransactionStatus(connection_) == PQTRANS_IDLE) return true;
  return rollback().has_value() && PQtransactionStatus(connection_) == PQTRANS_IDLE;
}

bool Connection::may_retry() const {
  if (timed_out_) return false;  // its caller has waited long enough
  return lost_ ? !commit_sent_ : means_try_again(sqlstate_);
}

pg_result* Connection::await(Deadline deadline) {
  while (!lost_) {
    const int unsent = PQflush(connection_);
    if (unsent < 0) break;
    if (unsent == 0 && PQisBusy(connection_) == 0) return PQgetResult(connection_);
    if (!wait_for(PQsocket(connection_), unsent > 0, deadline)) {
      timed_out_ = true;
      note_loss("no answer in time");
      return nullptr;
    }
    if (PQconsumeInput(connection_) != 1) break;
  }
  // The server may have sent an error before it closed the connection.
  if (ResultHandle last = own(lost_ ? nullptr : PQgetResult(connection_))) {
    note_failure(last.get());
  }
  note_loss(PQerrorMessage(connection_));
  return nullptr;
}

Error Connection::note_failure(const pg_result* result) {
  sqlstate_ = state_of(result);
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  std::string detail = message != nullptr ? message : PQresultErrorMessage(result);
  if (PQstatus(connection_) != CONNECTION_OK || means_lost(sqlstate_) || sqlstate_.empty()) return note_loss(std::move(detail));
  if (sqlstate_ == sqlstate::kStalePlan) {  // a table changed after its statements were prepared: the connection is unusable, and
                                            // nothing was changed
    commit_sent_ = false;
    return note_loss(std::move(detail));
  }
  return failed_statement(address_, sqlstate_, std::move(detail));
}

Error Connection::note_loss(std::string detail) {
  lost_ = true;
  expected_.clear();
  return timed_out_ ? unresponsive_server(address_, std::move(detail)) : lost_connection(address_, std::move(detail));
}

}  // namespace ladder::store::postgres
