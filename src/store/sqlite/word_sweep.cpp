#include "store/sqlite/word_sweep.h"

#include "base/format.h"
#include "base/utf8.h"
#include "store/long_value.h"
#include "store/sqlite/store_impl.h"
#include "store/sqlite/word_merge.h"

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kPassagesAtOnce = 8;  // between two looks at the clock

struct StoredPassage {
  WordRowId row = 0;
  ValueId value = 0;
  int column = 0;
  std::int64_t start = 0, end = 0;
};

Result<TextNo> next_dead_text(Connection& connection) {
  Statement row = connection.use(Sql::kDeadText);
  LADDER_TRY(const bool found, row.step());
  return found ? row.integer_at(0) : 0;
}

Result<std::vector<StoredPassage>> some_passages(Connection& connection, TextNo text) {
  std::vector<StoredPassage> passages;
  Statement rows = connection.use(Sql::kPassagesBetween);
  rows.integer(1, first_row(text)).integer(2, last_row(text)).integer(3, kPassagesAtOnce);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return passages;
    passages.push_back(
        {rows.integer_at(0), rows.integer_at(1), static_cast<int>(rows.integer_at(2)), rows.integer_at(3), rows.integer_at(4)});
  }
}

// Some rows of the text, or the text itself when it has none left.
Status drop_some_of(Connection& connection, TextNo text, WordRows& rows, ValueTexts& values) {
  LADDER_TRY(const std::vector<StoredPassage> passages, some_passages(connection, text));
  if (passages.empty()) return connection.use(Sql::kDropText).integer(1, text).run();
  for (const StoredPassage& passage : passages) {
    LADDER_TRY(const std::string chars, values.chars(passage.value, passage.start, passage.end));
    LADDER_CHECK(rows.remove(text_row(passage.row), {{passage.column, words_of(chars)}}));
    LADDER_CHECK(connection.use(Sql::kDropPassage).integer(1, passage.row).run());
  }
  return rows.flush();
}

}  // namespace

Result<bool> dead_texts_due(Connection& connection) {
  LADDER_TRY(const TextNo text, next_dead_text(connection));
  return text != 0;
}

Status drop_dead_texts(WriteTransaction& transaction) {
  WordRows rows(*transaction);
  ValueTexts values(*transaction);
  while (!transaction.used_up() && rows.bytes_written() < kMostWordBytes) {
    LADDER_TRY(const TextNo text, next_dead_text(*transaction));
    if (text == 0) break;
    LADDER_CHECK(drop_some_of(*transaction, text, rows, values));
  }
  return rows.save();
}

// Every chunk but the last has the same number of chars, and the first is the last only when there is no other.
Result<std::int64_t> ValueTexts::chunk_chars(ValueId value) {
  std::int64_t& chars = chunk_chars_[value];
  if (chars != 0) return chars;
  Statement rows = connection_.use(Sql::kChunks);
  LADDER_TRY(const bool row, rows.integer(1, chunk_row(value, 0)).integer(2, chunk_row(value, 0)).step());
  if (row) chars = utf8::count(rows.bytes_at(1));
  if (chars == 0) return fail(Code::kInternal, format("the text of value {} is gone before its words", value));
  return chars;
}

Result<std::string> ValueTexts::chars(ValueId value, std::int64_t start, std::int64_t end) {
  LongRef ref;
  LADDER_TRY(ref.chunk_chars, chunk_chars(value));
  const ChunkSpan span = chunk_span(ref, start, end);
  std::vector<std::string> chunks;
  Statement rows = connection_.use(Sql::kChunks);
  rows.integer(1, chunk_row(value, span.first)).integer(2, chunk_row(value, span.last));
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    chunks.push_back(rows.string_at(1));
  }
  return cut_chars(ref, chunks, start, end);
}

Status keep_up_words(Writer& writer, const WordUpkeep& due) {
  LADDER_TRY(WriteTransaction transaction, writer.begin());
  LADDER_CHECK(due.erase ? erase_some(*transaction, due.part) : merge_some(*transaction, due.part));
  return transaction.commit_bulk();
}

}  // namespace ladder::store::sqlite
