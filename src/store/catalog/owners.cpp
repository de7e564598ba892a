// Owners and their catalogs.
#include "store/catalog/access_rows.h"
#include "store/catalog/catalog_store.h"
#include "store/catalog/word_columns.h"

namespace ladder::store {
namespace {

using sql::Row, sql::Rows, sql::Session, sql::Statement;

#define LADDER_OWNERS                                                                                                   \
  "SELECT owner_no, name, created_at, catalog_version, suspended_at, max_records, max_bytes, max_requests_per_minute, " \
  "max_requests_at_once FROM owners"

constexpr Statement kOwnerByName{LADDER_OWNERS " WHERE name = $1"};
constexpr Statement kOwnerByNo{LADDER_OWNERS " WHERE owner_no = $1"};
constexpr Statement kListOwners{LADDER_OWNERS " ORDER BY owner_no"};
constexpr Statement kAddOwner{
    "INSERT INTO owners (owner_no, name, created_at, catalog_version) VALUES (nextval('owner_no'), $1, $2, 1)"
    " ON CONFLICT (name) DO NOTHING"};
constexpr Statement kSuspend{"UPDATE owners SET suspended_at = $2 WHERE owner_no = $1 AND suspended_at IS NULL"};
constexpr Statement kResume{"UPDATE owners SET suspended_at = NULL WHERE owner_no = $1"};
constexpr Statement kSetLimits{
    "UPDATE owners SET max_records = $2, max_bytes = $3, max_requests_per_minute = $4, max_requests_at_once = $5"
    " WHERE owner_no = $1"};
#define LADDER_SUM_OF(value, table) "(SELECT coalesce(CAST(sum(" value ") AS BIGINT), 0) FROM " table " WHERE owner_no = $1)"
constexpr Statement kRecordCount{"SELECT " LADDER_SUM_OF("record_count", "streams")};
constexpr Statement kUsage{
    "SELECT " LADDER_SUM_OF("record_count", "streams") ", " LADDER_SUM_OF("length(stored_body)", "records") " + " LADDER_SUM_OF(
        "length(stored)", "chunks") " + " LADDER_SUM_OF("length(block)", "word_blocks")};

constexpr Statement kListSources{
    "SELECT source_no, key, source_id, version, added_at, declaration FROM sources WHERE owner_no = $1 ORDER BY source_no"};
constexpr Statement kListConnections{
    "SELECT connection_no, source_no, connection_id, display_name, status, created_at FROM connections WHERE owner_no = $1"
    " ORDER BY connection_no"};
constexpr Statement kListStreams{"SELECT stream_no, connection_no, name FROM streams WHERE owner_no = $1 ORDER BY stream_no"};
constexpr Statement kListFields{"SELECT field_no, source_no, stream, name FROM fields WHERE owner_no = $1 ORDER BY field_no"};
constexpr Statement kListIndexes{
    "SELECT index_no, stream_no, field_no, kind, upto IS NULL FROM indexes WHERE owner_no = $1 ORDER BY index_no"};
constexpr Statement kListWordColumns{
    "SELECT stream_no, field_no, column_no, state FROM word_columns WHERE owner_no = $1 AND state <> 2"
    " ORDER BY stream_no, column_no"};

OwnerRow read_owner(const Row& row) {
  return {.no = row.integer(0),
          .name = row.text(1),
          .created_at = row.integer(2),
          .catalog_version = row.integer(3),
          .suspended_at = row.maybe_integer(4),
          .limits = {row.integer(5), row.integer(6), row.integer(7), row.integer(8)}};
}

SourceRow read_source(const Row& row) {
  return {.no = row.integer(0),
          .key = row.text(1),
          .source_id = row.text(2),
          .version = row.text(3),
          .declaration = row.text(5),
          .added_at = row.integer(4)};
}

ConnectionRow read_connection(const Row& row) {
  return {.no = row.integer(0),
          .source = row.integer(1),
          .connection_id = row.text(2),
          .display_name = row.text(3),
          .status = row.text(4),
          .created_at = row.integer(5)};
}

StreamRow read_stream(const Row& row) { return {.no = row.integer(0), .connection = row.integer(1), .name = row.text(2)}; }

FieldRow read_field(const Row& row) {
  return {.no = row.integer(0), .source = row.integer(1), .stream = row.text(2), .name = row.text(3)};
}

IndexRow read_index(const Row& row) {
  return {.no = row.integer(0),
          .stream = row.integer(1),
          .field = row.integer(2),
          .kind = static_cast<IndexKind>(row.integer(3)),
          .ready = row.integer(4) != 0};
}

WordColumnRow read_word_column(const Row& row) {
  return {.stream = row.integer(0),
          .field = row.integer(1),
          .column = static_cast<int>(row.integer(2)),
          .ready = static_cast<ColumnState>(row.integer(3)) == ColumnState::kReady};
}

}  // namespace

Result<OwnerRow> CatalogStore::add_owner(std::string_view name, Instant now) {
  LADDER_TRY(const std::optional<OwnerRow> known, find_owner(name));
  if (known) return *known;
  return database_.write(0, {}, [&](Session& session) -> Result<OwnerRow> {
    session.add(kAddOwner, name, now);
    LADDER_TRY(const Rows added, session.run_last(kOwnerByName, name));
    LADDER_CHECK(session.commit());
    return read_owner(added[0]);
  });
}

Result<std::optional<OwnerRow>> CatalogStore::find_owner(std::string_view name) {
  return database_.read(0, [&](Session& session) -> Result<std::optional<OwnerRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kOwnerByName, name));
    return rows.first(read_owner);
  });
}

