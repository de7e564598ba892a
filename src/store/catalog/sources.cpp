// Sources and connections with their streams, fields and indexes. A change first locks the owner's row, so that changes
// of one catalog are serialized, and last increments its version. It then locks streams that gain or lose an index, so
// that every write knows which indexes to maintain. Word columns work the same way (word_columns.h).
#include "base/text/format.h"
#include "store/catalog/access_rows.h"
#include "store/catalog/catalog_store.h"
#include "store/catalog/word_columns.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = :owner FOR NO KEY UPDATE"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = :owner"};

constexpr Statement kSourceByKey{
    "SELECT source_no, source_id, version, declaration, added_at FROM sources WHERE owner_no = :owner AND key = $1"};
constexpr Statement kKeyOfSource{"SELECT key FROM sources WHERE owner_no = :owner AND source_id = $1"};
constexpr Statement kDeclarationOfKey{
    "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no"
    " WHERE s.owner_no = :owner AND s.key = $1 AND d.version = $2"};
constexpr Statement kDeclaration{
    "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no"
    " WHERE s.owner_no = :owner AND s.source_id = $1 AND d.version = $2"};
constexpr Statement kAddSource{
    "INSERT INTO sources (owner_no, source_no, key, source_id, version, added_at, declaration)"
    " VALUES (:owner, nextval('source_no'), $1, $2, $3, $4, $5) RETURNING source_no"};
constexpr Statement kReplaceDeclaration{
    "UPDATE sources SET version = $2, declaration = $3 WHERE owner_no = :owner AND source_no = $1"};
constexpr Statement kKeepDeclaration{
    "INSERT INTO declarations (owner_no, source_no, version, body) VALUES (:owner, $1, $2, $3)"
    " ON CONFLICT (owner_no, source_no, version) DO NOTHING"};

constexpr Statement kAddField{
    "INSERT INTO fields (owner_no, field_no, source_no, stream, name) SELECT :owner, nextval('field_no'), $1, $2, $3"
    " WHERE NOT EXISTS (SELECT 1 FROM fields WHERE owner_no = :owner AND source_no = $1 AND stream = $2 AND name = $3)"};
constexpr Statement kAddStreamOfSource{
    "INSERT INTO streams (owner_no, stream_no, connection_no, name)"
    " SELECT c.owner_no, nextval('stream_no'), c.connection_no, $2 FROM connections c"
    " WHERE c.owner_no = :owner AND c.source_no = $1 AND NOT EXISTS"
    " (SELECT 1 FROM streams s WHERE s.owner_no = c.owner_no AND s.connection_no = c.connection_no AND s.name = $2)"};
constexpr Statement kAddStream{
    "INSERT INTO streams (owner_no, stream_no, connection_no, name) VALUES (:owner, nextval('stream_no'), $1, $2)"
    " ON CONFLICT (owner_no, connection_no, name) DO NOTHING"};
// Also returns fields that are no longer declared.
constexpr Statement kFieldsOfSource{
    "SELECT field_no, stream, name, index_kind, searched FROM fields WHERE owner_no = :owner AND source_no = $1"};
constexpr Statement kSetUse{"UPDATE fields SET index_kind = $2, searched = $3 <> 0 WHERE owner_no = :owner AND field_no = $1"};

#define LADDER_STREAMS_OF_SOURCE \
  " FROM connections c JOIN streams s ON s.owner_no = c.owner_no AND s.connection_no = c.connection_no"
#define LADDER_OF_SOURCE " WHERE c.owner_no = :owner AND c.source_no = $1"
constexpr Statement kLockStreams{"SELECT s.stream_no" LADDER_STREAMS_OF_SOURCE LADDER_OF_SOURCE
                                 " ORDER BY s.stream_no FOR NO KEY UPDATE OF s"};
constexpr Statement kKillIndexes{
    "INSERT INTO dead_indexes (owner_no, index_no) SELECT i.owner_no, i.index_no" LADDER_STREAMS_OF_SOURCE
    " JOIN indexes i ON i.owner_no = s.owner_no AND i.stream_no = s.stream_no"
    " JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no" LADDER_OF_SOURCE " AND i.kind <> f.index_kind"};
constexpr Statement kDropIndexes{
    "DELETE FROM indexes WHERE owner_no = :owner AND index_no IN (SELECT index_no FROM dead_indexes WHERE owner_no = :owner)"};
