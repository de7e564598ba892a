// Removes the words of texts that no record uses any more, and merges segments of the word index, in short transactions.
#pragma once

#include "base/time/time.h"
#include "store/postgres/engine/pool.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ladder::store::postgres {

// Removes some words of the texts of loose sets, inside a transaction that has locked the sets. True: there may be more.
Result<bool> drop_words(Connection& connection, const Int8Array& sets);

// Reads ranges of the text of long values without the record's reference, which has the chunk size.
class ValueTexts {
 public:
  explicit ValueTexts(Connection& connection) : connection_(connection) {}
  Result<std::string> chars(ValueId value, std::int64_t start, std::int64_t end);

 private:
  Result<std::int64_t> chunk_chars(ValueId value);
  Result<const std::string*> chunk_of(ValueId value, std::int64_t chunk);

  Connection& connection_;
  std::map<ValueId, std::int64_t> chunk_chars_;
  std::map<std::pair<ValueId, std::int64_t>, std::string> chunks_;  // the chunks read last
};

// False: the deadline passed.
Result<bool> merge_words(Pool& pool, Deadline deadline, std::size_t from);

}  // namespace ladder::store::postgres
