// Owners, sources, connections, streams, fields and their indexes. A change first locks the owner's row, so that
// changes of one catalog are serialized, and last increments its version. It then locks streams that gain or lose an
// index, so that every write knows which indexes to maintain. Word columns work the same way (word_columns.h).
#include "base/text/format.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/search/word_columns.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

#define LADDER_PG_OWNER_COLUMNS "owner_no, name, created_at, catalog_version"
#define LADDER_PG_SOURCE_COLUMNS "source_no, key, source_id, version, declaration, added_at"

constexpr Statement kBeginView{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Statement kEndView{"COMMIT"};
constexpr Statement kFindOwner{"SELECT " LADDER_PG_OWNER_COLUMNS " FROM owners WHERE name = $1::text"};
constexpr Statement kListOwners{"SELECT " LADDER_PG_OWNER_COLUMNS " FROM owners ORDER BY owner_no"};
constexpr Statement kOwnerByNo{"SELECT " LADDER_PG_OWNER_COLUMNS " FROM owners WHERE owner_no = $1::bigint"};
constexpr Statement kAddOwner{
    "INSERT INTO owners (name, created_at, catalog_version) VALUES ($1::text, $2::bigint, 1) ON CONFLICT (name) DO NOTHING"};
constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

constexpr Statement kListSources{"SELECT " LADDER_PG_SOURCE_COLUMNS
                                 " FROM sources WHERE owner_no = $1::bigint ORDER BY source_no"};
constexpr Statement kListConnections{
    "SELECT connection_no, source_no, connection_id, display_name, status, created_at FROM connections"
    " WHERE owner_no = $1::bigint ORDER BY connection_no"};
constexpr Statement kListStreams{
    "SELECT stream_no, connection_no, name FROM streams WHERE owner_no = $1::bigint ORDER BY stream_no"};
constexpr Statement kListFields{
    "SELECT field_no, source_no, stream, name FROM fields WHERE owner_no = $1::bigint ORDER BY field_no"};
constexpr Statement kListIndexes{
    "SELECT index_no, stream_no, field_no, kind, upto IS NULL FROM indexes WHERE owner_no = $1::bigint ORDER BY index_no"};
constexpr Statement kListWordColumns{
    "SELECT stream_no, field_no, column_no, state FROM word_columns"
    " WHERE owner_no = $1::bigint AND state <> 2 ORDER BY stream_no, column_no"};

constexpr Statement kSourceByKey{"SELECT " LADDER_PG_SOURCE_COLUMNS
                                 " FROM sources WHERE owner_no = $1::bigint AND key = $2::text"};
constexpr Statement kSourceById{"SELECT " LADDER_PG_SOURCE_COLUMNS
                                " FROM sources WHERE owner_no = $1::bigint AND source_id = $2::text"};
constexpr Statement kDeclarationOfVersion{
    "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no AND d.version = "
    "$3::text"
    " WHERE s.owner_no = $1::bigint AND s.key = $2::text"};
constexpr Statement kAddSource{
    "INSERT INTO sources (owner_no, key, source_id, version, declaration, added_at)"
    " VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::bigint) RETURNING source_no"};
constexpr Statement kReplaceDeclaration{
    "UPDATE sources SET version = $2::text, declaration = $3::text WHERE owner_no = :owner AND source_no = $1::bigint"};
constexpr Statement kKeepDeclaration{
    "INSERT INTO declarations (owner_no, source_no, version, body) VALUES (:owner, $1::bigint, $2::text, $3::text)"
    " ON CONFLICT DO NOTHING"};
constexpr Statement kAddFields{R"(
  INSERT INTO fields (owner_no, source_no, stream, name)
  SELECT :owner, $1::bigint, w.stream, w.name FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS w(stream, name, place)
  WHERE NOT EXISTS (SELECT FROM fields f WHERE f.owner_no = :owner AND f.source_no = $1::bigint AND f.stream = w.stream AND f.name = w.name)
  ORDER BY w.place ON CONFLICT DO NOTHING)"};
constexpr Statement kAddStreamsOfSource{R"(
  INSERT INTO streams (owner_no, connection_no, name)
  SELECT c.owner_no, c.connection_no, w.name
  FROM connections c, unnest($2::bytea[]) WITH ORDINALITY AS w(name, place)
  WHERE c.owner_no = :owner AND c.source_no = $1::bigint
    AND NOT EXISTS (SELECT FROM streams s WHERE s.owner_no = c.owner_no AND s.connection_no = c.connection_no AND s.name = w.name)
  ORDER BY c.connection_no, w.place ON CONFLICT DO NOTHING)"};

// Updates every field of the source, including those that are no longer declared.
constexpr Statement kSetIndexKinds{R"(
  UPDATE fields f SET index_kind = n.kind
  FROM (SELECT field_no, coalesce((SELECT max(w.kind) FROM unnest($2::bytea[], $3::bytea[], $4::bigint[]) AS w(stream, name, kind)
                                   WHERE w.stream = fields.stream AND w.name = fields.name), 0) AS kind
        FROM fields WHERE owner_no = :owner AND source_no = $1::bigint) AS n
  WHERE f.owner_no = :owner AND f.field_no = n.field_no AND f.index_kind <> n.kind)"};
constexpr Statement kSetSearched{R"(
  UPDATE fields f SET searched = NOT f.searched
  WHERE f.owner_no = :owner AND f.source_no = $1::bigint
    AND f.searched <> EXISTS (SELECT FROM unnest($2::bytea[], $3::bytea[]) AS w(stream, name)
                              WHERE w.stream = f.stream AND w.name = f.name))"};
constexpr Statement kLockStreamsOfSource{
    "SELECT s.stream_no FROM connections c JOIN streams s ON s.owner_no = c.owner_no AND s.connection_no = c.connection_no"
    " WHERE c.owner_no = :owner AND c.source_no = $1::bigint ORDER BY s.stream_no FOR NO KEY UPDATE OF s"};
constexpr Statement kDropIndexes{R"(
  WITH dropped AS (
    DELETE FROM indexes i USING connections c, streams s, fields f
    WHERE c.owner_no = :owner AND c.source_no = $1::bigint AND s.owner_no = c.owner_no AND s.connection_no = c.connection_no
      AND i.owner_no = c.owner_no AND i.stream_no = s.stream_no
      AND f.owner_no = c.owner_no AND f.field_no = i.field_no AND f.index_kind <> i.kind
    RETURNING i.owner_no, i.index_no)
  INSERT INTO dead_indexes (owner_no, index_no) SELECT owner_no, index_no FROM dropped)"};
// Adds the missing indexes. An index of an empty stream is ready at once.
constexpr Statement kAddIndexes{R"(
  INSERT INTO indexes (owner_no, stream_no, field_no, kind, upto)
  SELECT s.owner_no, s.stream_no, f.field_no, f.index_kind, CASE WHEN s.record_count = 0 THEN NULL ELSE ''::bytea END
  FROM connections c JOIN streams s ON s.owner_no = c.owner_no AND s.connection_no = c.connection_no
       JOIN fields f ON f.owner_no = c.owner_no AND f.source_no = c.source_no AND f.stream = s.name AND f.index_kind <> 0
  WHERE c.owner_no = :owner AND c.source_no = $1::bigint
    AND NOT EXISTS (SELECT FROM indexes i WHERE i.owner_no = s.owner_no AND i.stream_no = s.stream_no AND i.field_no = f.field_no)
  ORDER BY s.stream_no, f.field_no)"};

constexpr Statement kSourceOfOwner{"SELECT source_no FROM sources WHERE owner_no = $1::bigint AND source_no = $2::bigint"};
constexpr Statement kConnectionById{
    "SELECT connection_no FROM connections WHERE owner_no = $1::bigint AND connection_id = $2::text"};
constexpr Statement kAddConnection{R"(
  WITH added AS (
    INSERT INTO connections (owner_no, source_no, connection_id, display_name, status, created_at)
    VALUES ($1::bigint, $2::bigint, $3::text, $4::bytea, $5::text, $6::bigint) RETURNING connection_no),
  its_streams AS (
    INSERT INTO streams (owner_no, connection_no, name)
    SELECT $1::bigint, a.connection_no, w.name FROM added a, unnest($7::bytea[]) WITH ORDINALITY AS w(name, place) ORDER BY w.place
    ON CONFLICT DO NOTHING)
  SELECT connection_no FROM added)"};

OwnerRow read_owner(const Rows& rows, int row) {
  return {
      .no = rows.int8(row, 0), .name = rows.text(row, 1), .created_at = rows.int8(row, 2), .catalog_version = rows.int8(row, 3)};
}

SourceRow read_source(const Rows& rows, int row) {
  return {.no = rows.int8(row, 0),
          .key = rows.text(row, 1),
          .source_id = rows.text(row, 2),
          .version = rows.text(row, 3),
          .declaration = rows.text(row, 4),
          .added_at = rows.int8(row, 5)};
}

IndexRow read_index(const Rows& rows, int row) {
  return {.no = rows.int8(row, 0),
          .stream = rows.int8(row, 1),
          .field = rows.int8(row, 2),
          .kind = static_cast<IndexKind>(rows.int8(row, 3)),
          .ready = rows.boolean(row, 4)};
}

std::unexpected<Error> no_such_owner() {
  return fail(Code::kNotFound, "the owner does not exist in the store: create one with `ladder init`");
}

ByteaArray to_array(std::span<const std::string> names) {
  ByteaArray array;
  for (const std::string& name : names) array.add(name);
  return array;
}

// The streams and fields of a declaration in wire format.
struct DeclaredNames {
  ByteaArray streams;
  ByteaArray field_streams, field_names;
  ByteaArray indexed_streams, indexed_names;
  Int8Array index_kinds;
  ByteaArray searched_streams, searched_names;

  explicit DeclaredNames(std::span<const Store::StreamFields> declared) {
    for (const Store::StreamFields& stream : declared) {
      streams.add(stream.stream);
      for (const std::string& field : stream.fields) {
        field_streams.add(stream.stream);
        field_names.add(field);
      }
      for (const Store::IndexedField& field : stream.indexed) {
        indexed_streams.add(stream.stream);
        indexed_names.add(field.name);
        index_kinds.add(static_cast<std::int64_t>(field.kind));
      }
      for (const std::string& field : stream.searched) {
        searched_streams.add(stream.stream);
        searched_names.add(field);
      }
    }
  }
};

// Adds the source or replaces its declaration, and sets the number and date of `result`. Returns whether anything changed.
Result<bool> keep_source(Connection& connection, OwnerNo owner, const Rows& before, SourceRow& result) {
  if (before.empty()) {
    LADDER_TRY(const Rows added, connection.run_one(kAddSource, owner, result.key, result.source_id, result.version,
                                                    result.declaration, result.added_at));
    result.no = added.int8(0, 0);
    return true;
  }
  const SourceRow row = read_source(before, 0);
  result.no = row.no;
  result.added_at = row.added_at;
  const bool changed = row.version != result.version || row.declaration != result.declaration;
  if (changed) connection.add(kReplaceDeclaration, result.no, result.version, result.declaration);
  return changed;
}

// Adds new streams and fields, and updates indexes and word columns. Returns whether anything changed.
Result<bool> keep_names(Connection& connection, const SourceRow& source, const DeclaredNames& names) {
  connection.add(kKeepDeclaration, source.no, source.version, source.declaration);
  connection.add(kAddFields, source.no, names.field_streams, names.field_names);
  connection.add(kAddStreamsOfSource, source.no, names.streams);
  connection.add(kSetIndexKinds, source.no, names.indexed_streams, names.indexed_names, names.index_kinds);
  connection.add(kSetSearched, source.no, names.searched_streams, names.searched_names);
  LADDER_TRY(const auto written, connection.run());
  const std::size_t last = written.size() - 1;
  const bool new_fields = written[last - 3].affected() > 0, new_streams = written[last - 2].affected() > 0,
             other_kinds = written[last - 1].affected() > 0, others_searched = written[last].affected() > 0;
  if (other_kinds || others_searched) connection.add(kLockStreamsOfSource, source.no);
  if (other_kinds) connection.add(kDropIndexes, source.no);
  if (other_kinds || new_streams) connection.add(kAddIndexes, source.no);
  bool other_columns = false;
  if (others_searched || new_streams) {
    LADDER_TRY(other_columns, assign_columns(connection, source.no));
  }
  return new_fields || new_streams || other_kinds || other_columns;
}

Status refuse_conflicts(const SourceRow& source, const Rows& by_key, const Rows& by_id, const Rows& same_version) {
  if (!by_key.empty() && by_key.bytes(0, 2) != source.source_id) {
    return fail(Code::kConflict,
                format("the key {} belongs to the source {}: choose another with --key", source.key, by_key.bytes(0, 2)), "key");
  }
  if (!by_id.empty() && by_id.bytes(0, 1) != source.key) {
    return fail(Code::kConflict,
                format("the source {} already exists under the key {}: use that key", source.source_id, by_id.bytes(0, 1)),
                "key");
  }
  if (!same_version.empty() && same_version.bytes(0, 0) != source.declaration) {
    return fail(Code::kConflict,
                format("version {} of the source {} was declared before with another text: a changed declaration needs a "
                       "new version",
                       source.version, source.source_id),
                "declaration_version");
  }
  return {};
}

}  // namespace

