// Removes the words of texts that no record has any more, and merges segments of the word index: in short transactions.
#pragma once

#include "base/time/time.h"
#include "store/postgres/engine/pool.h"
#include "store/rows.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ladder::store::postgres {

// Removes some words of the texts of loose sets, inside a transaction that has locked the sets. True: there may be more.
Result<bool> drop_words(Connection& connection, const Int8Array& sets);

// Parts of the text of long values, found without the reference in a record that would tell how they are cut.
class ValueTexts {
 public:
  explicit ValueTexts(Connection& connection) : connection_(connection) {}
  Result<std::string> chars(ValueId value, std::int64_t start, std::int64_t end);

 private:
  Result<std::int64_t> chunk_chars(ValueId value);
  Result<const std::string*> chunk_of(ValueId value, std::int64_t chunk);

  Connection& connection_;
  std::map<ValueId, std::int64_t> chunk_chars_;
  std::map<std::pair<ValueId, std::int64_t>, std::string> chunks_;  // those that were read last
};

// False: the deadline came first.
Result<bool> merge_words(Pool& pool, Deadline deadline);

}  // namespace ladder::store::postgres
