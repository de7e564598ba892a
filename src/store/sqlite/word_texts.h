// The words of a record that needs more than one row: passages under text numbers, and who sees them. While a text number belongs
// to a set of loose values nobody does; from the moment it belongs to a record everybody does.
#pragma once

#include "store/cut_words.h"
#include "store/sqlite/word_rows.h"

#include <span>
#include <vector>

namespace ladder::store::sqlite {

// One of the two is 0.
struct TextOwner {
  RecordNo record = 0;
  ValueId loose = 0;  // the first value of the set
};

// Where the next passage of a text goes.
struct TextCursor {
  TextNo first = 0;  // 0: there is no passage yet
  TextNo text = 0;   // the newest number, when the passages did not fit the first
  std::int64_t next = 0;
};

// Writes passages of long values for one owner. The cursor moves as they are written: whoever goes on in another transaction
// keeps it.
class TextWriter {
 public:
  TextWriter(Connection& connection, WordRows& rows, StreamNo stream, TextOwner owner)
      : connection_(connection), rows_(rows), stream_(stream), owner_(owner) {}

  Status add(TextCursor& at, ValueId value, int column, Passage passage);
  Status begin(TextCursor& at);  // takes a number, the first or one more

 private:
  Connection& connection_;
  WordRows& rows_;
  const StreamNo stream_;
  const TextOwner owner_;
};

bool fit_one_row(std::span<const ShortPassage> passages);  // no column has two
RowWords one_row(std::vector<ShortPassage> passages);      // of those that fit

Status add_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);
Status remove_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);

Status add_passage(Connection& connection, WordRowId row, ValueId value, int column, const Passage& passage);

}  // namespace ladder::store::sqlite