// Adds the missing indexes. An index of an empty stream is ready at once.
constexpr Statement kAddIndexes{
    "INSERT INTO indexes (owner_no, index_no, stream_no, field_no, kind, upto)"
    " SELECT s.owner_no, nextval('index_no'), s.stream_no, f.field_no, f.index_kind,"
    " CASE WHEN s.record_count = 0 THEN NULL ELSE $2 END" LADDER_STREAMS_OF_SOURCE
    " JOIN fields f ON f.owner_no = c.owner_no AND f.source_no = c.source_no AND f.stream = s.name" LADDER_OF_SOURCE
    " AND f.index_kind <> 0 AND NOT EXISTS (SELECT 1 FROM indexes i"
    " WHERE i.owner_no = s.owner_no AND i.stream_no = s.stream_no AND i.field_no = f.field_no)"
    " ORDER BY s.stream_no, f.field_no"};

constexpr Statement kSourceByNo{"SELECT source_no FROM sources WHERE owner_no = :owner AND source_no = $1"};
constexpr Statement kConnectionById{"SELECT connection_no FROM connections WHERE owner_no = :owner AND connection_id = $1"};
constexpr Statement kAddConnection{
    "INSERT INTO connections (owner_no, connection_no, source_no, connection_id, display_name, status, created_at)"
    " VALUES (:owner, nextval('connection_no'), $1, $2, $3, $4, $5) RETURNING connection_no"};
constexpr Statement kSetStatus{"UPDATE connections SET status = $2 WHERE owner_no = :owner AND connection_no = $1"};
constexpr Statement kSetName{"UPDATE connections SET display_name = $2 WHERE owner_no = :owner AND connection_no = $1"};

Status refuse_conflicts(const SourceRow& source, const Rows& by_key, const Rows& key_of_id, const Rows& same_version) {
  if (!by_key.empty() && by_key[0].bytes(1) != source.source_id) {
    return fail(Code::kConflict,
                format("the key {} belongs to the source {}: choose another with --key", source.key, by_key[0].bytes(1)), "key");
  }
  if (!key_of_id.empty() && key_of_id[0].bytes(0) != source.key) {
    return fail(Code::kConflict,
                format("the source {} already exists under the key {}: use that key", source.source_id, key_of_id[0].bytes(0)),
                "key");
  }
  if (!same_version.empty() && same_version[0].bytes(0) != source.declaration) {
    return fail(Code::kConflict,
                format("version {} of the source {} was declared before with another text: a changed declaration needs a "
                       "new declaration_version",
                       source.version, source.source_id),
                "declaration_version");
  }
  return {};
}

// Adds the source or replaces its declaration, and sets the number and date of `source`. Returns whether anything changed.
Result<bool> keep_source(Session& session, const Rows& before, SourceRow& source) {
  if (before.empty()) {
    LADDER_TRY(const Rows added,
               session.run_last(kAddSource, source.key, source.source_id, source.version, source.added_at, source.declaration));
    source.no = added[0].integer(0);
    return true;
  }
  const Row row = before[0];
  source.no = row.integer(0);
  source.added_at = row.integer(4);
  if (row.bytes(2) == source.version && row.bytes(3) == source.declaration) return false;
  session.add(kReplaceDeclaration, source.no, source.version, source.declaration);
  return true;
}

// How the declaration wants a field to be found.
struct FieldUse {
  std::int64_t index_kind = 0;
  bool is_searched = false;

  friend bool operator==(const FieldUse&, const FieldUse&) = default;
};
using FieldUses = std::map<std::pair<std::string, std::string>, FieldUse>;  // by stream and field

FieldUses wanted_uses(std::span<const Store::StreamFields> streams) {
  FieldUses uses;
  for (const Store::StreamFields& stream : streams) {
    for (const auto& field : stream.indexed) uses[{stream.stream, field.name}].index_kind = static_cast<std::int64_t>(field.kind);
    for (const std::string& field : stream.searched) uses[{stream.stream, field}].is_searched = true;
  }
  return uses;
}

// Returns whether any field is to be used in another way.
bool set_uses(Session& session, const Rows& fields, const FieldUses& wanted) {
  bool changed = false;
  for (int i = 0; i < fields.size(); ++i) {
    const Row field = fields[i];
    const auto found = wanted.find({field.text(1), field.text(2)});
    const FieldUse use = found == wanted.end() ? FieldUse() : found->second;
    if (use == FieldUse{field.integer(3), field.integer(4) != 0}) continue;
    session.add(kSetUse, field.integer(0), use.index_kind, use.is_searched);
    changed = true;
  }
  return changed;
}

// Adds and drops indexes and word columns of the source's streams.
Status match_indexes(Session& session, SourceNo source) {
  session.add(kLockStreams, source);
  session.add(kKillIndexes, source);
  session.add(kDropIndexes);
  session.add(kAddIndexes, source, Bytes{""});
  return assign_word_columns(session, source);
}

