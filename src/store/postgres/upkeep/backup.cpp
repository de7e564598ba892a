// A backup uses COPY in one REPEATABLE READ transaction: a consistent snapshot of all tables while others write. A
// restore fills the tables of an empty store in one transaction. COPY does not work in pipeline mode, so this file has
// its own connection class.
#include "store/postgres/upkeep/backup.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/migrations.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kLeastChunkBytes = 64 * 1024, kMaxChunkBytes = 4 * 1024 * 1024;
constexpr std::uint64_t kRowsPerCut = 16;  // a chunk ends after one row in this many, chosen by its hash

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, ClearResult>;

// A connection that waits for each result without a timeout.
class CopyConnection {
 public:
  static Result<std::unique_ptr<CopyConnection>> open(const Address& address) {
    const char* const keywords[] = {"connect_timeout", "fallback_application_name", "dbname", "client_encoding", nullptr};
    const char* const values[] = {"10", "ladder-backup", address.text.c_str(), "UTF8", nullptr};
    std::unique_ptr<CopyConnection> link(new CopyConnection(PQconnectdbParams(keywords, values, 1), address));
    if (PQstatus(link->raw_) != CONNECTION_OK) return std::unexpected(link->lost());
    PQsetNoticeProcessor(link->raw_, [](void*, const char*) {}, nullptr);
    LADDER_TRY(const Answer ready,
               link->run("SELECT set_config('search_path', 'ladder', false),"
                         " set_config('statement_timeout', '0', false), set_config('lock_timeout', '20s', false),"
                         " set_config('idle_in_transaction_session_timeout', '0', false)"));
    return link;
  }
  ~CopyConnection() { PQfinish(raw_); }
  CopyConnection(const CopyConnection&) = delete;
  CopyConnection& operator=(const CopyConnection&) = delete;

  Result<Answer> run(const std::string& sql) {
    Answer answer(PQexec(raw_, sql.c_str()));
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_COPY_IN || status == PGRES_COPY_OUT)
      return answer;
    return std::unexpected(failed(answer.get()));
  }

  // Passes the rows of a running COPY TO to `use`, one at a time.
  Status each_row(const std::function<Status(std::string_view row)>& use) {
    for (;;) {
      char* row = nullptr;
      const int size = PQgetCopyData(raw_, &row, 0);
      const std::unique_ptr<char, decltype(&PQfreemem)> owned(row, PQfreemem);
      if (size == -1) break;
      if (size < 0) return std::unexpected(lost());
      LADDER_CHECK(use({row, static_cast<std::size_t>(size)}));
    }
    return finish();
  }

  Status put(std::string_view bytes) {
    if (PQputCopyData(raw_, bytes.data(), static_cast<int>(bytes.size())) == 1) return {};
    return std::unexpected(lost());
  }
  Status end_put() {
    if (PQputCopyEnd(raw_, nullptr) != 1) return std::unexpected(lost());
    return finish();
  }

 private:
  CopyConnection(PGconn* raw, const Address& address) : raw_(raw), address_(address) {}

  Status finish() {
    Status status;
    while (const Answer answer{PQgetResult(raw_)}) {
      if (status && PQresultStatus(answer.get()) != PGRES_COMMAND_OK) status = std::unexpected(failed(answer.get()));
    }
    return status;
  }
  Error lost() const {
    return lost_connection(address_, address_.redact(raw_ == nullptr ? "out of memory" : PQerrorMessage(raw_)));
  }
  Error failed(const PGresult* answer) const {
    const char* state = answer == nullptr ? nullptr : PQresultErrorField(answer, PG_DIAG_SQLSTATE);
    // The server is shutting down, crashed or closed this connection. Its last message may arrive before the disconnect.
    const std::string_view why = state == nullptr ? "" : state;
    if (PQstatus(raw_) != CONNECTION_OK || why.empty() || why.starts_with("57P") || why.starts_with("08")) return lost();
    return failed_statement(address_, why, address_.redact(PQerrorMessage(raw_)));
  }

  PGconn* raw_;
  const Address address_;
};

std::string cell(const Answer& answer, int row, int column) {
  return {PQgetvalue(answer.get(), row, column), static_cast<std::size_t>(PQgetlength(answer.get(), row, column))};
}

