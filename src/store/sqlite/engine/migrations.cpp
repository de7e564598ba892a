// Creates the tables of a store and migrates it from one schema to the next. Schemas 1 to 9 were never released. A
// released step is never changed.
#include "store/sqlite/engine/migrations.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "crypto/seal.h"
#include "store/sqlite/engine/schema.h"
#include "store/sqlite/engine/word_tables.h"

#include <array>

namespace ladder::store::sqlite {
namespace {

Status make_schema(Connection& connection) {
  LADDER_CHECK(connection.execute(kSchema));
  LADDER_CHECK(store_words_version(connection));
  const std::string secret = crypto::random_bytes(crypto::kSealKeyBytes);
  return connection.prepare("INSERT INTO meta(key, value) VALUES('seal_key.1', ?1)").blob(1, secret).run();
}

constexpr std::array kMigrations = {Migration{kOldestSchema, make_schema}};

// Sets the page size, so that a page holds one chunk, and the write-ahead log.
Status set_file_format(Connection& connection) {
  LADDER_CHECK(connection.execute("PRAGMA page_size = 4096"));
  Statement mode = connection.prepare("PRAGMA journal_mode = WAL");
  LADDER_CHECK(mode.step());
  if (mode.bytes_at(0) == "wal") return {};
  return fail(
      Code::kStoreUnavailable,
      "the file system here cannot share memory between processes, which the store's log needs: choose a folder on a local disk");
}

Status run_step(Connection& connection, const Migration& step) {
  LADDER_CHECK(connection.execute("BEGIN IMMEDIATE"));
  LADDER_CHECK(connection.execute("CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID"));
  LADDER_CHECK(step.apply(connection));
  LADDER_CHECK(connection
                   .prepare("INSERT INTO meta(key, value) VALUES('schema_version', ?1) "
                            "ON CONFLICT(key) DO UPDATE SET value = excluded.value")
                   .integer(1, step.version)
                   .run());
  LADDER_CHECK(connection.execute(format("PRAGMA application_id = {}", kApplicationId).c_str()));
  return connection.execute("COMMIT");
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::int64_t newest_schema() { return kMigrations.back().version; }

Result<std::int64_t> schema_version(Connection& connection) {
  LADDER_TRY(const std::int64_t tables, connection.read_integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0) return 0;
  LADDER_TRY(const std::int64_t application, connection.read_integer("PRAGMA application_id"));
  if (application != kApplicationId) {
    return fail(Code::kNotSetUp, "this is a database of another program, not a Ladder store: choose another path");
  }
  LADDER_TRY(const std::int64_t version, connection.read_integer("SELECT value FROM meta WHERE key = 'schema_version'"));
  if (version < kOldestSchema) return std::unexpected(unreleased_schema(version));
  if (version > newest_schema()) {
    return fail(Code::kNotSetUp,
                format("made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", version, newest_schema()));
  }
  return version;
}

Status migrate(Connection& connection, std::span<const Migration> steps) {
  LADDER_TRY(const std::int64_t version, schema_version(connection));
  if (version == 0) LADDER_CHECK(set_file_format(connection));
  for (const Migration& step : steps) {
    if (step.version <= version) continue;
    if (Status done = run_step(connection, step); !done) {
      connection.roll_back();
      return done;
    }
  }
  return {};
}

}  // namespace ladder::store::sqlite
