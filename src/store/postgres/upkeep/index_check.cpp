#include "store/postgres/upkeep/index_check.h"

#include "base/text/format.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/records/record_rows.h"

#include <array>
#include <optional>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRowsAtOnce = 10'000;

constexpr Statement kAllIndexes{"SELECT " LADDER_PG_INDEX_SPEC_COLUMNS
                                ", i.stream_no FROM indexes i JOIN fields f ON f.field_no = i.field_no"};
constexpr Statement kMissingEntries{R"(
  SELECT w.record_no, w.index_no
  FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS w(index_no, entry, record_no)
  WHERE NOT EXISTS (SELECT FROM index_entries e WHERE e.index_no = w.index_no AND e.entry = w.entry AND e.record_no = w.record_no))"};
constexpr Statement kMissingBlobRefs{R"(
  SELECT w.record_no FROM unnest($1::bytea[], $2::bigint[]) AS w(digest, record_no)
  WHERE NOT EXISTS (SELECT FROM blob_refs b WHERE b.digest = w.digest AND b.record_no = w.record_no))"};
constexpr Statement kCountRows{
    "SELECT (SELECT count(*) FROM index_entries WHERE index_no NOT IN (SELECT index_no FROM dead_indexes)),"
    " (SELECT count(*) FROM blob_refs)"};
constexpr Statement kDaysAfter{R"(
  SELECT d.index_no, d.day, d.records FROM index_days d
  WHERE (d.index_no, d.day) > ($1::bigint, $2::bigint) AND d.index_no NOT IN (SELECT index_no FROM dead_indexes)
  ORDER BY d.index_no, d.day LIMIT $3::bigint)"};

}  // namespace

Status IndexCheck::load() {
  LADDER_TRY(const Rows rows, connection_.run_one(kAllIndexes));
  for (int row = 0; row < rows.size(); ++row) indexes_[rows.int8(row, 4)].push_back(read_index_spec(rows, row));
  return {};
}

void IndexCheck::expect(RecordNo record, StreamNo stream, std::string_view key, std::string_view order_key,
                        std::string_view body) {
  const IndexRows rows = index_rows(indexes_[stream], key, order_key, body);
  for (const IndexEntry& entry : rows.entries) {
    expected_.index.add(entry.index);
    expected_.entry.add(entry.bytes);
    expected_.entry_record.add(record);
    ++entries_;
  }
  for (const IndexDay& day : rows.days) ++days_[day];
  if (!rows.blob) return;
  expected_.blob.add(crypto::view(*rows.blob));
  expected_.blob_record.add(record);
  ++blobs_;
}

Status IndexCheck::look() {
  const Expected expected = std::exchange(expected_, {});
  connection_.add(kMissingEntries, expected.index, expected.entry, expected.entry_record);
  connection_.add(kMissingBlobRefs, expected.blob, expected.blob_record);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows &entries = answers[0], &blobs = answers[1];
  for (int row = 0; row < entries.size(); ++row) {
    fault_(format("record {} is not where its value belongs in index {}", entries.int8(row, 0), entries.int8(row, 1)));
  }
  for (int row = 0; row < blobs.size(); ++row)
    fault_(format("the blob that record {} names does not know it", blobs.int8(row, 0)));
  return {};
}

Status IndexCheck::finish() {
  LADDER_CHECK(check_totals());
  return check_days();
}

// Every expected row was found, so equal totals mean that there is no other.
Status IndexCheck::check_totals() {
  connection_.add(kCountRows);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows& found = answers[0];
  if (found.int8(0, 0) != entries_) {
    fault_(format("the indexes have {} entries, the records make {}", found.int8(0, 0), entries_));
  }
  if (found.int8(0, 1) != blobs_) {
    fault_(format("the store has {} references to blobs, the records make {}", found.int8(0, 1), blobs_));
  }
  return {};
}

