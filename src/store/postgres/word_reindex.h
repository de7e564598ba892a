// Bringing the words of a stream's records into the columns that it has now, after those have changed. One step is one short
// transaction over the next records by key; a record with long texts takes several: its passages are staged as a new text that
// nobody can see, and one transaction puts it in the place of the old one.
#pragma once

#include "store/postgres/pool.h"
#include "store/rows.h"

#include <functional>
#include <optional>

namespace ladder::store::postgres {

struct WordsToDo {
  OwnerNo owner = 0;
  StreamNo stream = 0;
};
Result<std::optional<WordsToDo>> find_words_to_do(Connection& connection);

// `new_value` reserves a value id.
Status reindex_words(Pool& pool, const WordsToDo& at, const std::function<Result<ValueId>()>& new_value);

}  // namespace ladder::store::postgres
