// Cuts the long texts of a record into passages again, for new columns. They are staged as hidden texts in short
// transactions and then replace the old ones. After a deadline, the next call or another program resumes after the last
// written passage.
#pragma once

#include "base/time/time.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::store::postgres {

// A record's state in the word index.
#define LADDER_PG_WORD_INDEX_COLUMNS \
  "record_no, key, version, first_value, value_count, text_no, word_mask, stored_body, raw_size"
struct WordIndexRecord {
  RecordNo no = 0;
  std::string key;
  std::int64_t version = 0;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  TextNo text = 0;
  text::WordColumns mask = 0;
  std::string body;

  WordIndexRecord(const Rows& rows, int row);
  WordSource source() const { return {no, body, first_value, value_count}; }
  WordState state() const { return {mask, text}; }
};
// Stores the records' current texts and columns.
void queue_text_numbers(Connection& connection, const Int8Array& records, const Int8Array& texts, text::WordColumns mask);

class TextCopy {
 public:
  TextCopy(Pool& pool, StreamNo stream, const StreamWords& words, const WordIndexRecord& record)
      : pool_(pool), stream_(stream), words_(words), record_(record), rows_(words.owner) {}

  Result<bool> begin(ValueId set);  // false: the columns or the record have changed
  enum class ResumeResult : std::uint8_t { kYes, kBusy, kGone };
  Result<ResumeResult> resume(ValueId set);
  // Runs until it is done, or until the deadline has passed and something was written.
  Status run(Deadline deadline);

 private:
  // The start of the copy's last passage.
  struct Reached {
    ValueId value = 0;
    std::int64_t start = 0;
  };

  // False: the deadline has passed.
  Result<bool> copy(const SearchedText& text, std::int64_t from, Deadline deadline);
  Status flush();
  Status release_lease();
  Status attach(Connection& connection);
  bool is_unchanged(const Rows& records) const;
  Status replace(Connection& connection, UnusedNumbers numbers);

  Pool& pool_;
  const StreamNo stream_;
  const StreamWords& words_;
  const WordIndexRecord& record_;
  ValueId set_ = 0;  // the staged set that its texts belong to
  TextCursor cursor_;
  std::optional<Reached> reached_;
  WordRows rows_;
  bool lost_ = false;  // the lease expired and the set was swept
};

}  // namespace ladder::store::postgres
