#include "store/postgres/search/word_columns.h"

#include "base/text/format.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

namespace ladder::store::postgres {
namespace {

// Every stream of the source with its fields that are searched or still have a column.
constexpr Statement kFieldsOfStreams{R"(
  SELECT s.stream_no, s.record_count, f.field_no, f.searched, w.column_no, w.state, f.name, s.name
  FROM connections c
  JOIN streams s ON s.owner_no = c.owner_no AND s.connection_no = c.connection_no
  JOIN fields f ON f.owner_no = c.owner_no AND f.source_no = c.source_no AND f.stream = s.name
  LEFT JOIN word_columns w ON w.owner_no = s.owner_no AND w.stream_no = s.stream_no AND w.field_no = f.field_no
  WHERE c.owner_no = :owner AND c.source_no = $1::bigint AND (f.searched OR w.column_no IS NOT NULL)
  ORDER BY s.stream_no, f.field_no)"};
constexpr Statement kDropColumns{
    "DELETE FROM word_columns w USING (SELECT unnest($1::bigint[]) AS stream_no, unnest($2::bigint[]) AS column_no) AS d"
    " WHERE w.owner_no = :owner AND w.stream_no = d.stream_no AND w.column_no = d.column_no"};
constexpr Statement kPutColumns{
    "INSERT INTO word_columns (owner_no, stream_no, column_no, field_no, state)"
    " SELECT :owner, unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[])"
    " ON CONFLICT (owner_no, stream_no, column_no) DO UPDATE SET state = excluded.state"};
// Restarts the walk over the records, unless every column is ready.
constexpr Statement kRestartWalk{R"(
  UPDATE streams s SET word_generation = word_generation + 1,
    words_upto = CASE WHEN EXISTS (SELECT FROM word_columns w WHERE w.owner_no = s.owner_no AND w.stream_no = s.stream_no AND w.state <> 0) THEN ''::bytea
                 ELSE words_upto END
  WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[]))"};

struct Column {
  FieldNo field = 0;
  bool searched = false;
  std::optional<std::int64_t> column, state;
};

struct StreamColumns {
  StreamNo no = 0;
  std::string name;
  bool has_records = false;
  std::vector<Column> fields;
};

std::vector<StreamColumns> read_streams(const Rows& rows) {
  std::vector<StreamColumns> streams;
  for (int row = 0; row < rows.size(); ++row) {
    const StreamNo no = rows.int8(row, 0);
    if (streams.empty() || streams.back().no != no) {
      streams.push_back({.no = no, .name = rows.text(row, 7), .has_records = rows.int8(row, 1) > 0, .fields = {}});
    }
    streams.back().fields.push_back({.field = rows.int8(row, 2),
                                     .searched = rows.boolean(row, 3),
                                     .column = rows.maybe_int8(row, 4),
                                     .state = rows.maybe_int8(row, 5)});
  }
  return streams;
}

// The changes to all streams.
class ColumnChanges {
 public:
  Status add_stream(const StreamColumns& stream) {
    text::WordColumns taken = 0;
    bool other = false;
    for (const Column& field : stream.fields) {
      if (!field.column) continue;
      taken |= text::WordColumns{1} << *field.column;
      const bool dropping = *field.state == kColumnDropping;
      if (field.searched != dropping) continue;
      other = true;
      if (!field.searched && !stream.has_records) {
        dropped_stream_.add(stream.no);
        dropped_column_.add(*field.column);
        taken &= ~(text::WordColumns{1} << *field.column);
      } else {
        // A column that is wanted again before it was emptied still has the words of some records.
        const std::int64_t filled = stream.has_records ? kColumnBuilding : kColumnReady;
        put(stream.no, *field.column, field.field, field.searched ? filled : kColumnDropping);
      }
    }
    for (const Column& field : stream.fields) {
      if (field.column || !field.searched) continue;
      const int column = std::countr_one(taken);
      if (column == text::kMaxWordColumns) return no_column_left(stream.name);
      taken |= text::WordColumns{1} << column;
      put(stream.no, column, field.field, stream.has_records ? kColumnBuilding : kColumnReady);
      other = true;
    }
    if (other) streams_.add(stream.no);
    return {};
  }

  bool queue(Connection& connection) const {
    if (!dropped_stream_.empty()) connection.add(kDropColumns, dropped_stream_, dropped_column_);
    if (!put_stream_.empty()) connection.add(kPutColumns, put_stream_, put_column_, put_field_, put_state_);
    if (!streams_.empty()) connection.add(kRestartWalk, streams_);
    return !streams_.empty();
  }

 private:
  void put(StreamNo stream, std::int64_t column, FieldNo field, std::int64_t state) {
    put_stream_.add(stream);
    put_column_.add(column);
    put_field_.add(field);
    put_state_.add(state);
  }

  static std::unexpected<Error> no_column_left(const std::string& stream) {
    return fail(
        Code::kConflict,
        format("the word index of the stream {} is full until fields that are no longer searched have been removed, which "
               "`ladder serve` does: try again later",
               stream));
  }

  Int8Array dropped_stream_, dropped_column_, put_stream_, put_column_, put_field_, put_state_, streams_;
};

}  // namespace

Status check_searched(std::span<const Store::StreamFields> streams) {
  for (const Store::StreamFields& stream : streams) {
    const std::set<std::string> searched(stream.searched.begin(), stream.searched.end());
    if (std::ssize(searched) <= text::kMaxWordColumns) continue;
    return fail(Code::kConnectorInvalid, format("the stream {} declares {} searched fields, more than {}: declare fewer",
                                                stream.stream, searched.size(), text::kMaxWordColumns));
  }
  return {};
}

Result<bool> assign_columns(Connection& connection, SourceNo source) {
  connection.add(kFieldsOfStreams, source);
  LADDER_TRY(const auto answers, connection.run());
  ColumnChanges changes;
  for (const StreamColumns& stream : read_streams(answers.back())) LADDER_CHECK(changes.add_stream(stream));
  return changes.queue(connection);
}

StreamWords read_stream_words(OwnerNo owner, std::int64_t generation, const Rows& columns) {
  StreamWords words;
  words.owner = owner;
  words.epoch = generation;
  for (int row = 0; row < columns.size(); ++row) {
    words.add(static_cast<int>(columns.int8(row, 0)), columns.text(row, 1), columns.int8(row, 2) == kColumnDropping);
  }
  return words;
}

Status check_words_version(std::string_view version) {
  if (version == std::to_string(text::kWordsVersion)) return {};
  return fail(Code::kStoreUnavailable,
              format("the word index of the store was built by another version of Ladder (version {}, this one builds {}): run "
                     "`ladder init`, which rebuilds it; reads still work",
                     version.empty() ? "0" : version, text::kWordsVersion));
}

}  // namespace ladder::store::postgres