Result<OwnerRow> PostgresStore::add_owner(std::string_view name, Instant now) {
  return pool_.run([&](Connection& connection) -> Result<OwnerRow> {
    connection.begin();
    LADDER_TRY(const Rows before, connection.run_one(kFindOwner, name));
    if (!before.empty()) {
      LADDER_CHECK(connection.rollback());
      return read_owner(before, 0);
    }
    connection.add(kAddOwner, name, now);
    connection.add(kFindOwner, name);
    LADDER_TRY(const auto answers, connection.commit());
    return read_owner(answers[1], 0);
  });
}

Result<std::optional<OwnerRow>> PostgresStore::find_owner(std::string_view name) {
  return pool_.read([&](Connection& connection) -> Result<std::optional<OwnerRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindOwner, name));
    if (rows.empty()) return std::nullopt;
    return read_owner(rows, 0);
  });
}

Result<std::vector<OwnerRow>> PostgresStore::owners() {
  return pool_.read([&](Connection& connection) -> Result<std::vector<OwnerRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kListOwners));
    std::vector<OwnerRow> owners;
    owners.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) owners.push_back(read_owner(rows, row));
    return owners;
  });
}

Result<Catalog> PostgresStore::catalog(OwnerNo owner) {
  return pool_.read([&](Connection& connection) -> Result<Catalog> {
    connection.add(kBeginView);
    connection.add(kOwnerByNo, owner);
    connection.add(kListSources, owner);
    connection.add(kListConnections, owner);
    connection.add(kListStreams, owner);
    connection.add(kListFields, owner);
    connection.add(kListIndexes, owner);
    connection.add(kListWordColumns, owner);
    connection.add(kEndView);
    LADDER_TRY(const auto answers, connection.run());
    const Rows &owners = answers[1], &sources = answers[2], &connections = answers[3], &streams = answers[4],
               &fields = answers[5], &indexes = answers[6], &word_columns = answers[7];
    if (owners.empty()) return no_such_owner();
    Catalog catalog{.owner = read_owner(owners, 0), .sources = {}, .connections = {}, .streams = {}, .fields = {}, .indexes = {}};
    for (int row = 0; row < sources.size(); ++row) catalog.sources.push_back(read_source(sources, row));
    for (int row = 0; row < connections.size(); ++row) {
      catalog.connections.push_back({.no = connections.int8(row, 0),
                                     .source = connections.int8(row, 1),
                                     .connection_id = connections.text(row, 2),
                                     .display_name = connections.text(row, 3),
                                     .status = connections.text(row, 4),
                                     .created_at = connections.int8(row, 5)});
    }
    for (int row = 0; row < streams.size(); ++row) {
      catalog.streams.push_back({.no = streams.int8(row, 0), .connection = streams.int8(row, 1), .name = streams.text(row, 2)});
    }
    for (int row = 0; row < fields.size(); ++row) {
      catalog.fields.push_back(
          {.no = fields.int8(row, 0), .source = fields.int8(row, 1), .stream = fields.text(row, 2), .name = fields.text(row, 3)});
    }
    for (int row = 0; row < indexes.size(); ++row) catalog.indexes.push_back(read_index(indexes, row));
    for (int row = 0; row < word_columns.size(); ++row) {
      catalog.word_columns.push_back({.stream = word_columns.int8(row, 0),
                                      .field = word_columns.int8(row, 1),
                                      .column = static_cast<int>(word_columns.int8(row, 2)),
                                      .ready = word_columns.int8(row, 3) == kColumnReady});
    }
    return catalog;
  });
}

