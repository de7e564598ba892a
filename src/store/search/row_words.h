// The rows of the word index that a record has, and the searched fields whose words are in them. Both engines write the same
// rows.
//
//   one row    every searched text of the record is short and one passage at most: the row of the record's own number
//   several    any other record: a row for each passage of each text, under a text number of the record
#pragma once

#include "store/postings/posting_batch.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

using TextNo = std::int64_t;

// The last rows of a text number are kept for the short fields of its record, so that they are found without looking.
inline constexpr std::int64_t kShortPassages = 4096;
inline constexpr std::int64_t kLongPassages = (std::int64_t{1} << kPassageBits) - kShortPassages;

inline WordRowId short_row(TextNo text, std::int64_t passage) { return first_row(text) + kLongPassages + passage; }

// The searched fields of a stream as writes and upkeep need them.
struct StreamWords {
  OwnerNo owner = 0;
  std::int64_t epoch = 0;           // tells this set of columns from any other; 0: the stream never had one
  WordColumns mask = 0;             // the columns that records are written with
  std::vector<WordColumn> columns;  // those that are dropped, too: some records may still have words there
  std::vector<WordColumn> written;  // those of `mask`

  void add(int column, std::string field, bool is_dropped);
  // The texts of a body whose words are in these columns.
  std::vector<SearchedText> texts(std::string_view body, WordColumns in) const;
  Result<CutWords> cut(std::string_view body) const;  // as it is written
};

// The facts about its words in a record's row.
struct WordState {
  WordColumns mask = 0;
  TextNo text = 0;  // 0: they are in one row, under the record's own number
};

// The part of a record that decides its words.
struct WordSource {
  RecordNo no = 0;
  std::string_view body;
  ValueId first_value = 0;  // of its long values, with value_count
  std::int64_t value_count = 0;
};

// The owner of a text. One of the two is 0: no search sees the texts of a set of loose values.
struct TextOwner {
  RecordNo record = 0;
  ValueId loose = 0;  // the first value of the set
};

// The place for the next passage of a text.
struct TextCursor {
  TextNo first = 0;  // 0: there is no passage yet
  TextNo text = 0;   // the newest number, when the passages did not fit the first
  std::int64_t next = 0;
};

// The words of a piece of text, as they are in its row.
std::string words_of(std::string_view valid_utf8);

bool fit_one_row(std::span<const ShortPassage> passages);  // no column has two
RowWords one_row(std::vector<ShortPassage> passages);      // of those that fit

bool has_long(std::span<const SearchedText> texts);
// Says whether the same words are in the same rows. Long texts never are: their passages tell the values they are cut from.
bool same_rows(std::span<const SearchedText> a, std::span<const SearchedText> b);

}  // namespace ladder::store
