#include "store/sqlite/upkeep/index_invariants.h"

#include "base/text/format.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/index_writer.h"
#include "store/sqlite/search/posting_rows.h"
#include "store/sqlite/upkeep/sweep.h"
#include "store/sqlite/upkeep/word_reindex.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace ladder::store::sqlite {

Status IndexCheck::none(const char* sql, std::string_view fault) {
  Statement rows = connection_.prepare(sql);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    fault_(format("{}: {}", fault, rows.bytes_at(0)));
  }
}

Status IndexCheck::start() {
  LADDER_CHECK(
      none("SELECT index_no FROM (SELECT index_no FROM indexes UNION ALL SELECT index_no FROM dead_indexes) "
           "WHERE index_no >= (SELECT value FROM meta WHERE key = 'next_index_no')",
           "an index has a number that would be allocated again"));
  std::vector<StreamNo> streams;
  {
    Statement rows = connection_.prepare("SELECT DISTINCT stream_no FROM indexes WHERE owner_no = :owner");
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      streams.push_back(rows.integer_at(0));
    }
  }
  for (const StreamNo stream : streams) {
    LADDER_TRY(indexes_[stream], load_indexes(connection_, stream));
  }
  return {};
}

Status IndexCheck::record(RecordNo no, StreamNo stream, std::string_view key, std::string_view order_key, std::string_view body) {
  const auto indexes = indexes_.find(stream);
  const std::span<const IndexSpec> specs =
      indexes == indexes_.end() ? std::span<const IndexSpec>{} : std::span<const IndexSpec>(indexes->second);
  const IndexRows rows = index_rows(specs, key, order_key, body);
  for (const IndexEntry& expected : rows.entries) LADDER_CHECK(entry(no, expected));
  for (const IndexDay& day : rows.days) ++days_[day];
  return rows.blob ? blob(no, *rows.blob) : Status{};
}

Status IndexCheck::entry(RecordNo no, const IndexEntry& entry) {
  ++entries_[entry.index];
  Statement row = connection_.use(Sql::kEntryOwner);
  LADDER_TRY(const bool found, row.integer(1, entry.index).blob(2, entry.bytes).step());
  if (!found || row.integer_at(0) != no) fault_(format("index {} has no entry for record {}", entry.index, no));
  return {};
}

Status IndexCheck::blob(RecordNo no, const Digest& digest) {
  ++blobs_;
  Statement row = connection_.use(Sql::kBlobRef);
  LADDER_TRY(const bool found, row.blob(1, crypto::view(digest)).integer(2, no).step());
  if (!found) fault_(format("the reference of record {} to a blob is missing", no));
  return {};
}

Status IndexCheck::finish() {
  LADDER_CHECK(entry_totals());
  LADDER_CHECK(days());
  return blob_totals();
}

Status IndexCheck::entry_totals() {
  LADDER_CHECK(
      none("SELECT DISTINCT index_no FROM index_entries WHERE owner_no = :owner "
           "AND index_no NOT IN (SELECT index_no FROM indexes WHERE owner_no = :owner) "
           "AND index_no NOT IN (SELECT index_no FROM dead_indexes WHERE owner_no = :owner)",
           "entries belong to an index that does not exist"));
  Statement rows = connection_.prepare(
      "SELECT i.index_no, (SELECT count(*) FROM index_entries e WHERE e.owner_no = i.owner_no AND e.index_no = i.index_no) "
      "FROM indexes i WHERE i.owner_no = :owner");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    const std::int64_t expected = entries_[rows.integer_at(0)];
    if (rows.integer_at(1) == expected) continue;
    fault_(format("index {} has {} entries, but the records require {}", rows.integer_at(0), rows.integer_at(1), expected));
  }
}

Status IndexCheck::days() {
  Statement rows = connection_.prepare(
      "SELECT index_no, day, records FROM index_days WHERE owner_no = :owner "
      "AND index_no NOT IN (SELECT index_no FROM dead_indexes WHERE owner_no = :owner)");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    const IndexDay day{rows.integer_at(0), rows.integer_at(1)};
    const auto expected = days_.find(day);
    const std::int64_t count = expected == days_.end() ? 0 : expected->second;
    if (expected != days_.end()) days_.erase(expected);
    if (count == 0 || rows.integer_at(2) != count) {
      fault_(format("index {} counts {} records for day {}, but there are {}", day.index, rows.integer_at(2), day.day, count));
    }
  }
  for (const auto& [day, count] : days_) {
    fault_(format("index {} counts no records for day {}, but there are {}", day.index, day.day, count));
  }
  return {};
}

Status IndexCheck::blob_totals() {
  LADDER_TRY(const std::int64_t stored, connection_.read_integer("SELECT count(*) FROM blob_refs WHERE owner_no = :owner"));
  if (stored != blobs_) fault_(format("the store has {} references to blobs, but the records have {}", stored, blobs_));
  return {};
}

Status WordCheck::start() {
  std::vector<StreamNo> streams;
  {
    Statement rows = connection_.prepare("SELECT stream_no, words_upto IS NOT NULL FROM streams WHERE owner_no = :owner");
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      streams.push_back(rows.integer_at(0));
      if (rows.integer_at(1) != 0) unready_.insert(streams.back());
    }
  }
  for (const StreamNo stream : streams) {
    LADDER_TRY(streams_[stream], load_stream_words(connection_, stream));
  }
  return {};
}

