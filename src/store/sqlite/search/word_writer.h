// The words of a record that needs more than one row: passages under text numbers. A text number that belongs to a set
// of loose values is hidden; once it belongs to a record, readers see it.
#pragma once

#include "store/long_values/value_sink.h"
#include "store/search/searched_text.h"
#include "store/sqlite/search/word_rows.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

// Writes passages of long values for one owner. Each write advances the cursor; the caller keeps it to resume in
// another transaction.
class TextWriter {
 public:
  TextWriter(Connection& connection, WordRows& rows, StreamNo stream, TextOwner owner)
      : connection_(connection), rows_(rows), stream_(stream), owner_(owner) {}

  Status add(TextCursor& at, ValueId value, int column, text::Passage passage);
  Status begin(TextCursor& at);  // allocates the first or another text number

 private:
  Connection& connection_;
  WordRows& rows_;
  const StreamNo stream_;
  const TextOwner owner_;
};

Status add_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);
Status remove_short_rows(Connection& connection, WordRows& rows, TextNo text, std::vector<ShortPassage> passages);
Status drop_short_passages(Connection& connection, TextNo text);

Status add_passage(Connection& connection, WordRowId row, ValueId value, int column, const text::Passage& passage);

// Keeps the word index in step with the records of one stream during a transaction. A record's body and the column set
// in its row determine its words in the index.

class WordWriter {
 public:
  WordWriter(Connection& connection, StreamNo stream) : connection_(connection), stream_(stream), rows_(connection) {}

  Status load();
  text::WordColumns mask() const { return words_.mask; }

  // Returns whether values staged for that epoch have the words that a record with this body needs.
  bool fits(std::int64_t staged_epoch, std::string_view body) const;
  const StreamWords& columns() const { return words_; }
  // Adds a record. Its long values are in `values` or already staged. Uses `cut` if it is for the current columns.
  // Returns the word state for the record's row.
  Result<WordState> add(const WordSource& record, const BufferedValues& values, CutWords& cut);
  Status remove(const WordSource& record, const WordState& state);
  // Removes a record when its whole stream is removed. The sweep takes the stream's rows out of the blocks.
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
  Result<TextNo> show_staged(const WordSource& record);  // 0: no text was staged

  Connection& connection_;
  const StreamNo stream_;
  StreamWords words_;
  WordRows rows_;
  bool purges_ = false;  // the rows of the stream are marked for the sweep
};

}  // namespace ladder::store::sqlite
