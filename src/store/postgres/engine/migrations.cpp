#include "store/postgres/engine/migrations.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "crypto/seal.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/schema.h"
#include "text/words.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace ladder::store::postgres {
namespace {

constexpr Statement kMetaExists{"SELECT to_regclass('ladder.meta') IS NOT NULL"};
constexpr Statement kReadMeta{"SELECT key, value FROM ladder.meta ORDER BY key"};
constexpr Statement kPutMeta{
    "INSERT INTO ladder.meta (key, value) VALUES ($1::text, $2::bytea) ON CONFLICT (key) DO UPDATE SET value = excluded.value"};
// An arbitrary fixed number. Programs that migrate the same database lock it.
constexpr Statement kLockMigrations{"SELECT pg_advisory_lock(7663001)"};
constexpr Statement kUnlockMigrations{"SELECT pg_advisory_unlock(7663001)"};
constexpr Statement kDisableTimeouts{
    "SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)"};
constexpr Statement kRestoreTimeouts{
    "SELECT set_config('statement_timeout', ($1::bigint)::text, false), set_config('lock_timeout', ($2::bigint)::text, false)"};

constexpr std::string_view kVersionKey = "schema_version";
constexpr std::string_view kWordsVersionKey = "words_version";
constexpr std::string_view kSealKeyPrefix = "seal_key.";  // then three digits, so that they sort
constexpr std::string_view kFirstSealKey = "seal_key.001";

struct Found {
  int version = 0;                   // 0: no store yet
  std::optional<int> words_version;  // of the tokenizer that built the word index, if there is one
  std::vector<SealKeyRow> seal_keys;
};

template <class Number>
Number number(std::string_view digits) {
  Number value{};
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

Result<Found> read_meta(Connection& connection) {
  Found found;
  LADDER_TRY(const Rows exists, connection.run_one(kMetaExists));
  if (!exists.boolean(0, 0)) return found;
  LADDER_TRY(const Rows meta, connection.run_one(kReadMeta));
  for (int row = 0; row < meta.size(); ++row) {
    const std::string_view key = meta.bytes(row, 0);
    if (key == kVersionKey) found.version = number<int>(meta.bytes(row, 1));
    if (key == kWordsVersionKey) found.words_version = number<int>(meta.bytes(row, 1));
    if (key.starts_with(kSealKeyPrefix)) {
      found.seal_keys.push_back({number<std::uint8_t>(key.substr(kSealKeyPrefix.size())), meta.text(row, 1)});
    }
  }
  return found;
}

Status check_version(int version, const Address& address) {
  if (version != 0 && version < kSchemaVersion) {
    Error error = unreleased_schema(version);
    error.message = format("{}: {}", address.shown, error.message);
    return std::unexpected(std::move(error));
  }
  if (version <= kSchemaVersion) return {};
  return fail(Code::kNotSetUp, format("the store in {} was made by a newer Ladder (schema {}); this one knows {}: upgrade ladder",
                                      address.shown, version, kSchemaVersion));
}

Status make_store(Connection& connection) {
  std::string sql = "BEGIN; CREATE SCHEMA IF NOT EXISTS ladder; SET LOCAL search_path = ladder;\n";
  sql += kSchema;
  LADDER_CHECK(connection.script(sql));
  connection.add(kPutMeta, kVersionKey, std::to_string(kSchemaVersion));
  connection.add(kPutMeta, kFirstSealKey, crypto::random_bytes(crypto::kSealKeyBytes));
  connection.add(kPutMeta, kWordsVersionKey, std::to_string(text::kWordsVersion));
  LADDER_TRY(const auto done, connection.commit());
  LADDER_CHECK(connection.script(kStatistics));
  return connection.script(kRowSecurity);
}

// Empties the word index, which another tokenizer built, so that reindex() rebuilds it. Texts staged for the old index
// are rejected by their generation.
constexpr const char* kForgetWords = R"(
BEGIN;
SELECT set_config('ladder.task', 'whole-store', true);
LOCK TABLE ladder.streams IN EXCLUSIVE MODE;
TRUNCATE ladder.word_segments, ladder.word_blocks, ladder.passages, ladder.texts;
UPDATE ladder.records SET text_no = 0, word_mask = 0 WHERE word_mask <> 0;
DELETE FROM ladder.word_columns WHERE state = 2;
UPDATE ladder.word_columns w SET state = 1
  WHERE EXISTS (SELECT FROM ladder.streams s WHERE s.owner_no = w.owner_no AND s.stream_no = w.stream_no AND s.record_count > 0);
UPDATE ladder.streams s SET word_generation = nextval('ladder.word_generation'),
    words_upto = CASE WHEN record_count > 0 THEN ''::bytea END
  WHERE EXISTS (SELECT FROM ladder.word_columns w WHERE w.owner_no = s.owner_no AND w.stream_no = s.stream_no);
UPDATE ladder.owners SET catalog_version = catalog_version + 1;
)";
Status forget_words(Connection& connection) {
  LADDER_CHECK(connection.script(kForgetWords));
  connection.add(kPutMeta, kWordsVersionKey, std::to_string(text::kWordsVersion));
  LADDER_TRY(const auto done, connection.commit());
  return {};
}

Status make_current(Connection& connection) {
  LADDER_TRY(const Found found, read_meta(connection));  // again: another program may have done it in the meantime
  LADDER_CHECK(check_version(found.version, connection.address()));
  if (found.version == 0) return make_store(connection);
  return found.words_version != text::kWordsVersion ? forget_words(connection) : Status();
}

template <class Work>
Status under_migration_lock(Connection& connection, const Work& work) {
  connection.add(kDisableTimeouts);
  connection.add(kLockMigrations);
  LADDER_TRY(const auto turn, connection.run(kLongWorkTimeout));
  Status done = work(connection);
  if (!connection.reset()) return done;  // closing the connection releases the lock
  connection.add(kUnlockMigrations);
  connection.add(kRestoreTimeouts, kStatementTimeout.count(), kLockTimeout.count());
  LADDER_TRY(const auto end, connection.run());
  return done;
}

Error no_right_to_create(const Error& cause, const Address& address) {
  return {.code = Code::kNotSetUp,
          .message =
              format("the PostgreSQL user of {} may not create the schema ladder: `GRANT CREATE ON DATABASE …` allows it, or run "
                     "`ladder init` as the database's owner",
                     address.shown),
          .log_detail = cause.log_detail};
}

// Runs the steps under the lock. A failure for lack of a privilege names it.
template <class Steps>
Status make_tables(Connection& connection, const Steps& steps) {
  Status made = under_migration_lock(connection, steps);
  if (!made && connection.sqlstate() == "42501") return std::unexpected(no_right_to_create(made.error(), connection.address()));
  return made;
}

}  // namespace

