#include "store/postgres/upkeep/word_sweep.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "store/long_values/long_value.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/staging.h"
#include "store/postgres/search/posting_rows.h"
#include "store/postgres/search/word_rows.h"
#include "store/postings/posting_merge.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kPassagesAtOnce = 64, kChunksAtOnce = 16;

constexpr Statement kNextText{
    "SELECT text_no FROM texts WHERE owner_no = :owner AND loose = ANY ($1::bigint[]) AND loose > 0 AND text_no > $2::bigint"
    " ORDER BY text_no LIMIT 1"};
constexpr Statement kPassages{
    "SELECT row_id, value_id, column_no, start_char, end_char FROM passages WHERE owner_no = :owner AND row_id >= $1::bigint AND "
    "row_id <= $2::bigint"
    " ORDER BY row_id LIMIT $3::bigint"};
constexpr Statement kSelectChunks{kSelectChunksSql};
constexpr Statement kOwners{"SELECT DISTINCT owner_no FROM word_segments"};
constexpr Statement kSegments{kSegmentsSql};

}  // namespace

Result<std::string> ValueTexts::chars(ValueId value, std::int64_t start, std::int64_t end) {
  LongRef ref;
  LADDER_TRY(ref.chunk_chars, chunk_chars(value));
  const ChunkSpan span = chunk_span(ref, start, end);
  std::vector<std::string> chunks;
  for (std::int64_t chunk = span.first; chunk <= span.last; ++chunk) {
    LADDER_TRY(const std::string* const text, chunk_of(value, chunk));
    chunks.push_back(*text);
  }
  return cut_chars(ref, chunks, start, end);
}

// Every chunk but the last has the same number of characters, so the first chunk gives the chunk size.
Result<std::int64_t> ValueTexts::chunk_chars(ValueId value) {
  std::int64_t& chars = chunk_chars_[value];
  if (chars != 0) return chars;
  LADDER_TRY(const std::string* const first, chunk_of(value, 0));
  chars = utf8::count(*first);
  if (chars == 0) return fail(Code::kInternal, format("the text of value {} was removed before its words", value));
  return chars;
}

Result<const std::string*> ValueTexts::chunk_of(ValueId value, std::int64_t chunk) {
  const auto known = chunks_.find({value, chunk});
  if (known != chunks_.end()) return &known->second;
  chunks_.clear();
  LADDER_TRY(const Rows rows, connection_.run_last(kSelectChunks, value, chunk, chunk + kChunksAtOnce - 1));
  std::string buffer;
  for (int row = 0; row < rows.size(); ++row) {
    chunks_[{value, rows.int8(row, 1)}] = raw_text(stored_at(rows, row, 0, 3), limits::kChunkBytes, buffer);
  }
  return &chunks_[{value, chunk}];
}

Result<bool> drop_words(Connection& connection, const Int8Array& sets) {
  std::optional<WordRows> rows;
  bool left = false;
  ValueTexts values(connection);
  for (TextNo text = 0; !left;) {
    LADDER_TRY(const Rows next, connection.run_last(kNextText, sets, text));
    if (next.empty()) break;
    text = next.int8(0, 0);
    if (!rows) rows.emplace(connection.owner());
    for (WordRowId from = first_row(text); !left;) {
      LADDER_TRY(const Rows passages, connection.run_last(kPassages, from, last_row(text), kPassagesAtOnce));
      for (int row = 0; row < passages.size(); ++row) {
        LADDER_TRY(const std::string chars, values.chars(passages.int8(row, 1), passages.int8(row, 3), passages.int8(row, 4)));
        rows->remove_row(passages.int8(row, 0), {{static_cast<int>(passages.int8(row, 2)), words_of(chars)}});
        rows->drop_passage(passages.int8(row, 0));
        from = passages.int8(row, 0) + 1;
      }
      if (passages.size() < kPassagesAtOnce) {
        rows->drop_text(text);
        break;
      }
      left = rows->bytes() >= kWordBytes;
    }
    left = left || rows->bytes() >= kWordBytes;
  }
  if (rows) LADDER_CHECK(rows->write(connection));
  return left;
}

Result<bool> merge_words(Pool& pool, Deadline deadline, std::size_t from) {
  LADDER_TRY(const Rows owners,
             pool.run_across(Crossing::kUpkeep, [](Connection& connection) { return connection.run_one(kOwners); }));
  for (int row = 0; row < owners.size(); ++row) {
    const OwnerNo owner = owners.int8(row, 0);
    for (;;) {
      LADDER_TRY(const Rows segments,
                 pool.run(owner, [&](Connection& connection) { return connection.run_one(kSegments, owner); }));
      if (!merge_due(read_segments(segments), from)) break;
      if (deadline.passed()) return false;
      Status merged = pool.run(owner, [&](Connection& connection) -> Status {
        connection.begin();
        PostingRows rows(connection, owner);
        LADDER_CHECK(rows.lock_owner());
        LADDER_TRY(const auto now, rows.segments());
        if (const auto due = merge_due(now, from)) {
          LADDER_TRY(const bool complete, merge_some(rows, *due, kMergedAtOnce));
          (void)complete;
        }
        rows.send();
        LADDER_TRY(const auto committed, connection.commit());
        return {};
      });
      LADDER_CHECK(merged);
    }
  }
  return true;
}

}  // namespace ladder::store::postgres
