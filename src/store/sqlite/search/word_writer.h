// The words of a record that needs more than one row: passages under text numbers, and who sees them. While a text number belongs
// to a set of loose values nobody does; from the moment it belongs to a record everybody does.
#pragma once

#include "store/long_values/value_sink.h"
#include "store/sqlite/search/word_rows.h"
#include "store/text/searched_text.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

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

Status add_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);
Status remove_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);
Status drop_short_passages(Connection& connection, TextNo text);

Status add_passage(Connection& connection, WordRowId row, ValueId value, int column, const Passage& passage);

// Keeps the word index in step with the records of one stream while a transaction writes them. What the index holds of a record
// is decided by its body and by the set of columns that its row tells.

class WordWriter {
 public:
  WordWriter(Connection& connection, StreamNo stream) : connection_(connection), stream_(stream), rows_(connection) {}

  Status load();
  WordColumns mask() const { return words_.mask; }

  // Says whether the words of values staged for that epoch are those that a record with this body needs.
  bool fits(std::int64_t staged_epoch, std::string_view body) const;
  const StreamWords& columns() const { return words_; }
  // Long values are in `values`, or staged already. Takes what was cut before, if it is of these columns. What the row has to
  // tell.
  Result<WordState> add(const WordSource& record, const BufferedValues& values, CutWords& cut);
  Status remove(const WordSource& record, const WordState& state);
  // The same for a record that goes with all others of its stream: the sweep takes the rows of the stream out of the blocks.
  Status purge(const WordSource& record, const WordState& state);
  Result<WordState> replace(const WordSource& old, const WordState& state, const WordSource& now, const BufferedValues& values);
  std::size_t bytes_removed() const { return rows_.bytes_removed(); }
  Status save();

 private:
  Result<WordState> add(const WordSource& record, std::span<const SearchedText> texts, std::vector<ShortPassage> passages,
                        const BufferedValues& values);
  Status remove(const WordSource& record, const WordState& state, std::span<const SearchedText> texts);
  Status add_buffered(TextCursor& at, TextWriter& writer, std::span<const SearchedText> texts, const BufferedValues& values);
  Status hide_texts(const WordSource& record);
  Result<TextNo> show_staged(const WordSource& record);  // 0: nothing was

  Connection& connection_;
  const StreamNo stream_;
  StreamWords words_;
  WordRows rows_;
  bool purges_ = false;  // the rows of the stream are marked for the sweep
};

}  // namespace ladder::store::sqlite
