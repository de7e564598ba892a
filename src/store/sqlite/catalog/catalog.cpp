// Owners, sources, connections, streams and fields. Their indexes and word columns are in index_catalog.cpp.
#include "store/sqlite/catalog/catalog.h"

#include "base/text/format.h"
#include "store/index/field_versions.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/search/word_rows.h"

namespace ladder::store::sqlite {
namespace {

OwnerRow owner_of(const Statement& row) {
  return {
      .no = row.integer_at(0), .name = row.string_at(1), .created_at = row.integer_at(2), .catalog_version = row.integer_at(3)};
}

SourceRow source_of(const Statement& row) {
  return {.no = row.integer_at(0),
          .key = row.string_at(1),
          .source_id = row.string_at(2),
          .version = row.string_at(3),
          .declaration = row.string_at(5),
          .added_at = row.integer_at(4)};
}

ConnectionRow connection_of(const Statement& row) {
  return {.no = row.integer_at(0),
          .source = row.integer_at(1),
          .connection_id = row.string_at(2),
          .display_name = row.string_at(3),
          .status = row.string_at(4),
          .created_at = row.integer_at(5)};
}

StreamRow stream_of(const Statement& row) {
  return {.no = row.integer_at(0), .connection = row.integer_at(1), .name = row.string_at(2)};
}

FieldRow field_of(const Statement& row) {
  return {.no = row.integer_at(0), .source = row.integer_at(1), .stream = row.string_at(2), .name = row.string_at(3)};
}

IndexRow index_of(const Statement& row) {
  return {.no = row.integer_at(0),
          .stream = row.integer_at(1),
          .field = row.integer_at(2),
          .kind = static_cast<IndexKind>(row.integer_at(3)),
          .ready = row.integer_at(4) != 0};
}

WordColumnRow word_column_of(const Statement& row) {
  return {.stream = row.integer_at(0),
          .field = row.integer_at(1),
          .column = static_cast<int>(row.integer_at(2)),
          .ready = static_cast<ColumnState>(row.integer_at(3)) == ColumnState::kReady};
}

// Reads every row of a statement whose parameters are bound.
template <class Row>
Status collect_into(std::vector<Row>& rows, Statement& statement, Row (*make)(const Statement&)) {
  for (;;) {
    LADDER_TRY(const bool row, statement.step());
    if (!row) return {};
    rows.push_back(make(statement));
  }
}

Result<std::optional<OwnerRow>> owner_by_name(Connection& connection, std::string_view name) {
  Statement statement = connection.use(Sql::kOwnerByName);
  statement.text(1, name);
  LADDER_TRY(const bool row, statement.step());
  if (!row) return std::nullopt;
  return owner_of(statement);
}

Result<bool> owner_exists(Connection& connection, OwnerNo owner) {
  Statement statement = connection.use(Sql::kOwnerByNo);
  return statement.integer(1, owner).step();
}

std::unexpected<Error> no_such_owner() { return fail(Code::kNotFound, "the owner does not exist in the store"); }

// Returns the source's number, or 0 for a new one. kConflict: key and source_id belong to different sources.
Result<SourceNo> find_source(Connection& connection, OwnerNo owner, const SourceRow& source) {
  Statement by_key = connection.use(Sql::kSourceByKey);
  LADDER_TRY(const bool key_taken, by_key.integer(1, owner).text(2, source.key).step());
  if (key_taken) {
    if (by_key.bytes_at(1) == source.source_id) return by_key.integer_at(0);
    return fail(Code::kConflict,
                format("the key {} belongs to the source {}: choose another with --key", source.key, by_key.bytes_at(1)));
  }
  Statement by_id = connection.use(Sql::kSourceById);
  LADDER_TRY(const bool id_taken, by_id.integer(1, owner).text(2, source.source_id).step());
  if (id_taken) {
    return fail(Code::kConflict,
                format("the source {} already exists under the key {}: use that key", source.source_id, by_id.bytes_at(1)));
  }
  return SourceNo{0};
}

// Stores the declaration under its version and returns true if it is new. kConflict: that version has a different text.
Result<bool> remember_declaration(Connection& connection, SourceNo no, const SourceRow& source) {
  {
    Statement known = connection.use(Sql::kDeclaration);
    LADDER_TRY(const bool row, known.integer(1, no).text(2, source.version).step());
    if (row) {
      if (known.bytes_at(0) == source.declaration) return false;
      return fail(Code::kConflict,
                  format("version {} of the source {} was declared before with another text: a changed declaration "
                         "needs a new declaration_version",
                         source.version, source.source_id));
    }
  }
  LADDER_CHECK(connection.use(Sql::kAddDeclaration).integer(1, no).text(2, source.version).blob(3, source.declaration).run());
  return true;
}

Result<SourceRow> read_source(Connection& connection, SourceNo no) {
  Statement statement = connection.use(Sql::kSourceByNo);
  LADDER_TRY(const bool row, statement.integer(1, no).step());
  if (!row) return fail(Code::kInternal, "a source is missing from the store");
  return source_of(statement);
}

// Adds the source or makes the declaration current. Returns true if that changed anything.
Result<bool> store_declaration(Connection& connection, OwnerNo owner, SourceNo& no, const SourceRow& source) {
  if (no == 0) {
    LADDER_TRY(no, take_numbers(connection, "next_source_no", 1));
    LADDER_CHECK(connection.use(Sql::kAddSource)
                     .integer(1, owner)
                     .text(2, source.key)
                     .text(3, source.source_id)
                     .text(4, source.version)
                     .integer(5, source.added_at)
                     .blob(6, source.declaration)
                     .integer(7, no)
                     .run());
    LADDER_CHECK(remember_declaration(connection, no, source));
    return true;
  }
  LADDER_CHECK(remember_declaration(connection, no, source));
  LADDER_TRY(const SourceRow current, read_source(connection, no));
  if (current.version == source.version) return false;
  LADDER_CHECK(connection.use(Sql::kSetDeclaration).integer(1, no).text(2, source.version).blob(3, source.declaration).run());
  return true;
}

// Returns the number of rows that the last statement added, 0 or 1. A row that was added has the counter's next number.
Result<std::int64_t> count_added(Connection& connection, std::string_view counter) {
  const std::int64_t added = connection.rows_changed();
  if (added > 0) LADDER_CHECK(take_numbers(connection, counter, added));
  return added;
}

Result<std::int64_t> add_stream(Connection& connection, ConnectionNo to, std::string_view name) {
  LADDER_CHECK(connection.use(Sql::kAddStream).integer(1, to).text(2, name).run());
  return count_added(connection, "next_stream_no");
}

// Adds the fields, and the streams to every connection of the source. Returns the number of rows added.
Result<std::int64_t> add_streams_and_fields(Connection& connection, SourceNo source,
                                            std::span<const Store::StreamFields> streams) {
  std::int64_t added = 0;
  std::vector<ConnectionNo> connections;
  {
    Statement rows = connection.use(Sql::kConnectionsOfSource);
    rows.integer(1, source);
    LADDER_CHECK(collect_into<ConnectionNo>(connections, rows, [](const Statement& row) { return row.integer_at(0); }));
  }
  for (const Store::StreamFields& stream : streams) {
    for (const std::string& field : stream.fields) {
      LADDER_CHECK(connection.use(Sql::kAddField).integer(1, source).text(2, stream.stream).text(3, field).run());
      LADDER_TRY(const std::int64_t fields, count_added(connection, "next_field_no"));
      added += fields;
    }
    for (const ConnectionNo to : connections) {
      LADDER_TRY(const std::int64_t rows, add_stream(connection, to, stream.stream));
      added += rows;
    }
  }
  return added;
}

Status touch_catalog(Connection& connection, OwnerNo owner) { return connection.use(Sql::kTouchCatalog).integer(1, owner).run(); }

}  // namespace

Result<OwnerRow> SqliteStore::add_owner(std::string_view name, Instant now) {
  LADDER_TRY(std::optional<OwnerRow> known, find_owner(name));
  if (known) return *std::move(known);
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_TRY(known, owner_by_name(*transaction, name));
  if (known) return *std::move(known);
  LADDER_CHECK(transaction->use(Sql::kAddOwner).text(1, name).integer(2, now).run());
  LADDER_TRY(known, owner_by_name(*transaction, name));
  LADDER_CHECK(transaction.commit());
  return *std::move(known);
}

Result<std::optional<OwnerRow>> SqliteStore::find_owner(std::string_view name) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  return owner_by_name(*reader, name);
}

