// A record's part of the word index, and the rows that a batch adds and drops: collected record by record, then written with
// one statement per table and kind of change, all rows as arrays. Shared by the writer, by staging and by reindexing.
//
//   single    every searched text of the record is short and one passage at most: one row of `words`, if there are any words
//   several   any other: a row of `passages` for each passage of each text, under one text number, visible by its row in `texts`
//
// Which it is follows from the record's body and the columns alone.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postgres/search/word_columns.h"
#include "store/store.h"
#include "store/text/passages.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::postgres {

using TextNo = std::int64_t;  // a value id that was given to a text; 0: none

// A time as words.place has it: the newer, the less.
inline constexpr std::int64_t kNoPlace = std::numeric_limits<std::int64_t>::max();
inline std::int64_t word_place(const std::optional<Instant>& time) { return time ? ~*time : kNoPlace; }
inline std::optional<Instant> time_of_place(std::int64_t place) {
  return place == kNoPlace ? std::nullopt : std::optional<Instant>(~place);
}

struct PassageRow {
  std::int64_t no = 0;
  ValueId value = 0;  // 0: a short text
  int column = 0;
  std::int64_t start = 0, end = 0;
  std::string vector;  // in wire form
};
PassageRow passage_row(OwnerNo owner, int column, ValueId value, std::int64_t no, const Passage& passage, bool first);

struct RecordWords {
  bool several = false;
  std::string vector;                // of a single one; empty: no words
  std::vector<PassageRow> passages;  // of several: of its short texts and of the long ones that came with it
};
// `values` has the text of the long values; null when they have been staged with their passages.
Result<RecordWords> words_of_record(const WordLayout& layout, std::string_view body, const BufferedValues* values);
// Says whether a single record's words are the same in both bodies.
bool same_single_words(const WordLayout& layout, std::string_view body, std::string_view other);
// Says whether one of the searched texts is a long value.
bool has_long_text(const WordLayout& layout, std::string_view body);

// Rows of `passages` in wire form.
class PassageRows {
 public:
  void add(TextNo text, StreamNo stream, const PassageRow& row);
  bool empty() const { return text_.empty(); }
  std::size_t bytes() const { return vector_.bytes().size(); }
  void queue(Connection& connection) const;

 private:
  Int8Array text_, no_, stream_, value_, column_, start_, end_;
  TsVectorArray vector_;
};

class WordRows {
 public:
  explicit WordRows(StreamNo stream) : stream_(stream) {}

  void add_single(RecordNo record, std::int64_t place, std::string_view key, std::string_view vector);
  void drop_single(RecordNo record) { dropped_.add(record); }
  // The text becomes the record's; its passages may have been there before.
  void add_text(TextNo text, RecordNo record, const std::vector<PassageRow>& passages);
  // It is the record's no longer. Its passages go at once when there is no loose set to go with.
  void drop_text(TextNo text, bool passages_too);

  // Drops come first, so that a new row may take the place of an old one.
  void queue(Connection& connection) const;

 private:
  const StreamNo stream_;
  Int8Array dropped_, dropped_text_, emptied_text_;
  Int8Array record_, place_, text_, text_record_;
  ByteaArray key_;
  TsVectorArray vector_;
  PassageRows passages_;
};

}  // namespace ladder::store::postgres