Result<std::vector<SealKeyRow>> prepare_schema(Connection& connection, OpenMode mode) {
  LADDER_TRY(Found found, read_meta(connection));
  LADDER_CHECK(check_version(found.version, connection.address()));
  if (found.version < kSchemaVersion && mode == OpenMode::kExisting) {
    return fail(Code::kNotSetUp,
                format("there is no store in {} yet: run `ladder init` to create one", connection.address().shown));
  }
  const bool other_words = found.version == kSchemaVersion && found.words_version != text::kWordsVersion;
  if (found.version < kSchemaVersion || (other_words && mode == OpenMode::kCreate)) {
    LADDER_CHECK(make_tables(connection, make_current));
    LADDER_TRY(found, read_meta(connection));
  }
  if (found.seal_keys.empty()) {
    return fail(Code::kNotSetUp,
                format("the store in {} has lost its keys: restore it from a backup", connection.address().shown));
  }
  return std::move(found.seal_keys);
}

Result<FoundStore> find_store(const std::string& address) {
  LADDER_TRY(const Address parsed, Address::parse(address));
  LADDER_TRY(const auto connection, Connection::open(parsed));
  LADDER_TRY(const Found found, read_meta(*connection));
  LADDER_CHECK(check_version(found.version, parsed));
  return FoundStore{.schema = found.version, .current_words = !found.words_version || found.words_version == text::kWordsVersion};
}

Status make_empty_store(Connection& connection) {
  return make_tables(connection, [](Connection& locked) -> Status {
    LADDER_TRY(const Found found, read_meta(locked));
    return found.version == 0 ? make_store(locked) : Status();
  });
}

Status clear_word_index(Connection& connection) { return under_migration_lock(connection, forget_words); }

}  // namespace ladder::store::postgres