Status IndexCheck::check_days() {
  for (IndexDay after{.index = 0, .day = 0};;) {
    LADDER_TRY(const Rows rows, connection_.run_one(kDaysAfter, after.index, after.day, kRowsAtOnce));
    if (rows.empty()) break;
    for (int row = 0; row < rows.size(); ++row) {
      after = {.index = rows.int8(row, 0), .day = rows.int8(row, 1)};
      const auto at = days_.extract(after);
      const std::int64_t wanted = at.empty() ? 0 : at.mapped();
      if (rows.int8(row, 2) != wanted || wanted == 0) {
        fault_(format("index {} counts {} records on day {}, not {}", after.index, rows.int8(row, 2), after.day, wanted));
      }
    }
  }
  for (const auto& [at, wanted] : days_) {
    fault_(format("index {} counts no records on day {}, not {}", at.index, at.day, wanted));
  }
  return {};
}

namespace {

constexpr std::int64_t kPassagesAtOnce = 64;
constexpr std::int64_t kChunksAtOnce = 64;

// Queries that must give no row; the first column of a row names what is wrong.
struct Rule {
  Statement query;
  const char* fault;
};
#define LADDER_PG_MASKS \
  "(SELECT stream_no, sum(1::bigint << column_no::int)::bigint AS mask FROM word_columns GROUP BY stream_no)"
constexpr std::array kRules = {
    Rule{{"SELECT w.record_no FROM words w LEFT JOIN records r ON r.record_no = w.record_no"
          " WHERE r.record_no IS NULL OR r.stream_no <> w.stream_no OR r.key <> w.key OR r.text_no <> 0 OR r.word_mask = 0"
          "   OR w.place <> coalesce(~r.consent_time, 9223372036854775807)"},
         "a row of words is not that of its record"},
    Rule{{"SELECT coalesce(t.text_no, r.text_no) FROM texts t FULL JOIN (SELECT record_no, text_no FROM records WHERE text_no <> "
          "0) r"
          " ON r.text_no = t.text_no WHERE t.record_no IS DISTINCT FROM r.record_no"},
         "a text and its record do not know each other"},
    Rule{{"SELECT DISTINCT p.text_no FROM passages p WHERE NOT EXISTS (SELECT FROM texts t WHERE t.text_no = p.text_no)"
          " AND NOT EXISTS (SELECT FROM loose_values l WHERE l.text_no = p.text_no)"},
         "nobody owns the passages of text"},
    Rule{{"SELECT t.text_no FROM texts t JOIN loose_values l ON l.text_no = t.text_no"},
         "a text belongs to a record and to a loose set"},
    Rule{{"SELECT p.text_no FROM passages p JOIN texts t ON t.text_no = p.text_no JOIN records r ON r.record_no = t.record_no"
          " JOIN streams s ON s.stream_no = r.stream_no WHERE p.stream_no <> r.stream_no OR NOT s.has_texts"},
         "a passage is not where its stream is searched: text"},
    Rule{{"SELECT text_no FROM (SELECT text_no FROM texts UNION ALL SELECT text_no FROM passages) t"
          " WHERE text_no >= (SELECT next FROM counters WHERE name = 'value_id')"},
         "the number of a text would be handed out again"},
    Rule{{"SELECT stream_no FROM (SELECT s.stream_no, f.field_no FROM streams s JOIN connections c ON c.connection_no = "
          "s.connection_no"
          "   JOIN fields f ON f.source_no = c.source_no AND f.stream = s.name AND f.searched) asked"
          " FULL JOIN (SELECT stream_no, field_no, column_no FROM word_columns WHERE state <> 2) w USING (stream_no, field_no)"
          " WHERE w.column_no IS NULL OR asked.field_no IS NULL"},
         "the word columns of a stream are not those its source asks for"},
    Rule{{"SELECT w.stream_no FROM word_columns w JOIN streams s ON s.stream_no = w.stream_no"
          " WHERE w.state <> 0 AND s.words_upto IS NULL"},
         "a word column waits for nobody in stream"},
    Rule{{"SELECT r.record_no FROM records r JOIN streams s ON s.stream_no = r.stream_no LEFT JOIN " LADDER_PG_MASKS
          " m ON m.stream_no = r.stream_no WHERE r.word_mask & ~coalesce(m.mask, 0) <> 0"
          "   OR (s.words_upto IS NULL AND r.word_mask <> coalesce(m.mask, 0))"},
         "the words of a record are in other columns than those of its stream"},
};

constexpr Statement kLayouts{R"(
  SELECT w.stream_no, c.owner_no, w.column_no, f.name
  FROM word_columns w JOIN streams s ON s.stream_no = w.stream_no JOIN connections c ON c.connection_no = s.connection_no
       JOIN fields f ON f.field_no = w.field_no)"};
constexpr Statement kVectors{
    "SELECT w.record_no, t.tsv FROM unnest($1::bigint[]) AS w(record_no) JOIN words t ON t.record_no = w.record_no"};
constexpr Statement kCountWords{"SELECT count(*) FROM words"};
constexpr Statement kCountPassages{"SELECT count(*) FROM passages WHERE text_no = $1::bigint"};
#define LADDER_PG_PASSAGE "passage_no, value_id, column_no, start_char, end_char, tsv"
constexpr Statement kShortPassages{"SELECT " LADDER_PG_PASSAGE
                                   " FROM passages WHERE text_no = $1::bigint AND passage_no < 0 ORDER BY passage_no DESC"};
constexpr Statement kPassagesOfValue{
    "SELECT " LADDER_PG_PASSAGE
    " FROM passages WHERE text_no = $1::bigint AND passage_no > $3::bigint AND value_id = $2::bigint"
    " ORDER BY passage_no LIMIT $4::bigint"};
constexpr Statement kSelectChunks{kSelectChunksSql};

bool is_row(const Rows& rows, int row, const PassageRow& wanted) {
  return rows.int8(row, 1) == wanted.value && rows.int8(row, 2) == wanted.column && rows.int8(row, 3) == wanted.start &&
         rows.int8(row, 4) == wanted.end && rows.bytes(row, 5) == wanted.vector;
}

// The rows of a long value one after the other.
class RowsOfValue {
 public:
  RowsOfValue(Connection& connection, TextNo text, ValueId value) : connection_(connection), text_(text), value_(value) {}

