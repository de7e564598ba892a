// Decides whether Ladder may read FTS5's pages itself. Their format is FTS5's own business and another version of SQLite may
// write another one, so a small index in memory is written by FTS5 and read by Ladder before any page of a store is. Where they
// differ, searches go through FTS5's queries, which is slower, and FTS5 alone merges and erases.
#pragma once

#include "store/sqlite/search/word_parts.h"

namespace ladder::store::sqlite {

// Says whether the SQLite library of this process writes pages that Ladder reads alike. Found out once. Any thread.
bool fts5_pages_are_known();

// The same for one part of a store, whose format version must be the known one as well.
Result<bool> pages_are_known(Connection& connection, const WordPart& part);

// For tests: as if the library wrote another format, while this lives.
class UnknownFts5Format {
 public:
  UnknownFts5Format();
  ~UnknownFts5Format();
  UnknownFts5Format(const UnknownFts5Format&) = delete;
  UnknownFts5Format& operator=(const UnknownFts5Format&) = delete;
};

}  // namespace ladder::store::sqlite
