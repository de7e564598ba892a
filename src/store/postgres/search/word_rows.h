// The rows of the word index that a transaction adds and drops for records. They are collected record by record and
// written with one statement per table and kind of change, with all rows as arrays. Used by the writer, by staging and
// by reindexing.
#pragma once

#include "store/long_values/value_sink.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/numbers.h"
#include "store/postings/posting_batch.h"
#include "store/postings/posting_store.h"
#include "store/search/row_words.h"
#include "text/passages.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ladder::store::postgres {

// Rows of `texts` and `passages`, and the words of index rows, all of one owner.
class WordRows {
 public:
  explicit WordRows(OwnerNo owner) : owner_(owner) {}

  void add_text(TextNo text, TextOwner of);
  void add_long(WordRowId row, ValueId value, int column, text::Passage&& passage);
  void add_short(TextNo text, std::vector<ShortPassage> passages);
  void remove_short(TextNo text, std::vector<ShortPassage> passages);
  void drop_passage(WordRowId row) { dropped_passage_.add(row); }
  void drop_text(TextNo text) { dropped_text_.add(text); }
  void add_row(WordRowId row, RowWords words) { batch_.add(row, std::move(words)); }
  void remove_row(WordRowId row, RowWords words) { batch_.remove(row, std::move(words)); }
  void show(ValueId loose, RecordNo record);  // attaches its texts to the record
  void hide(RecordNo record, ValueId loose);  // the reverse
  void drop_texts_of(RecordNo record) { dropped_record_.add(record); }
  void share_texts_of(ValueId loose) { shared_loose_.add(loose); }  // it has several

  std::size_t bytes() const { return batch_.bytes(); }
  bool empty() const;

  // Sends the rows and the postings, and merges segments if enough was written. It takes the last lock of the
  // transaction. `segment` is a number allocated before, or 0. `seen` has the segments as first read by the
  // transaction, if it read them.
  Status write(Connection& connection, SegmentNo segment = 0, std::optional<std::span<const PostingSegment>> seen = {});

 private:
  struct Text {
    TextNo no = 0;
    TextOwner of;
    bool shared = false;
  };

  void add_passage(WordRowId row, ValueId value, int column, const text::Passage& passage);
  void queue(Connection& connection) const;

  OwnerNo owner_;
  PostingBatch batch_;
  std::vector<Text> texts_;
  Int8Array row_, value_, column_, start_, end_, dropped_passage_;
  Int8Array dropped_text_, dropped_record_, hidden_record_, hidden_loose_, shown_loose_, shown_record_, shared_loose_;
};

// Writes the passages of long values under text numbers. Each write advances the cursor, so that another transaction can resume.
class TextWriter {
 public:
  using TakeNumber = std::function<Result<TextNo>()>;
  TextWriter(WordRows& rows, TextOwner owner, TakeNumber take) : rows_(rows), owner_(owner), take_(std::move(take)) {}

  Status add(TextCursor& at, ValueId value, int column, text::Passage&& passage);
  Status begin(TextCursor& at);  // allocates the first or another text number

 private:
  WordRows& rows_;
  const TextOwner owner_;
  const TakeNumber take_;
};

// The first text of a set of loose values.
struct StagedText {
  ValueId set = 0;
  TextNo text = 0;  // 0: there is none
};

// Collects the words of records, according to their bodies and the columns.
class WordWriter {
 public:
  WordWriter(WordRows& rows, const StreamWords& words, TextNumbers& numbers) : rows_(rows), words_(words), numbers_(numbers) {}

  // `values` has the long values; null: they have been staged.
  Result<WordState> add(const WordSource& record, const BufferedValues* values, StagedText staged);
  Status remove(const WordSource& record, const WordState& state);
  // Removes the words. Words of long values that the record keeps move to a set without values.
  Status retire(const WordSource& record, const WordState& state, ValueId set);
  Result<WordState> replace(const WordSource& old, const WordState& state, const WordSource& now, const BufferedValues* values,
                            StagedText staged);

 private:
  Result<WordState> add(const WordSource& record, std::span<const SearchedText> texts, const BufferedValues* values,
                        StagedText staged);
  Status remove(const WordSource& record, const WordState& state, std::span<const SearchedText> texts, ValueId loose);

  WordRows& rows_;
  const StreamWords& words_;
  TextNumbers& numbers_;
};

}  // namespace ladder::store::postgres
