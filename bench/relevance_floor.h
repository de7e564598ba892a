// The floor of the relevance benchmark: the same documents in SQLite's FTS5, words joined by OR, ranked by its bm25.
#pragma once

#include "bare.h"
#include "relevance_collection.h"

namespace ladder::bench {

class RelevanceFloor {
 public:
  RelevanceFloor(const std::string& tokenizer, const std::vector<JudgedDocument>& documents);

  std::vector<std::string> ask(const std::vector<std::string>& words);  // returns the ids of the ten best
  std::int64_t documents_with(const std::string& word);

 private:
  BareSqlite db_;
  sqlite3_stmt* best_;
  sqlite3_stmt* count_;
};

}  // namespace ladder::bench
