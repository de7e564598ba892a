// Bringing the words of records into columns that came after them, and out of columns that are searched no longer: by key, a few
// milliseconds at a time. Writers write all columns of today whatever the key, so what a record lacks its own row tells.
#pragma once

#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/writer.h"
#include "store/sqlite/search/word_writer.h"

#include <optional>
#include <string>

namespace ladder::store::sqlite {

// A record whose words are not those of its stream's columns.
struct StaleRecord {
  std::string key;
  RecordNo no = 0;
  WordState state;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  std::string body;

  WordSource source() const { return {no, body, first_value, value_count}; }
};

Result<bool> words_unready(Connection& connection);
// One step.
Status reindex_words(Writer& writer, ReaderPool& readers, Deadline deadline);

// --- what a step is made of; word_reindex.cpp has the records whose texts take more than one transaction ---

// Takes what the index has of the record out of it. Words of long values stay until the sweep, where nobody sees them.
Status retire_words(Connection& connection, WordRows& rows, const StreamWords& words, const StaleRecord& record);

// Reads the text of long values in pieces.
class ChunkReader {
 public:
  ChunkReader(Connection& connection, const LongRef& ref, std::int64_t from);  // chars
  Result<bool> next(std::string& piece);                                       // false: the end

 private:
  Connection& connection_;
  const LongRef& ref_;
  std::int64_t chunk_;
  std::int64_t skip_;  // chars of the first one
};

// False: the deadline came first; the next call goes on.
Result<bool> reindex_long(Writer& writer, ReaderPool& readers, StreamNo stream, const StaleRecord& record, Deadline deadline);

}  // namespace ladder::store::sqlite
