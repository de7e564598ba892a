// Adds the words of records to new columns and removes them from columns that are no longer searched: in key order, a
// few milliseconds at a time. Writers always write all current columns, so each record's row shows what it lacks.
#pragma once

#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/writer.h"
#include "store/sqlite/search/word_writer.h"

#include <optional>
#include <string>

namespace ladder::store::sqlite {

// A record whose words do not match its stream's columns.
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
// Runs one step.
Status reindex_words(Writer& writer, ReaderPool& readers, Deadline deadline);

// The parts of a step. reindex_long handles records whose texts take more than one transaction.

// Removes the record's words from the index. Words of long values are hidden and stay until the sweep.
Status retire_words(Connection& connection, WordRows& rows, const StreamWords& words, const StaleRecord& record);

// Reads the text of long values in pieces.
class ChunkReader {
 public:
  ChunkReader(Connection& connection, const LongRef& ref, std::int64_t from);  // in characters
  Result<bool> next(std::string& piece);                                       // false: the end

 private:
  Connection& connection_;
  const LongRef& ref_;
  std::int64_t chunk_;
  std::int64_t skip_;  // characters to skip in the first chunk
};

// False: the deadline passed; the next call resumes.
Result<bool> reindex_long(Writer& writer, ReaderPool& readers, OwnerNo owner, StreamNo stream, const StaleRecord& record,
                          Deadline deadline);

}  // namespace ladder::store::sqlite
