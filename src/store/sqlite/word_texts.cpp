#include "store/sqlite/word_texts.h"

#include "store/sqlite/numbers.h"

#include <algorithm>

namespace ladder::store::sqlite {

Status add_passage(Connection& connection, WordRowId row, ValueId value, int column, const Passage& passage) {
  return connection.use(Sql::kAddPassage)
      .integer(1, row)
      .integer(2, value)
      .integer(3, column)
      .integer(4, passage.start)
      .integer(5, passage.end)
      .run();
}

Status TextWriter::begin(TextCursor& at) {
  const bool further = at.first != 0;
  LADDER_TRY(at.text, take_text(connection_, stream_));
  at.next = 0;
  if (!further) at.first = at.text;
  LADDER_CHECK(connection_.use(Sql::kAddText)
                   .integer(1, at.text)
                   .integer(2, owner_.record)
                   .integer(3, owner_.loose)
                   .integer(4, further ? 1 : 0)
                   .run());
  if (!further) return {};
  if (owner_.record != 0) return connection_.use(Sql::kShareTextsOfRecord).integer(1, owner_.record).run();
  return connection_.use(Sql::kShareTextsOfLoose).integer(1, owner_.loose).run();
}

Status TextWriter::add(TextCursor& at, ValueId value, int column, Passage passage) {
  if (at.first == 0 || at.next == kLongPassages) LADDER_CHECK(begin(at));
  const WordRowId row = first_row(at.text) + at.next++;
  LADDER_CHECK(add_passage(connection_, row, value, column, passage));
  return rows_.add(text_row(row), {{column, std::move(passage.words)}});
}

bool fit_one_row(std::span<const ShortPassage> passages) {
  return std::ranges::adjacent_find(passages, {}, &ShortPassage::column) == passages.end();
}

RowWords one_row(std::vector<ShortPassage> passages) {
  RowWords words;
  words.reserve(passages.size());
  for (ShortPassage& part : passages) words.push_back({part.column, std::move(part.passage.words)});
  return words;
}

Status add_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages) {
  if (std::ssize(passages) > kShortPassages) return fail(Code::kInternal, "a record has too many passages in its short fields");
  std::int64_t number = 0;
  for (ShortPassage& part : passages) {
    const WordRowId row = short_row(text, number++);
    LADDER_CHECK(add_passage(connection, row, 0, part.column, part.passage));
    LADDER_CHECK(rows.add(text_row(row), {{part.column, std::move(part.passage.words)}}));
  }
  return {};
}

Status remove_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages) {
  std::int64_t number = 0;
  for (ShortPassage& part : passages) {
    const WordRowId row = short_row(text, number++);
    LADDER_CHECK(connection.use(Sql::kDropPassage).integer(1, row).run());
    LADDER_CHECK(rows.remove(text_row(row), {{part.column, std::move(part.passage.words)}}));
  }
  return {};
}

}  // namespace ladder::store::sqlite