  // Says whether the next one is this.
  Result<bool> next_is(const PassageRow& wanted) {
    if (!rows_ || at_ == rows_->size()) {
      LADDER_TRY(Rows rows, connection_.run_one(kPassagesOfValue, text_, value_, last_, kPassagesAtOnce));
      at_ = 0;
      rows_.emplace(std::move(rows));
      if (rows_->empty()) return false;
    }
    last_ = rows_->int8(at_, 0);
    return is_row(*rows_, at_++, wanted);
  }

 private:
  Connection& connection_;
  const TextNo text_;
  const ValueId value_;
  std::int64_t last_ = -1;
  std::optional<Rows> rows_;
  int at_ = 0;
};

WordLayout within(const WordLayout& layout, WordColumns mask) {
  WordLayout counted = layout;
  std::erase_if(counted.columns, [&](const WordColumn& column) { return (mask >> column.column & 1) == 0; });
  return counted;
}

}  // namespace

Status WordCheck::rules() {
  for (const Rule& rule : kRules) {
    connection_.add(rule.query);
    LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
    for (int row = 0; row < answers[0].size(); ++row) fault_(format("{}: {}", rule.fault, answers[0].int8(row, 0)));
  }
  return {};
}

Status WordCheck::load() {
  LADDER_TRY(const Rows rows, connection_.run_one(kLayouts));
  for (int row = 0; row < rows.size(); ++row) {
    WordLayout& layout = layouts_[rows.int8(row, 0)];
    layout.owner = rows.int8(row, 1);
    layout.columns.push_back({.column = static_cast<int>(rows.int8(row, 2)), .field = rows.text(row, 3)});
  }
  return {};
}

