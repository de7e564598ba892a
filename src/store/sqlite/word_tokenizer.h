// What Ladder adds to FTS5 in every connection: the tokenizer that the index was made with, and the function through which a
// search looks at each hit.
#pragma once

#include "base/result.h"

#include <sqlite3.h>

namespace ladder::store::sqlite {

// Looks at the rows that a query on the word index finds, by ascending row id.
class HitSink {
 public:
  virtual ~HitSink() = default;
  // True: the statement shall hand over a row, so that its caller can see what was gathered.
  virtual bool hit(const Fts5ExtensionApi& api, Fts5Context* context) = 0;
};

// Registers both. `*sink` is whom the function ladder_hit shows the rows to; it is read at every hit. Null: it wants none.
Status register_words(sqlite3* db, HitSink** sink);

}  // namespace ladder::store::sqlite
