// Keeps the word index in step with the records of one stream while a transaction writes them. What the index holds of a record
// is decided by its body and by the set of columns that its row tells.
#pragma once

#include "store/sqlite/word_columns.h"
#include "store/sqlite/word_texts.h"
#include "store/value_sink.h"

#include <cstdint>
#include <string_view>

namespace ladder::store::sqlite {

// What of a record decides its words.
struct WordSource {
  RecordNo no = 0;
  std::string_view body;
  ValueId first_value = 0;  // of its long values, with value_count
  std::int64_t value_count = 0;
};

// What a record's row tells about its words.
struct WordState {
  WordColumns mask = 0;
  TextNo text = 0;  // 0: they are in one row, under the record's own number
};

class WordWriter {
 public:
  WordWriter(Connection& connection, StreamNo stream) : connection_(connection), stream_(stream), rows_(connection) {}

  Status load();
  WordColumns mask() const { return words_.mask; }

  // Whether the words of values staged for that epoch are those that a record with this body needs.
  bool fits(std::int64_t staged_epoch, std::string_view body) const;
  const StreamWords& columns() const { return words_; }
  // Long values are in `values`, or staged already. Takes what was cut before, if it is of these columns. What the row has to
  // tell.
  Result<WordState> add(const WordSource& record, const BufferedValues& values, CutWords& cut);
  Status remove(const WordSource& record, const WordState& state);
  Result<WordState> replace(const WordSource& old, const WordState& state, const WordSource& now, const BufferedValues& values);
  Status flush() { return rows_.flush(); }  // what was gathered so far
  Status save();

 private:
  Result<WordState> add(const WordSource& record, std::span<const SearchedText> texts, std::vector<ShortPassage> passages,
                        const BufferedValues& values);
  Status remove(const WordSource& record, const WordState& state, std::span<const SearchedText> texts);
  Status add_buffered(TextCursor& at, TextWriter& writer, std::span<const SearchedText> texts, const BufferedValues& values);
  Result<TextNo> show_staged(const WordSource& record);  // 0: nothing was

  Connection& connection_;
  const StreamNo stream_;
  StreamWords words_;
  WordRows rows_;
};

}  // namespace ladder::store::sqlite