Result<int> schema_of(CopyConnection& link, const Address& address) {
  LADDER_TRY(const Answer exists, link.run("SELECT to_regclass('ladder.meta') IS NOT NULL"));
  if (cell(exists, 0, 0) != "t")
    return fail(Code::kNotSetUp, format("there is no store in {} yet: run `ladder init` to create one", address.shown));
  LADDER_TRY(const Answer version, link.run("SELECT convert_from(value, 'UTF8')::int FROM meta WHERE key = 'schema_version'"));
  return PQntuples(version.get()) == 1 ? std::stoi(cell(version, 0, 0)) : 0;
}

// "records(record_no,stream_no,…)": the column order differs between new and migrated stores.
constexpr const char* kParts =
    "SELECT c.relname || '(' || string_agg(a.attname, ',' ORDER BY a.attnum) || ')'"
    " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r' GROUP BY c.relname ORDER BY c.relname";

Result<std::vector<std::string>> parts_of(CopyConnection& link) {
  LADDER_TRY(const Answer rows, link.run(kParts));
  std::vector<std::string> parts;
  parts.reserve(static_cast<std::size_t>(PQntuples(rows.get())));
  for (int row = 0; row < PQntuples(rows.get()); ++row) parts.push_back(cell(rows, row, 0));
  return parts;
}

std::string table_of(std::string_view part) { return std::string(part.substr(0, part.find('('))); }

// Returns the columns of a part, sorted.
std::vector<std::string> columns_of(std::string_view part) {
  std::vector<std::string> columns;
  std::string_view list = part.substr(part.find('(') + 1);
  if (list.ends_with(')')) list.remove_suffix(1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    columns.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  std::ranges::sort(columns);
  return columns;
}

// Every table of the store must be in the backup once, with its columns. So names from a backup reach SQL only if they are ours.
Status check_parts(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  bool same = ours.size() == theirs.size();
  for (const std::string& part : ours) {
    same = same && std::ranges::count_if(theirs, [&](const std::string& other) {
                     return table_of(other) == table_of(part) && other.ends_with(')') && columns_of(other) == columns_of(part);
                   }) == 1;
  }
  if (same) return {};
  return fail(Code::kDamagedData, "the backup does not have the tables of its schema version");
}

Status copy_out(CopyConnection& link, const std::string& part, const TakeChunk& take) {
  LADDER_TRY(const Answer begun, link.run(format("COPY ladder.{} TO STDOUT (FORMAT binary)", part)));
  std::string chunk;
  const auto add_row = [&](std::string_view row) -> Status {
    chunk += row;
    const bool cut = chunk.size() >= kLeastChunkBytes && Checksum().add(row).value() % kRowsPerCut == 0;
    if (!cut && chunk.size() < kMaxChunkBytes) return {};
    LADDER_CHECK(take(part, chunk));
    chunk.clear();
    return {};
  };
  LADDER_CHECK(link.each_row(add_row));
  return chunk.empty() ? Status() : take(part, chunk);
}

constexpr const char* kSetSequences = R"(
DO $$
DECLARE place record; highest bigint;
BEGIN
  FOR place IN SELECT table_name, column_name, identity_start::bigint AS first FROM information_schema.columns
               WHERE table_schema = 'ladder' AND is_identity = 'YES' LOOP
    EXECUTE format('SELECT coalesce(max(%I), 0) FROM ladder.%I', place.column_name, place.table_name) INTO highest;
    PERFORM setval(pg_get_serial_sequence('ladder.' || place.table_name, place.column_name), greatest(highest + 1, place.first), false);
  END LOOP;
  IF to_regclass('ladder.word_segment_no') IS NOT NULL THEN
    SELECT coalesce(max(greatest(segment_no, version)), 0) + 1 FROM ladder.word_segments INTO highest;
    PERFORM setval('ladder.word_segment_no', highest, false);
  END IF;
  SELECT greatest((SELECT max(word_generation) FROM ladder.streams), (SELECT max(word_generation) FROM ladder.loose_values), 0) + 1
    INTO highest;
  PERFORM setval('ladder.word_generation', highest, false);
END $$)";

