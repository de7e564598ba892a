#include "store/postgres/upkeep/word_check.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "store/catalog/word_columns.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/search/posting_rows.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/upkeep/word_sweep.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kChunksAtOnce = 64;

constexpr Statement kWrongMasks{
    "SELECT r.record_no FROM records r JOIN streams s ON s.owner_no = r.owner_no AND s.stream_no = r.stream_no"
    " LEFT JOIN (SELECT stream_no, sum(1::bigint << column_no::int)::bigint AS mask FROM word_columns WHERE owner_no = :owner"
    " GROUP BY stream_no) m ON m.stream_no = r.stream_no WHERE r.owner_no = :owner AND (r.word_mask & ~coalesce(m.mask, 0) <> 0"
    " OR (s.words_upto IS NULL AND r.word_mask <> coalesce(m.mask, 0)))"};
constexpr Statement kColumns{R"(
  SELECT w.stream_no, w.column_no, f.name, w.state FROM word_columns w
  JOIN fields f ON f.owner_no = w.owner_no AND f.field_no = w.field_no WHERE w.owner_no = :owner)"};
constexpr Statement kPassagesOfRecords{R"(
  SELECT t.record_no, p.row_id, p.value_id, p.column_no, p.start_char, p.end_char
  FROM unnest($1::bigint[]) AS w(record_no), texts t, passages p
  WHERE t.owner_no = :owner AND t.record_no = w.record_no AND t.record_no > 0 AND p.owner_no = :owner AND p.row_id >= t.text_no << 20 AND p.row_id < (t.text_no + 1) << 20
  ORDER BY p.row_id)"};
constexpr Statement kLoosePassages{R"(
  SELECT 0::bigint, p.row_id, p.value_id, p.column_no, p.start_char, p.end_char FROM texts t, passages p
  WHERE t.owner_no = :owner AND t.loose > 0 AND p.owner_no = :owner AND p.row_id >= t.text_no << 20 AND p.row_id < (t.text_no + 1) << 20 ORDER BY p.row_id)"};
constexpr Statement kCountPassages{"SELECT count(*) FROM passages WHERE owner_no = :owner"};
constexpr Statement kSelectChunks{kSelectChunksSql};
constexpr Statement kSegments{kSegmentsSql};

}  // namespace

Status WordCheck::rules() {
  connection_.add(kWrongMasks);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  for (int row = 0; row < answers[0].size(); ++row) {
    fault_(format("the words of a record are in other columns than those of its stream: {}", answers[0].int8(row, 0)));
  }
  return {};
}

Status WordCheck::load() {
  LADDER_TRY(const Rows rows, connection_.run_one(kColumns));
  for (int row = 0; row < rows.size(); ++row) {
    streams_[rows.int8(row, 0)].add(static_cast<int>(rows.int8(row, 1)), rows.text(row, 2),
                                    static_cast<ColumnState>(rows.int8(row, 3)) == ColumnState::kDropping);
  }
  return {};
}

Status WordCheck::expect(const WordSource& record, StreamNo stream, const WordState& state) {
  std::vector<SearchedText> texts = streams_[stream].texts(record.body, state.mask);
  if (state.text != 0) {
    pending_.push_back({record.no, state.text, std::move(texts)});
    return {};
  }
  LADDER_TRY(const std::vector<ShortPassage> passages, short_passages(texts));
  if (!fit_one_row(passages)) fault_(format("the words of record {} do not fit in the one row that should have them", record.no));
  for (const ShortPassage& part : passages) index_.expect(first_row(record.no), part.column, part.passage.words);
  return {};
}

Status WordCheck::look_up() {
  if (pending_.empty()) return {};
  Int8Array records;
  for (const PendingRecord& pending : pending_) records.add(pending.record);
  connection_.add(kPassagesOfRecords, records);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows& rows = answers[0];
  std::map<RecordNo, std::vector<StoredPassage>> stored;
  for (int row = 0; row < rows.size(); ++row) {
    stored[rows.int8(row, 0)].push_back(
        {rows.int8(row, 1), rows.int8(row, 2), static_cast<int>(rows.int8(row, 3)), rows.int8(row, 4), rows.int8(row, 5)});
  }
  for (const PendingRecord& pending : pending_) {
    const std::vector<StoredPassage>& passages = stored[pending.record];
    passages_ += std::ssize(passages);
    LADDER_CHECK(check_pending(pending, passages));
  }
  pending_.clear();
  return {};
}

Status WordCheck::check_pending(const PendingRecord& pending, std::span<const StoredPassage> stored) {
  LADDER_TRY(const std::vector<ShortPassage> passages, short_passages(pending.texts));
  std::int64_t expected = std::ssize(passages), number = 0;
  for (const ShortPassage& part : passages) {
    const WordRowId id = short_row(pending.text, number++);
    const auto found = std::ranges::find(stored, id, &StoredPassage::row);
    if (found == stored.end() || found->column != part.column || found->start != part.passage.start ||
        found->end != part.passage.end) {
      fault_(format("passage {} of the short fields of record {} is missing or different", number, pending.record));
    }
    index_.expect(id, part.column, part.passage.words);
  }
  for (const SearchedText& text : pending.texts) {
    if (!text.ref) continue;
    std::vector<StoredPassage> of_value;
    std::ranges::copy_if(stored, std::back_inserter(of_value),
                         [&](const StoredPassage& passage) { return passage.value == text.ref->id; });
    expected += std::ssize(of_value);
    LADDER_CHECK(compare_long(pending, text, of_value));
  }
  if (expected != std::ssize(stored)) {
    fault_(format("record {} has {} passages, not {}", pending.record, stored.size(), expected));
  }
  return {};
}

Status WordCheck::compare_long(const PendingRecord& pending, const SearchedText& text, std::span<const StoredPassage> stored) {
  std::size_t next = 0;
  bool other = false;
  text::PassageCutter cutter([&](text::Passage&& passage) -> Status {
    if (next == stored.size() || stored[next].start != passage.start || stored[next].end != passage.end) {
      other = true;
      return {};
    }
    index_.expect(stored[next++].row, text.column, passage.words);
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
  if (other || next != stored.size()) {
    fault_(format("the passages of value {} of record {} are not those of its text", text.ref->id, pending.record));
  }
  return {};
}

// A hidden text must still be known, or its words could never be removed.
Status WordCheck::loose_texts() {
  connection_.add(kLoosePassages);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows& rows = answers[0];
  passages_ += rows.size();
  ValueTexts values(connection_);
  for (int row = 0; row < rows.size(); ++row) {
    if (rows.int8(row, 2) == 0) {
      fault_(format("row {} has words of a short field of no record", rows.int8(row, 1)));
      continue;
    }
    LADDER_TRY(const std::string chars, values.chars(rows.int8(row, 2), rows.int8(row, 4), rows.int8(row, 5)));
    index_.expect(rows.int8(row, 1), static_cast<int>(rows.int8(row, 3)), words_of(chars));
  }
  return {};
}

Status WordCheck::finish() {
  LADDER_CHECK(loose_texts());
  connection_.add(kCountPassages);
  connection_.add(kSegments, connection_.owner());
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  if (answers[0].int8(0, 0) != passages_) {
    fault_(format("there are {} passages, but the texts have {}", answers[0].int8(0, 0), passages_));
  }
  PostingRows source(connection_, connection_.owner());
  for (const PostingSegment& segment : read_segments(answers[1])) LADDER_CHECK(index_.read(source, segment));
  LADDER_CHECK(index_.finish());
  return {};
}

}  // namespace ladder::store::postgres