// Adds new streams and fields, and updates indexes and word columns. Returns whether anything changed.
Result<bool> keep_names(Session& session, const SourceRow& source, std::span<const Store::StreamFields> streams) {
  session.add(kKeepDeclaration, source.no, source.version, source.declaration);
  for (const Store::StreamFields& stream : streams) {
    const Bytes name{stream.stream};
    session.add(kAddStreamOfSource, source.no, name);
    for (const std::string& field : stream.fields) session.add(kAddField, source.no, name, Bytes{field});
  }
  session.add(kFieldsOfSource, source.no);
  LADDER_TRY(const auto answers, session.run());
  const bool other_uses = set_uses(session, answers.back(), wanted_uses(streams));
  const bool added = std::any_of(answers.begin(), answers.end() - 1, [](const Rows& rows) { return rows.affected() > 0; });
  if (!other_uses && !added) return false;
  LADDER_CHECK(match_indexes(session, source.no));
  return true;
}

}  // namespace

Result<SourceRow> CatalogStore::put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) {
  LADDER_CHECK(check_searched(streams));
  return database_.write(owner, {}, [&](Session& session) -> Result<SourceRow> {
    session.add(kLockOwner);
    session.add(kSourceByKey, source.key);
    session.add(kKeyOfSource, source.source_id);
    session.add(kDeclarationOfKey, source.key, source.version);
    LADDER_TRY(const auto found, session.run());
    if (found[0].empty()) return no_such_owner();
    LADDER_CHECK(refuse_conflicts(source, found[1], found[2], found[3]));
    SourceRow kept = source;
    LADDER_TRY(const bool other_declaration, keep_source(session, found[1], kept));
    LADDER_TRY(const bool other_names, keep_names(session, kept, streams));
    if (other_declaration || other_names) session.add(kRaiseCatalogVersion);
    LADDER_CHECK(session.commit());
    return kept;
  });
}

Result<ConnectionRow> CatalogStore::add_connection(OwnerNo owner, const ConnectionRow& connection,
                                                   std::span<const std::string> streams) {
  return database_.write(owner, {}, [&](Session& session) -> Result<ConnectionRow> {
    session.add(kLockOwner);
    session.add(kSourceByNo, connection.source);
    session.add(kConnectionById, connection.connection_id);
    LADDER_TRY(const auto found, session.run());
    if (found[0].empty()) return no_such_owner();
    if (found[1].empty()) {
      return fail(Code::kNotFound, "the owner has no such source: add it with `ladder source add`", "source");
    }
    if (!found[2].empty()) {
      return fail(Code::kConflict, format("the connection {} already exists: choose another --id", connection.connection_id),
                  "connection_id");
    }
    ConnectionRow added = connection;
    LADDER_TRY(const Rows row, session.run_last(kAddConnection, added.source, added.connection_id, Bytes{added.display_name},
                                                added.status, added.created_at));
    added.no = row[0].integer(0);
    for (const std::string& stream : streams) session.add(kAddStream, added.no, Bytes{stream});
    LADDER_CHECK(match_indexes(session, added.source));
    session.add(kRaiseCatalogVersion);
    LADDER_CHECK(session.commit());
    return added;
  });
}

Status CatalogStore::set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) {
  return database_.write(owner, {}, [&](Session& session) -> Status {
    LADDER_TRY(const Rows changed, session.run_last(kSetStatus, connection, status));
    if (changed.affected() == 0) return fail(Code::kNotFound, "the connection does not exist in the store");
    session.add(kRaiseCatalogVersion);
    return session.commit();
  });
}

Status CatalogStore::set_connection_name(OwnerNo owner, ConnectionNo connection, std::string_view name) {
  return database_.write(owner, {}, [&](Session& session) -> Status {
    LADDER_TRY(const Rows changed, session.run_last(kSetName, connection, Bytes{name}));
    if (changed.affected() == 0) return fail(Code::kNotFound, "the connection does not exist in the store");
    session.add(kRaiseCatalogVersion);
    return session.commit();
  });
}

Result<std::optional<std::string>> CatalogStore::declaration(OwnerNo owner, std::string_view source_id,
                                                             std::string_view version) {
  return database_.read(owner, [&](Session& session) -> Result<std::optional<std::string>> {
    LADDER_TRY(const Rows rows, session.run_last(kDeclaration, source_id, version));
    return rows.first([](const Row& row) { return row.text(0); });
  });
}

}  // namespace ladder::store
