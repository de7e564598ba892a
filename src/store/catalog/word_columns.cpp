#include "store/catalog/word_columns.h"

#include "base/text/format.h"
#include "text/words.h"

#include <bit>
#include <set>
#include <string>

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

// Every stream of the source with its fields that are searched or still have a column.
constexpr Statement kFieldsOfStreams{
    "SELECT s.stream_no, s.record_count, f.field_no, f.searched, w.column_no, w.state, s.name FROM connections c"
    " JOIN streams s ON s.owner_no = c.owner_no AND s.connection_no = c.connection_no"
    " JOIN fields f ON f.owner_no = c.owner_no AND f.source_no = c.source_no AND f.stream = s.name"
    " LEFT JOIN word_columns w ON w.owner_no = s.owner_no AND w.stream_no = s.stream_no AND w.field_no = f.field_no"
    " WHERE c.owner_no = :owner AND c.source_no = $1 AND (f.searched OR w.column_no IS NOT NULL)"
    " ORDER BY s.stream_no, f.field_no"};
constexpr Statement kDropColumn{"DELETE FROM word_columns WHERE owner_no = :owner AND stream_no = $1 AND column_no = $2"};
constexpr Statement kPutColumn{
    "INSERT INTO word_columns (owner_no, stream_no, column_no, field_no, state) VALUES (:owner, $1, $2, $3, $4)"
    " ON CONFLICT (owner_no, stream_no, column_no) DO UPDATE SET state = excluded.state"};
// Restarts the walk over the records, if there are any.
constexpr Statement kRestartWalk{
    "UPDATE streams SET word_generation = nextval('word_generation'),"
    " words_upto = CASE WHEN record_count > 0 THEN $2 ELSE words_upto END WHERE owner_no = :owner AND stream_no = $1"};

struct Column {
  FieldNo field = 0;
  bool is_searched = false;
  std::optional<std::int64_t> no;
  ColumnState state = ColumnState::kReady;
};

struct StreamColumns {
  StreamNo no = 0;
  std::string name;
  bool has_records = false;
  std::vector<Column> columns;
};

std::vector<StreamColumns> read_streams(const Rows& rows) {
  std::vector<StreamColumns> streams;
  for (int i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    if (streams.empty() || streams.back().no != row.integer(0)) {
      streams.push_back({.no = row.integer(0), .name = row.text(6), .has_records = row.integer(1) > 0, .columns = {}});
    }
    streams.back().columns.push_back({.field = row.integer(2),
                                      .is_searched = row.integer(3) != 0,
                                      .no = row.maybe_integer(4),
                                      .state = static_cast<ColumnState>(row.maybe_integer(5).value_or(0))});
  }
  return streams;
}

// Adds the changes of one stream to the session.
class StreamChange {
 public:
  StreamChange(Session& session, const StreamColumns& stream) : session_(session), stream_(stream) {}

  Status add() {
    for (const Column& column : stream_.columns) {
      if (column.no) keep(column);
    }
    for (const Column& column : stream_.columns) {
      if (!column.no) LADDER_CHECK(allocate(column));
    }
    if (changed_) session_.add(kRestartWalk, stream_.no, Bytes{""});
    return {};
  }

 private:
  void keep(const Column& column) {
    taken_ |= bit(*column.no);
    if (column.is_searched != (column.state == ColumnState::kDropping)) return;
    changed_ = true;
    // A column that is wanted again before it was emptied still has the words of some records.
    if (column.is_searched) return put(column, *column.no, filled());
    if (stream_.has_records) return put(column, *column.no, ColumnState::kDropping);
    session_.add(kDropColumn, stream_.no, *column.no);
    taken_ &= ~bit(*column.no);
  }
  Status allocate(const Column& column) {
    const int free = std::countr_one(taken_);
    if (free >= text::kMaxWordColumns) {
      return fail(Code::kConflict,
                  format("the word index of the stream {} is full until fields that are no longer searched have been removed, "
                         "which `ladder serve` does: try again later",
                         stream_.name));
    }
    taken_ |= bit(free);
    changed_ = true;
    put(column, free, filled());
    return {};
  }
  void put(const Column& column, std::int64_t no, ColumnState state) {
    session_.add(kPutColumn, stream_.no, no, column.field, static_cast<std::int64_t>(state));
  }
  ColumnState filled() const { return stream_.has_records ? ColumnState::kBuilding : ColumnState::kReady; }
  static text::WordColumns bit(std::int64_t column) { return text::WordColumns{1} << column; }

  Session& session_;
  const StreamColumns& stream_;
  text::WordColumns taken_ = 0;
  bool changed_ = false;
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

Status assign_word_columns(Session& session, SourceNo source) {
  LADDER_TRY(const Rows rows, session.run_last(kFieldsOfStreams, source));
  for (const StreamColumns& stream : read_streams(rows)) LADDER_CHECK(StreamChange(session, stream).add());
  return {};
}

}  // namespace ladder::store
