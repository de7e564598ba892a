// The rows of the word index for a record, and the searched fields whose words are in them. Both engines write the same
// rows.
//
//   one row    every searched text is short and at most one passage: the row has the record's number
//   several    any other record: a row for each passage of each text, under a text number of the record
#pragma once

#include "store/postings/posting_batch.h"
#include "store/rows/word_search.h"
#include "store/search/searched_text.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

using TextNo = std::int64_t;

// The last rows of a text number are reserved for the short fields of its record, so their location is known.
inline constexpr std::int64_t kShortPassages = 4096;
inline constexpr std::int64_t kLongPassages = (std::int64_t{1} << kPassageBits) - kShortPassages;

inline WordRowId short_row(TextNo text, std::int64_t passage) { return first_row(text) + kLongPassages + passage; }

// The searched fields of a stream, for writes and maintenance.
struct StreamWords {
  OwnerNo owner = 0;
  std::int64_t epoch = 0;           // identifies this set of columns; 0: the stream never had one
  text::WordColumns mask = 0;       // the columns that records are written with
  std::vector<WordColumn> columns;  // including dropped ones, which may still have words of some records
  std::vector<WordColumn> written;  // those of `mask`

  void add(int column, std::string field, bool is_dropped);
  // The texts of a body in these columns.
  std::vector<SearchedText> texts(std::string_view body, text::WordColumns in) const;
  Result<CutWords> cut(std::string_view body) const;  // as it is written
};

// The word index columns of a record's row.
struct WordState {
  text::WordColumns mask = 0;
  TextNo text = 0;  // 0: all words are in one row, under the record's own number
};

// The parts of a record that determine its words.
struct WordSource {
  RecordNo no = 0;
  std::string_view body;
  ValueId first_value = 0;  // of its long values, together with value_count
  std::int64_t value_count = 0;
};

// The owner of a text. One of the two is 0. Searches skip texts that belong to loose values.
struct TextOwner {
  RecordNo record = 0;
  ValueId loose = 0;  // the first value of the set
};

// The position for the next passage of a text.
struct TextCursor {
  TextNo first = 0;  // 0: there is no passage yet
  TextNo text = 0;   // the current number, if the passages did not fit into the first
  std::int64_t next = 0;
};

// The normalized words of a piece of text, as stored in its row.
std::string words_of(std::string_view valid_utf8);

bool fit_one_row(std::span<const ShortPassage> passages);  // no column has two passages
RowWords one_row(std::vector<ShortPassage> passages);      // of passages that fit

bool has_long(std::span<const SearchedText> texts);
// Returns whether the same words are in the same rows. Always false for long texts: their passages store the values
// they are cut from.
bool same_rows(std::span<const SearchedText> a, std::span<const SearchedText> b);

}  // namespace ladder::store