Result<SourceRow> PostgresStore::put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) {
  LADDER_CHECK(check_searched(streams));
  const DeclaredNames names(streams);
  return pool_.run(owner, [&](Connection& connection) -> Result<SourceRow> {
    connection.begin();
    connection.add(kLockOwner, owner);
    connection.add(kSourceByKey, owner, source.key);
    connection.add(kSourceById, owner, source.source_id);
    connection.add(kDeclarationOfVersion, owner, source.key, source.version);
    LADDER_TRY(const auto found, connection.run());
    const Rows &owners = found[0], &by_key = found[1], &by_id = found[2], &same_version = found[3];
    if (owners.empty()) return no_such_owner();
    LADDER_CHECK(refuse_conflicts(source, by_key, by_id, same_version));

    SourceRow result = source;
    LADDER_TRY(const bool other_declaration, keep_source(connection, owner, by_key, result));
    LADDER_TRY(const bool other_names, keep_names(connection, result, names));
    if (other_declaration || other_names) connection.add(kRaiseCatalogVersion, owner);
    LADDER_TRY(const auto committed, connection.commit());
    return result;
  });
}

Result<ConnectionRow> PostgresStore::add_connection(OwnerNo owner, const ConnectionRow& row,
                                                    std::span<const std::string> streams) {
  const ByteaArray stream_array = to_array(streams);
  return pool_.run(owner, [&](Connection& connection) -> Result<ConnectionRow> {
    connection.begin();
    connection.add(kLockOwner, owner);
    connection.add(kSourceOfOwner, owner, row.source);
    connection.add(kConnectionById, owner, row.connection_id);
    LADDER_TRY(const auto found, connection.run());
    if (found[0].empty()) return no_such_owner();
    if (found[1].empty()) {
      return fail(Code::kNotFound, "the owner has no such source: add it with `ladder source add`", "source");
    }
    if (!found[2].empty()) {
      return fail(Code::kConflict, format("the connection {} already exists: choose another --id", row.connection_id),
                  "connection_id");
    }
    connection.add(kAddConnection, owner, row.source, row.connection_id, row.display_name, row.status, row.created_at,
                   stream_array);
    LADDER_TRY(const auto added, connection.run());
    ConnectionRow result = row;
    result.no = added.front().int8(0, 0);
    connection.add(kAddIndexes, row.source);
    LADDER_CHECK(assign_columns(connection, row.source));
    connection.add(kRaiseCatalogVersion, owner);
    LADDER_TRY(const auto committed, connection.commit());
    return result;
  });
}

namespace {
constexpr Statement kFindDeclaration{
    "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no"
    " WHERE s.owner_no = $1::bigint AND s.source_id = $2::text AND d.version = $3::text"};

}
Result<std::optional<std::string>> PostgresStore::declaration(OwnerNo owner, std::string_view source_id,
                                                              std::string_view version) {
  return pool_.read([&](Connection& connection) -> Result<std::optional<std::string>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindDeclaration, owner, source_id, version));
    if (rows.empty()) return std::nullopt;
    return rows.text(0, 0);
  });
}

}  // namespace ladder::store::postgres