Result<std::optional<OwnerRow>> CatalogStore::owner(OwnerNo owner) {
  return database_.read(0, [&](Session& session) -> Result<std::optional<OwnerRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kOwnerByNo, owner));
    return rows.first(read_owner);
  });
}

Result<std::vector<OwnerRow>> CatalogStore::owners() {
  return database_.read(0, [&](Session& session) -> Result<std::vector<OwnerRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kListOwners));
    return rows.all(read_owner);
  });
}

Status CatalogStore::set_owner_suspended(OwnerNo owner, std::optional<Instant> at) {
  return database_.write(owner, {.is_revocation = at.has_value()}, [&](Session& session) -> Status {
    if (at) session.add(kSuspend, owner, *at);
    else session.add(kResume, owner);
    LADDER_TRY(const Rows found, session.run_last(kOwnerByNo, owner));
    if (found.empty()) return no_such_owner();
    return session.commit();
  });
}

Status CatalogStore::set_owner_limits(OwnerNo owner, const OwnerLimits& limits) {
  return database_.write(owner, {}, [&](Session& session) -> Status {
    LADDER_TRY(const Rows changed, session.run_last(kSetLimits, owner, limits.records, limits.bytes, limits.requests_per_minute,
                                                    limits.requests_at_once));
    if (changed.affected() == 0) return no_such_owner();
    return session.commit();
  });
}

Result<std::int64_t> CatalogStore::owner_records(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<std::int64_t> {
    LADDER_TRY(const Rows rows, session.run_last(kRecordCount, owner));
    return rows[0].integer(0);
  });
}

Result<OwnerUsage> CatalogStore::owner_usage(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<OwnerUsage> {
    LADDER_TRY(const Rows rows, session.run_last(kUsage, owner));
    return OwnerUsage{rows[0].integer(0), rows[0].integer(1)};
  });
}

Result<Catalog> CatalogStore::catalog(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<Catalog> {
    session.begin_snapshot();
    for (const Statement* const statement :
         {&kOwnerByNo, &kListSources, &kListConnections, &kListStreams, &kListFields, &kListIndexes, &kListWordColumns}) {
      session.add(*statement, owner);
    }
    LADDER_TRY(const auto answers, session.run());
    if (answers[0].empty()) return no_such_owner();
    return Catalog{.owner = read_owner(answers[0][0]),
                   .sources = answers[1].all(read_source),
                   .connections = answers[2].all(read_connection),
                   .streams = answers[3].all(read_stream),
                   .fields = answers[4].all(read_field),
                   .indexes = answers[5].all(read_index),
                   .word_columns = answers[6].all(read_word_column)};
  });
}

}  // namespace ladder::store
