// Cutting the long texts of a record into passages anew, for other columns: staged as those of a text that nobody can see, in
// short transactions, and then put in the place of the old one. What a deadline interrupts is gone on with by the next call, or
// by another program, from the last passage that was written.
#pragma once

#include "base/time/time.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/search/lexemes.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::store::postgres {

// A record as it stands in the word index.
#define LADDER_PG_WORDED \
  "record_no, key, consent_time, version, first_value, value_count, text_no, word_mask, stored_body, raw_size"
struct WordedRecord {
  RecordNo no = 0;
  std::string key;
  std::optional<Instant> consent_time;
  std::int64_t version = 0;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  TextNo text = 0;
  WordColumns mask = 0;
  std::string body;

  WordedRecord(const Rows& rows, int row);
};
// That the records have these texts and columns now.
void queue_text_numbers(Connection& connection, const Int8Array& records, const Int8Array& texts, WordColumns mask);

class TextCopy {
 public:
  TextCopy(Pool& pool, NewWords& new_words, StreamNo stream, const WordLayout& layout, const WordedRecord& record)
      : pool_(pool), new_words_(new_words), stream_(stream), layout_(layout), record_(record) {}

  Result<bool> begin(TextNo text);  // false: the columns have changed
  enum class Resumed : std::uint8_t { kYes, kBusy, kGone };
  Result<Resumed> resume(TextNo text);
  // Until it is done, or the deadline has passed and something was written.
  Status go_on(Deadline deadline);

 private:
  // The beginning of the copy's last passage.
  struct Reached {
    ValueId value = 0;
    std::int64_t start = 0;
  };

  // False: the deadline has passed.
  Result<bool> copy(const SearchedText& text, std::int64_t from, Deadline deadline);
  Status flush();
  Status leave();
  Status put_in_place(Connection& connection);
  bool is_unchanged(const Rows& records) const;
  Status replace(Connection& connection);

  Pool& pool_;
  NewWords& new_words_;
  const StreamNo stream_;
  const WordLayout& layout_;
  const WordedRecord& record_;
  TextNo text_ = 0;
  std::optional<Reached> reached_;
  PassageRows passages_;
  std::int64_t next_passage_ = 0;
  bool lost_ = false;  // it took too long, and was swept
};

}  // namespace ladder::store::postgres