Result<std::vector<OwnerRow>> SqliteStore::owners() {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  std::vector<OwnerRow> rows;
  Statement statement = reader->use(Sql::kOwners);
  LADDER_CHECK(collect_into(rows, statement, owner_of));
  return rows;
}

Result<Catalog> SqliteStore::catalog(OwnerNo owner) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  ReadTransaction transaction(*reader);
  LADDER_CHECK(transaction.begin());
  Catalog catalog;
  {
    Statement statement = reader->use(Sql::kOwnerByNo);
    LADDER_TRY(const bool row, statement.integer(1, owner).step());
    if (!row) return no_such_owner();
    catalog.owner = owner_of(statement);
  }
  const auto all = [&](Sql id, auto& rows, auto make) -> Status {
    Statement statement = reader->use(id);
    statement.integer(1, owner);
    return collect_into(rows, statement, make);
  };
  LADDER_CHECK(all(Sql::kSources, catalog.sources, source_of));
  LADDER_CHECK(all(Sql::kConnections, catalog.connections, connection_of));
  LADDER_CHECK(all(Sql::kStreams, catalog.streams, stream_of));
  LADDER_CHECK(all(Sql::kFields, catalog.fields, field_of));
  LADDER_CHECK(all(Sql::kIndexes, catalog.indexes, index_of));
  LADDER_CHECK(all(Sql::kWordColumns, catalog.word_columns, word_column_of));
  return catalog;
}