Status WordCheck::record(const WordSource& record, StreamNo stream, const WordState& state) {
  const StreamWords& words = streams_[stream];
  text::WordColumns known = 0;
  for (const WordColumn& column : words.columns) known |= text::WordColumns{1} << column.column;
  if ((state.mask & ~known) != 0 || (!unready_.contains(stream) && state.mask != words.mask)) {
    fault_(format("record {} has words in other columns than its stream", record.no));
    return {};
  }
  const std::vector<SearchedText> texts = words.texts(record.body, state.mask);
  LADDER_TRY(const std::vector<ShortPassage> passages, short_passages(texts));
  if (state.text == 0) {
    if (!fit_one_row(passages))
      fault_(format("the words of record {} do not fit in the one row that should have them", record.no));
    for (const ShortPassage& part : passages) index_.expect(first_row(record.no), part.column, part.passage.words);
  } else {
    LADDER_CHECK(short_rows(record, state.text, passages));
  }
  for (const SearchedText& text : texts) {
    if (text.ref) LADDER_CHECK(long_text(record, text));
  }
  return {};
}

Status WordCheck::short_rows(const WordSource& record, TextNo text, std::span<const ShortPassage> passages) {
  std::int64_t number = 0;
  for (const ShortPassage& part : passages) {
    const WordRowId id = short_row(text, number++);
    Statement row = connection_.use(Sql::kPassage);
    LADDER_TRY(const bool found, row.integer(1, id).step());
    if (!found || row.integer_at(0) != part.column || row.integer_at(1) != part.passage.start ||
        row.integer_at(2) != part.passage.end) {
      fault_(format("passage {} of the short fields of record {} is missing or different", number, record.no));
    }
    index_.expect(id, part.column, part.passage.words);
  }
  passages_ += number;
  return {};
}

Result<std::vector<WordCheck::StoredPassage>> WordCheck::passages_of(const WordSource& record, ValueId value) {
  std::vector<StoredPassage> passages;
  Statement rows = connection_.prepare(
      "SELECT p.row_id, p.start_char, p.end_char FROM texts t CROSS JOIN passages p ON p.owner_no = t.owner_no "
      "AND p.row_id BETWEEN t.text_no << 20 AND (t.text_no + 1 << 20) - 1 "
      "WHERE t.owner_no = :owner AND t.record_no = ?1 AND t.record_no <> 0 AND p.value_id = ?2 ORDER BY p.row_id");
  rows.integer(1, record.no).integer(2, value);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return passages;
    passages.push_back({rows.integer_at(0), rows.integer_at(1), rows.integer_at(2)});
  }
}

Status WordCheck::long_text(const WordSource& record, const SearchedText& text) {
  LADDER_TRY(const std::vector<StoredPassage> stored, passages_of(record, text.ref->id));
  passages_ += std::ssize(stored);
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
  ChunkReader chunks(connection_, *text.ref, 0);
  for (std::string piece;;) {
    LADDER_TRY(const bool more, chunks.next(piece));
    if (!more) break;
    LADDER_CHECK(cutter.feed(piece));
  }
  LADDER_CHECK(cutter.finish());
  if (other || next != stored.size()) {
    fault_(format("the passages of value {} of record {} are not those of its text", text.ref->id, record.no));
  }
  return {};
}

// A hidden text must still be known, or its words could never be removed.
Status WordCheck::loose_texts() {
  struct Loose {
    WordRowId row = 0;
    ValueId value = 0;
    int column = 0;
    std::int64_t start = 0, end = 0;
  };
  std::vector<Loose> passages;
  {
    Statement rows = connection_.prepare(
        "SELECT p.row_id, p.value_id, p.column_no, p.start_char, p.end_char FROM texts t CROSS JOIN passages p "
        "ON p.owner_no = t.owner_no AND p.row_id BETWEEN t.text_no << 20 AND (t.text_no + 1 << 20) - 1 "
        "WHERE t.owner_no = :owner AND t.loose <> 0");
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      passages.push_back(
          {rows.integer_at(0), rows.integer_at(1), static_cast<int>(rows.integer_at(2)), rows.integer_at(3), rows.integer_at(4)});
    }
  }
  passages_ += std::ssize(passages);
  ValueTexts values(connection_);
  for (const Loose& passage : passages) {
    if (passage.value == 0) {
      fault_(format("row {} has words of a short field of no record", passage.row));
      continue;
    }
    LADDER_TRY(const std::string chars, values.chars(passage.value, passage.start, passage.end));
    index_.expect(passage.row, passage.column, words_of(chars));
  }
  return {};
}

Status WordCheck::finish() {
  LADDER_CHECK(loose_texts());
  LADDER_TRY(const std::int64_t stored, connection_.read_integer("SELECT count(*) FROM passages WHERE owner_no = :owner"));
  if (stored != passages_) fault_(format("there are {} passages, but the texts have {}", stored, passages_));
  return compare();
}

// Returns whether the row belongs to a removed record whose words the sweep has not removed yet.
Result<bool> WordCheck::awaits_sweep(WordRowId row) {
  Statement found = connection_.prepare(
      "SELECT 1 FROM word_purges WHERE owner_no = :owner AND ?1 BETWEEN first_row AND last_row "
      "AND NOT EXISTS (SELECT 1 FROM records WHERE owner_no = :owner AND record_no = ?2) "
      "AND NOT EXISTS (SELECT 1 FROM texts WHERE owner_no = :owner AND text_no = ?2 AND record_no <> 0)");
  return found.integer(1, row).integer(2, number_of(row)).step();
}

Status WordCheck::compare() {
  PostingRows source(connection_, connection_.owner());
  LADDER_TRY(const std::vector<PostingSegment> segments, source.segments());
  for (const PostingSegment& segment : segments) LADDER_CHECK(index_.read(source, segment));
  return index_.finish([this](WordRowId row) { return awaits_sweep(row); });
}

}  // namespace ladder::store::sqlite
