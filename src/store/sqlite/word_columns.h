// The searched fields of a stream as writes and upkeep need them.
#pragma once

#include "store/cut_words.h"
#include "store/sqlite/connection.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

enum class ColumnState : std::int64_t { kReady = 0, kBuilding = 1, kDropping = 2 };

struct StreamWords {
  std::int64_t epoch = 0;           // tells this set of columns from any other; 0: the stream never had one
  WordColumns mask = 0;             // the columns that records are written with
  std::vector<WordColumn> columns;  // those that are dropped, too: some records may still have words there
  std::vector<WordColumn> written;  // those of `mask`

  // The texts of a body whose words are in these columns.
  std::vector<SearchedText> texts(std::string_view body, WordColumns in) const;
  Result<CutWords> cut(std::string_view body) const;  // as it is written
};

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream);

}  // namespace ladder::store::sqlite
