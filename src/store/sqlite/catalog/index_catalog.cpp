#include "store/sqlite/catalog/catalog.h"

#include "base/text/format.h"
#include "store/sqlite/engine/numbers.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/search/word_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

using WantedKinds = std::map<std::pair<std::string, std::string>, IndexKind>;  // by stream and field

WantedKinds wanted_kinds(std::span<const Store::StreamFields> streams) {
  WantedKinds kinds;
  for (const Store::StreamFields& stream : streams) {
    for (const Store::IndexedField& field : stream.indexed) kinds[{stream.stream, field.name}] = field.kind;
  }
  return kinds;
}

struct Missing {
  StreamNo stream = 0;
  FieldNo field = 0;
  std::int64_t kind = 0;
  bool ready = false;
};

Result<std::vector<IndexNo>> unwanted_indexes(Connection& connection, SourceNo source) {
  std::vector<IndexNo> unwanted;
  Statement rows = connection.use(Sql::kUnwantedIndexes);
  rows.integer(1, source);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return unwanted;
    unwanted.push_back(rows.integer_at(0));
  }
}

Result<std::vector<Missing>> missing_indexes(Connection& connection, SourceNo source) {
  std::vector<Missing> missing;
  Statement rows = connection.use(Sql::kMissingIndexes);
  rows.integer(1, source);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return missing;
    missing.push_back({rows.integer_at(0), rows.integer_at(1), rows.integer_at(2), rows.integer_at(3) == 0});
  }
}

}  // namespace

Status set_index_kinds(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams) {
  const WantedKinds wanted = wanted_kinds(streams);
  std::vector<std::pair<FieldNo, std::int64_t>> changed;
  {
    Statement rows = connection.use(Sql::kIndexKinds);
    rows.integer(1, source);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const auto kind = wanted.find({rows.string_at(1), rows.string_at(2)});
      const std::int64_t number = kind == wanted.end() ? 0 : static_cast<std::int64_t>(kind->second);
      if (rows.integer_at(3) != number) changed.emplace_back(rows.integer_at(0), number);
    }
  }
  for (const auto& [field, kind] : changed) {
    LADDER_CHECK(connection.use(Sql::kSetIndexKind).integer(1, field).integer(2, kind).run());
  }
  return {};
}

Result<bool> match_indexes(Connection& connection, SourceNo source) {
  LADDER_TRY(const std::vector<IndexNo> unwanted, unwanted_indexes(connection, source));
  for (const IndexNo index : unwanted) {
    LADDER_CHECK(connection.use(Sql::kDropIndex).integer(1, index).run());
    LADDER_CHECK(connection.use(Sql::kAddDeadIndex).integer(1, index).run());
  }
  LADDER_TRY(const std::vector<Missing> missing, missing_indexes(connection, source));
  for (const Missing& index : missing) {
    LADDER_TRY(const IndexNo no, take_numbers(connection, "next_index_no", 1));
    LADDER_CHECK(connection.use(Sql::kAddIndex)
                     .integer(1, no)
                     .integer(2, index.stream)
                     .integer(3, index.field)
                     .integer(4, index.kind)
                     .integer(5, index.ready ? 1 : 0)
                     .run());
  }
  return !unwanted.empty() || !missing.empty();
}

namespace {

struct Stream {
  StreamNo no = 0;
  std::string name;
  bool has_records = false;
};

struct Column {
  int no = 0;
  FieldNo field = 0;
  ColumnState state = ColumnState::kReady;
};

using Wanted = std::set<std::pair<std::string, std::string>>;  // stream and field

Result<Wanted> wanted_fields(std::span<const Store::StreamFields> streams) {
  Wanted wanted;
  for (const Store::StreamFields& stream : streams) {
    std::size_t count = 0;
    for (const std::string& field : stream.searched) count += wanted.emplace(stream.stream, field).second ? 1 : 0;
    if (count <= text::kMaxWordColumns) continue;
    return fail(Code::kConnectorInvalid, format("the stream {} declares {} searched fields, more than {}: declare fewer",
                                                stream.stream, count, text::kMaxWordColumns));
  }
  return wanted;
}

Result<std::vector<Stream>> streams_of(Connection& connection, SourceNo source) {
  std::vector<Stream> streams;
  Statement rows = connection.use(Sql::kStreamsOfSource);
  rows.integer(1, source);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return streams;
    streams.push_back({rows.integer_at(0), rows.string_at(1), rows.integer_at(2) > 0});
  }
}