Status WordCheck::expect(RecordNo record, StreamNo stream, TextNo text, WordColumns mask, std::string_view body) {
  if (mask == 0) return {};
  WordLayout layout = within(layouts_[stream], mask);
  LADDER_TRY(RecordWords words, words_of_record(layout, body, nullptr));
  if (words.several != (text != 0)) {
    fault_(format("record {} should {} rows of words", record, words.several ? "have several" : "not have several"));
  } else if (words.several) {
    several_.push_back({record, text, std::move(layout), std::string(body)});
  } else if (!words.vector.empty()) {
    singles_.push_back({record, std::move(words.vector)});
    ++rows_;
  }
  return {};
}

Status WordCheck::look() {
  Int8Array records;
  for (const Single& single : singles_) records.add(single.record);
  connection_.add(kVectors, records);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  std::unordered_map<RecordNo, std::string_view> found;
  for (int row = 0; row < answers[0].size(); ++row) found[answers[0].int8(row, 0)] = answers[0].bytes(row, 1);
  for (const Single& single : singles_) {
    const auto at = found.find(single.record);
    if (at == found.end() || at->second != single.vector) {
      fault_(format("the words of record {} are not those of its texts", single.record));
    }
  }
  for (const Several& several : several_) LADDER_CHECK(look_at(several));
  singles_.clear();
  several_.clear();
  return {};
}

Status WordCheck::look_at(const Several& several) {
  LADDER_TRY(const RecordWords words, words_of_record(several.layout, several.body, nullptr));
  LADDER_TRY(const Rows rows, connection_.run_one(kShortPassages, several.text));
  bool same = rows.size() == static_cast<int>(words.passages.size());
  for (int row = 0; same && row < rows.size(); ++row) {
    const PassageRow& wanted = words.passages[static_cast<std::size_t>(row)];
    same = rows.int8(row, 0) == wanted.no && is_row(rows, row, wanted);
  }
  if (!same) fault_(format("the passages of the short texts of record {} are not as they should be", several.record));
  std::int64_t total = std::ssize(words.passages);
  for (const SearchedText& text : searched_texts(several.body, several.layout.columns)) {
    if (!text.ref) continue;
    LADDER_TRY(const std::int64_t more, compare_long(several, text));
    total += more;
  }
  LADDER_TRY(const Rows count, connection_.run_one(kCountPassages, several.text));
  if (count.int8(0, 0) != total) {
    fault_(format("record {} has {} passages, not {}", several.record, count.int8(0, 0), total));
  }
  return {};
}

Result<std::int64_t> WordCheck::compare_long(const Several& several, const SearchedText& text) {
  RowsOfValue rows(connection_, several.text, text.ref->id);
  std::int64_t count = 0;
  bool same = true;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    const PassageRow wanted = passage_row(several.layout.owner, text.column, text.ref->id, 0, passage, count++ == 0);
    LADDER_TRY(const bool is, rows.next_is(wanted));
    same = same && is;
    return {};
  });
  std::string buffer;
  for (std::int64_t chunk = 0;; chunk += kChunksAtOnce) {
    LADDER_TRY(const Rows chunks, connection_.run_one(kSelectChunks, text.ref->text_id, chunk, chunk + kChunksAtOnce - 1));
    for (int row = 0; row < chunks.size(); ++row) {
      LADDER_CHECK(cutter.feed(raw_text(stored_at(chunks, row, 0, 3), limits::kChunkBytes, buffer)));
    }
    if (chunks.size() < kChunksAtOnce) break;
  }
  LADDER_CHECK(cutter.finish());
  if (!same) fault_(format("the passages of value {} of record {} are not as they should be", text.ref->id, several.record));
  return count;
}

// Every expected row was found, so equal totals mean that there is no other.
Status WordCheck::finish() {
  connection_.add(kCountWords);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  if (answers[0].int8(0, 0) != rows_) {
    fault_(format("the word index has {} rows of single records, the records make {}", answers[0].int8(0, 0), rows_));
  }
  return {};
}

}  // namespace ladder::store::postgres
