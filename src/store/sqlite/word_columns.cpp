#include "store/sqlite/word_columns.h"

namespace ladder::store::sqlite {

std::vector<SearchedText> StreamWords::texts(std::string_view body, WordColumns in) const {
  if (in == 0) return {};
  if (in == mask) return searched_texts(body, written);
  std::vector<WordColumn> asked;
  for (const WordColumn& column : columns) {
    if (in >> column.column & 1) asked.push_back(column);
  }
  return searched_texts(body, asked);
}

Result<CutWords> StreamWords::cut(std::string_view body) const {
  CutWords words{epoch, texts(body, mask), {}};
  LADDER_TRY(words.passages, short_passages(words.texts));
  return words;
}

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream) {
  StreamWords words;
  {
    Statement row = connection.use(Sql::kWordsEpoch);
    LADDER_TRY(const bool found, row.integer(1, stream).step());
    if (found) words.epoch = row.integer_at(0);
  }
  if (words.epoch == 0) return words;
  Statement rows = connection.use(Sql::kColumnsOfStream);
  rows.integer(1, stream);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return words;
    words.columns.push_back({static_cast<int>(rows.integer_at(0)), rows.string_at(3)});
    if (static_cast<ColumnState>(rows.integer_at(2)) == ColumnState::kDropping) continue;
    words.mask |= WordColumns{1} << words.columns.back().column;
    words.written.push_back(words.columns.back());
  }
}

}  // namespace ladder::store::sqlite