Result<std::vector<FieldNo>> searched_of(Connection& connection, SourceNo source, const Stream& stream) {
  std::vector<FieldNo> fields;
  Statement rows = connection.use(Sql::kSearchedOfStream);
  rows.integer(1, source).text(2, stream.name);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return fields;
    fields.push_back(rows.integer_at(0));
  }
}

Result<std::vector<Column>> index_columns(Connection& connection, const Stream& stream) {
  std::vector<Column> columns;
  Statement rows = connection.use(Sql::kColumnsOfStream);
  rows.integer(1, stream.no);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return columns;
    columns.push_back({static_cast<int>(rows.integer_at(0)), rows.integer_at(1), static_cast<ColumnState>(rows.integer_at(2))});
  }
}

Status set_state(Connection& connection, const Stream& stream, int column, ColumnState state) {
  return connection.use(Sql::kSetColumn)
      .integer(1, stream.no)
      .integer(2, column)
      .integer(3, static_cast<std::int64_t>(state))
      .run();
}

// Drops a column immediately if the stream has no records.
Status drop(Connection& connection, const Stream& stream, int column) {
  if (stream.has_records) return set_state(connection, stream, column, ColumnState::kDropping);
  return connection.use(Sql::kDropColumn).integer(1, stream.no).integer(2, column).run();
}

Status add(Connection& connection, const Stream& stream, FieldNo field, std::vector<Column>& columns) {
  const ColumnState state = stream.has_records ? ColumnState::kBuilding : ColumnState::kReady;
  int free = 0;
  while (std::ranges::find(columns, free, &Column::no) != columns.end()) ++free;
  if (free >= text::kMaxWordColumns) {
    return fail(Code::kConflict, format("the word index of the stream {} is full until fields that are no longer searched "
                                        "have been removed, which is in progress: add the source again later",
                                        stream.name));
  }
  columns.push_back({free, field, state});
  return connection.use(Sql::kAddColumn)
      .integer(1, stream.no)
      .integer(2, free)
      .integer(3, field)
      .integer(4, static_cast<std::int64_t>(state))
      .run();
}

// Returns true if anything changed.
Result<bool> match_stream(Connection& connection, SourceNo source, const Stream& stream) {
  LADDER_TRY(std::vector<FieldNo> missing, searched_of(connection, source, stream));
  LADDER_TRY(std::vector<Column> columns, index_columns(connection, stream));
  bool changed = false;
  for (const Column& column : columns) {
    const bool wanted = std::erase(missing, column.field) > 0;
    if (wanted == (column.state != ColumnState::kDropping)) continue;
    // A column that is wanted again before it was removed already has the words of some records, so it is reused.
    LADDER_CHECK(wanted ? set_state(connection, stream, column.no, ColumnState::kBuilding) : drop(connection, stream, column.no));
    changed = true;
  }
  if (!stream.has_records && changed) {
    LADDER_TRY(columns, index_columns(connection, stream));
  }
  for (const FieldNo field : missing) {
    LADDER_CHECK(add(connection, stream, field, columns));
    changed = true;
  }
  if (!changed) return false;
  LADDER_TRY(const std::int64_t epoch, take_numbers(connection, "next_epoch", 1));
  LADDER_CHECK(
      connection.use(Sql::kSetStreamWords).integer(1, stream.no).integer(2, epoch).integer(3, stream.has_records ? 1 : 0).run());
  return true;
}

}  // namespace

Status set_searched(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams) {
  LADDER_TRY(const Wanted wanted, wanted_fields(streams));
  std::vector<std::pair<FieldNo, bool>> changed;
  {
    Statement rows = connection.use(Sql::kSearchedFields);
    rows.integer(1, source);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const bool now = wanted.contains({rows.string_at(1), rows.string_at(2)});
      if ((rows.integer_at(3) != 0) != now) changed.emplace_back(rows.integer_at(0), now);
    }
  }
  for (const auto& [field, searched] : changed) {
    LADDER_CHECK(connection.use(Sql::kSetSearched).integer(1, field).integer(2, searched ? 1 : 0).run());
  }
  return {};
}

Result<bool> match_word_columns(Connection& connection, SourceNo source) {
  LADDER_TRY(const std::vector<Stream> streams, streams_of(connection, source));
  bool changed = false;
  for (const Stream& stream : streams) {
    LADDER_TRY(const bool touched, match_stream(connection, source, stream));
    changed |= touched;
  }
  return changed;
}

}  // namespace ladder::store::sqlite