// COPY FROM is not possible under row-level security. `state` is FORCE or NO FORCE.
std::string set_row_security(std::string_view state) {
  return format(
      "DO $$ DECLARE t text; BEGIN"
      " FOR t IN SELECT relname FROM pg_class WHERE relnamespace = 'ladder'::regnamespace AND relkind = 'r' AND relrowsecurity "
      "LOOP"
      " EXECUTE format('ALTER TABLE ladder.%I {} ROW LEVEL SECURITY', t); END LOOP; END $$",
      state);
}

Status make_tables(const Address& address) {
  LADDER_TRY(const auto connection, Connection::open(address));
  return make_empty_store(*connection);
}

}  // namespace

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take) {
  LADDER_TRY(const Address address, Address::parse(location));
  LADDER_TRY(const auto link, CopyConnection::open(address));
  LADDER_TRY(const Answer begun, link->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  LADDER_CHECK(link->run("SELECT set_config('ladder.task', 'whole-store', true)"));
  LADDER_TRY(const int schema, schema_of(*link, address));
  if (schema > kSchemaVersion) {
    return fail(Code::kNotSetUp,
                format("the store in {} was made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", address.shown,
                       schema, kSchemaVersion));
  }
  if (schema < kSchemaVersion) return std::unexpected(unreleased_schema(schema));
  LADDER_TRY(const auto parts, parts_of(*link));
  for (const std::string& part : parts) LADDER_CHECK(copy_out(*link, part, take));
  LADDER_TRY(const Answer ended, link->run("COMMIT"));
  return BackupInfo{"postgres", schema};
}

Status restore(const std::string& location, const RestoreSource& from, Instant now) {
  if (from.info.schema < kOldestSchema) return std::unexpected(unreleased_schema(from.info.schema));
  if (from.info.schema > kSchemaVersion) {
    return fail(Code::kInvalidRequest,
                format("the backup was made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", from.info.schema,
                       kSchemaVersion));
  }
  LADDER_TRY(const Address address, Address::parse(location));
  LADDER_CHECK(make_tables(address));
  LADDER_TRY(const auto link, CopyConnection::open(address));
  LADDER_TRY(const Answer begun, link->run("BEGIN; LOCK TABLE ladder.owners IN ACCESS EXCLUSIVE MODE"));
  LADDER_TRY(const Answer owners, link->run("SELECT count(*) FROM ladder.owners"));
  if (cell(owners, 0, 0) != "0") {
    return fail(Code::kConflict, format("there is a store in {} already: restore into another database with --db", address.shown),
                "db");
  }
  LADDER_TRY(const int schema, schema_of(*link, address));
  if (schema != from.info.schema) {
    return fail(
        Code::kConflict,
        format(
            "there is an empty store of schema {} in {}, and the backup has schema {}: restore into another database with --db",
            schema, address.shown, from.info.schema),
        "db");
  }
  LADDER_TRY(const auto ours, parts_of(*link));
  LADDER_CHECK(check_parts(ours, from.parts));
  LADDER_CHECK(link->run(set_row_security("NO FORCE")));
  for (const std::string& part : from.parts) {
    LADDER_TRY(const Answer emptied, link->run(format("TRUNCATE ladder.{}", table_of(part))));
    LADDER_TRY(const Answer copying, link->run(format("COPY ladder.{} FROM STDIN (FORMAT binary)", part)));
    LADDER_CHECK(from.read(part, [&](std::string_view bytes) { return link->put(bytes); }));
    LADDER_CHECK(link->end_put());
  }
  LADDER_TRY(const Answer counted, link->run(kSetSequences));
  LADDER_TRY(const Answer tokens, link->run(format("UPDATE ladder.tokens SET revoked_at = {} WHERE revoked_at IS NULL", now)));
  LADDER_TRY(const Answer grants, link->run(format("UPDATE ladder.grants SET revoked_at = {} WHERE revoked_at IS NULL", now)));
  LADDER_CHECK(link->run(format("DELETE FROM ladder.auth_items WHERE kind NOT IN ({})", kKeptAuthKinds)));
  LADDER_CHECK(link->run(set_row_security("FORCE")));
  LADDER_TRY(const Answer committed, link->run("COMMIT"));
  LADDER_TRY(const Answer analyzed, link->run("ANALYZE"));
  return {};
}

}  // namespace ladder::store::postgres
