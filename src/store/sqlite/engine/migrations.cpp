// The tables. Numbers are INTEGER, names are TEXT, and everything compared byte by byte is BLOB. Columns that are read without
// the body stand before it, so that a long body's overflow pages stay unread. A step that has been released is never changed.
#include "store/sqlite/engine/migrations.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "crypto/seal.h"
#include "store/sqlite/catalog/catalog.h"
#include "store/sqlite/catalog/items.h"
#include "store/sqlite/search/word_tables.h"

#include <array>

namespace ladder::store::sqlite {
namespace {

constexpr const char* kSchema1 = R"sql(
CREATE TABLE owners(
  owner_no INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  catalog_version INTEGER NOT NULL);

CREATE TABLE sources(
  source_no INTEGER PRIMARY KEY,
  owner_no INTEGER NOT NULL,
  key TEXT NOT NULL,
  source_id TEXT NOT NULL,
  version TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  declaration BLOB NOT NULL,
  UNIQUE(owner_no, key),
  UNIQUE(owner_no, source_id));

-- every declaration a source ever had: a version that comes back must come back with the same text
CREATE TABLE declarations(
  source_no INTEGER NOT NULL,
  version TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(source_no, version));

CREATE TABLE fields(
  field_no INTEGER PRIMARY KEY,
  source_no INTEGER NOT NULL,
  stream TEXT NOT NULL,
  name TEXT NOT NULL,
  index_kind INTEGER NOT NULL, -- 0: not indexed
  UNIQUE(source_no, stream, name));

CREATE TABLE connections(
  connection_no INTEGER PRIMARY KEY,
  owner_no INTEGER NOT NULL,
  source_no INTEGER NOT NULL,
  connection_id TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL);
CREATE INDEX connections_by_owner ON connections(owner_no);
CREATE INDEX connections_by_source ON connections(source_no);

-- record numbers [next_record_no, block_end) are the unused rest of the stream's newest block
CREATE TABLE streams(
  stream_no INTEGER PRIMARY KEY,
  connection_no INTEGER NOT NULL,
  name TEXT NOT NULL,
  record_count INTEGER NOT NULL,
  max_version INTEGER NOT NULL,
  next_record_no INTEGER NOT NULL,
  block_end INTEGER NOT NULL,
  UNIQUE(connection_no, name));

CREATE TABLE number_blocks(
  first INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  stream_no INTEGER NOT NULL);
CREATE INDEX number_blocks_by_stream ON number_blocks(stream_no, first);

CREATE TABLE records(
  record_no INTEGER PRIMARY KEY,
  stream_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  order_key BLOB NOT NULL,
  version INTEGER NOT NULL,
  digest BLOB NOT NULL,
  emitted_at TEXT NOT NULL,
  consent_time INTEGER,
  field_versions BLOB NOT NULL,
  first_value INTEGER NOT NULL,
  value_count INTEGER NOT NULL,
  body BLOB NOT NULL);
CREATE UNIQUE INDEX records_by_key ON records(stream_no, key);
CREATE INDEX records_by_order ON records(stream_no, order_key);

CREATE TABLE tombstones(
  record_no INTEGER PRIMARY KEY,
  stream_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  version INTEGER NOT NULL,
  created INTEGER NOT NULL, -- the version the record came with
  consent_time INTEGER,
  deleted_at INTEGER NOT NULL);
CREATE UNIQUE INDEX tombstones_by_key ON tombstones(stream_no, key);
CREATE INDEX tombstones_by_time ON tombstones(deleted_at);

-- one entry per record and field, at its newest version; field 0 is creation or deletion
CREATE TABLE changes(
  stream_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(stream_no, field_no, version)) WITHOUT ROWID;

-- upto: NULL when every record is in it, otherwise the key up to which records are ('': none yet)
CREATE TABLE indexes(
  index_no INTEGER PRIMARY KEY,
  stream_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  upto BLOB,
  UNIQUE(stream_no, field_no));

-- dropped ones whose entries the sweep still has to remove
CREATE TABLE dead_indexes(
  index_no INTEGER PRIMARY KEY);

CREATE TABLE index_entries(
  index_no INTEGER NOT NULL,
  entry BLOB NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(index_no, entry)) WITHOUT ROWID;

CREATE TABLE index_days(
  index_no INTEGER NOT NULL,
  day INTEGER NOT NULL,
  records INTEGER NOT NULL,
  PRIMARY KEY(index_no, day)) WITHOUT ROWID;

CREATE TABLE blob_refs(
  digest BLOB NOT NULL,
  record_no INTEGER NOT NULL,
  PRIMARY KEY(digest, record_no)) WITHOUT ROWID;

-- chunk = value id << 24 | number of the chunk
CREATE TABLE chunks(
  chunk INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL);

CREATE TABLE directory(
  value_id INTEGER NOT NULL,
  first INTEGER NOT NULL,
  page BLOB NOT NULL,
  PRIMARY KEY(value_id, first)) WITHOUT ROWID;

-- sets of values that no record points at: 0 staged, 1 dead
CREATE TABLE loose_values(
  first_value INTEGER PRIMARY KEY,
  value_count INTEGER NOT NULL,
  state INTEGER NOT NULL,
  touched_at INTEGER NOT NULL);

CREATE TABLE grants(
  grant_no INTEGER PRIMARY KEY,
  owner_no INTEGER NOT NULL,
  grant_id TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  single_use INTEGER NOT NULL,
  body BLOB NOT NULL);
CREATE INDEX grants_by_owner ON grants(owner_no);

CREATE TABLE tokens(
  token_no INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  owner_no INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  client_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER);

CREATE TABLE token_grants(
  token_no INTEGER NOT NULL,
  grant_no INTEGER NOT NULL,
  PRIMARY KEY(token_no, grant_no)) WITHOUT ROWID;

CREATE TABLE blobs(
  owner_no INTEGER NOT NULL,
  digest BLOB NOT NULL,
  size_bytes INTEGER NOT NULL,
  mime_type TEXT NOT NULL,
  value_id INTEGER NOT NULL,
  PRIMARY KEY(owner_no, digest)) WITHOUT ROWID;

INSERT INTO meta(key, value) VALUES('next_value', 1), ('next_record', 1), ('next_index', 1);
)sql";

Status make_schema_1(Connection& connection) {
  LADDER_CHECK(connection.execute(kSchema1));
  const std::string secret = crypto::random_bytes(crypto::kSealKeyBytes);
  return connection.prepare("INSERT INTO meta(key, value) VALUES('seal_key.1', ?1)").blob(1, secret).run();
}

// Checksums of rows (row_sums.h). NULL: the row was written before there were any.
Status add_row_sums(Connection& connection) {
  return connection.execute(R"sql(
ALTER TABLE records ADD COLUMN sum INTEGER;
ALTER TABLE chunks ADD COLUMN sum INTEGER;
ALTER TABLE directory ADD COLUMN sum INTEGER;
ALTER TABLE blobs ADD COLUMN sum INTEGER;
)sql");
}

// Bytes of rows that may be compressed (store/compression). raw_size NULL: they are as they came, as in every row of an older
// schema. The columns get other names, so that a program of an older schema that is still running asks for its restart, instead
// of taking compressed rows for damaged ones.
Status add_compression(Connection& connection) {
  return connection.execute(R"sql(
ALTER TABLE records RENAME COLUMN body TO stored_body;
ALTER TABLE records ADD COLUMN raw_size INTEGER;
ALTER TABLE chunks RENAME COLUMN bytes TO stored;
ALTER TABLE chunks ADD COLUMN raw_size INTEGER;
)sql");
}

constexpr std::array kMigrations = {Migration{1, make_schema_1},  Migration{2, add_word_tables}, Migration{3, add_import_table},
                                    Migration{4, add_row_sums},   Migration{5, add_auth_table},  Migration{6, add_ledger_table},
                                    Migration{7, add_compression}};

// Sets the properties of the file: pages that hold one chunk each, and the write-ahead log.
Status lay_out_file(Connection& connection) {
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
  if (version > newest_schema()) {
    return fail(Code::kNotSetUp,
                format("made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", version, newest_schema()));
  }
  return version;
}

Status migrate(Connection& connection, std::span<const Migration> steps) {
  LADDER_TRY(const std::int64_t version, schema_version(connection));
  if (version == 0) LADDER_CHECK(lay_out_file(connection));
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
