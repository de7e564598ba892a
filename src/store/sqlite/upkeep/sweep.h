// Removes the words of long values from the index once no record uses them. Words are removed before the chunks that
// they are computed from.
#pragma once

#include "store/sqlite/engine/writer.h"
#include "store/sqlite/search/word_rows.h"

#include <cstdint>
#include <map>
#include <string>

namespace ladder::store::sqlite {

// Texts whose set of values is dead.
Result<bool> dead_texts_due(Connection& connection);
Status drop_dead_texts(WriteTransaction& transaction);  // as many rows as fit the transaction

// Reads ranges of the text of long values without the record's reference, which has the chunk size.
class ValueTexts {
 public:
  explicit ValueTexts(Connection& connection) : connection_(connection) {}
  Result<std::string> chars(ValueId value, std::int64_t start, std::int64_t end);

 private:
  Result<std::int64_t> chunk_chars(ValueId value);

  Connection& connection_;
  std::map<ValueId, std::int64_t> chunk_chars_;
};

}  // namespace ladder::store::sqlite