Result<SourceRow> SqliteStore::put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner);
  Connection& connection = *transaction;
  LADDER_TRY(const bool known_owner, owner_exists(connection, owner));
  if (!known_owner) return no_such_owner();
  LADDER_TRY(SourceNo no, find_source(connection, owner, source));
  LADDER_TRY(const bool changed, store_declaration(connection, owner, no, source));
  LADDER_TRY(const std::int64_t added, add_streams_and_fields(connection, no, streams));
  LADDER_CHECK(set_index_kinds(connection, no, streams));
  LADDER_TRY(const bool reindexed, match_indexes(connection, no));
  LADDER_CHECK(set_searched(connection, no, streams));
  LADDER_TRY(const bool other_words, match_word_columns(connection, no));
  LADDER_TRY(SourceRow stored, read_source(connection, no));
  if (changed || added > 0 || reindexed || other_words) LADDER_CHECK(touch_catalog(connection, owner));
  LADDER_CHECK(transaction.commit());
  return stored;
}

Result<ConnectionRow> SqliteStore::add_connection(OwnerNo owner, const ConnectionRow& connection,
                                                  std::span<const std::string> streams) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner);
  {
    Statement source = transaction->prepare("SELECT 1 FROM sources WHERE owner_no = ?2 AND source_no = ?1");
    LADDER_TRY(const bool known, source.integer(1, connection.source).integer(2, owner).step());
    if (!known) return fail(Code::kNotFound, "the owner has no such source: add it with `ladder source add`");
  }
  {
    Statement same = transaction->use(Sql::kConnectionById);
    LADDER_TRY(const bool taken, same.integer(1, owner).text(2, connection.connection_id).step());
    if (taken)
      return fail(Code::kConflict, format("the connection {} already exists: choose another --id", connection.connection_id));
  }
  ConnectionRow added = connection;
  LADDER_TRY(added.no, take_numbers(*transaction, "next_connection_no", 1));
  LADDER_CHECK(transaction->use(Sql::kAddConnection)
                   .integer(1, owner)
                   .integer(2, connection.source)
                   .text(3, connection.connection_id)
                   .text(4, connection.display_name)
                   .text(5, connection.status)
                   .integer(6, connection.created_at)
                   .integer(7, added.no)
                   .run());
  for (const std::string& stream : streams) LADDER_CHECK(add_stream(*transaction, added.no, stream));
  LADDER_CHECK(match_indexes(*transaction, connection.source));
  LADDER_CHECK(match_word_columns(*transaction, connection.source));
  LADDER_CHECK(touch_catalog(*transaction, owner));
  LADDER_CHECK(transaction.commit());
  return added;
}

Result<std::optional<std::string>> SqliteStore::declaration(OwnerNo owner, std::string_view source_id, std::string_view version) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement row = reader->prepare(
      "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no "
      "WHERE s.owner_no = ?1 AND s.source_id = ?2 AND d.version = ?3");
  LADDER_TRY(const bool found, row.integer(1, owner).text(2, source_id).text(3, version).step());
  if (!found) return std::nullopt;
  return row.string_at(0);
}

}  // namespace ladder::store::sqlite
