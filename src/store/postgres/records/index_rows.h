// Collects the rows of the field index and blob references that a batch adds and drops. They are written with one
// statement per table and kind of change, with all rows as arrays. Used by the writer and by reindexing. The stream
// must be locked.
#pragma once

#include "store/index/field_index.h"
#include "store/postgres/engine/connection.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ladder::store::postgres {

class IndexChanges {
 public:
  void add(const IndexRows& rows, RecordNo record);
  void drop(const IndexRows& rows, RecordNo record);
  // Writes only the differences of a changed record.
  void replace(const IndexRows& before, const IndexRows& after, RecordNo record);

  // Drops come first, so that a new record may reuse the entry of an old one.
  void queue(Connection& connection) const;

 private:
  void add_entry(const IndexEntry& entry, RecordNo record);
  void drop_entry(const IndexEntry& entry);
  void queue_days(Connection& connection) const;

  Int8Array dropped_index_, added_index_, added_record_;
  ByteaArray dropped_entry_, added_entry_;
  std::map<IndexDay, std::int64_t> days_;  // the change of each count
  ByteaArray dropped_blob_, added_blob_;
  Int8Array dropped_blob_record_, added_blob_record_;
};

// An index as a row of (index_no, kind, field name, upto).
#define LADDER_PG_INDEX_SPEC_COLUMNS "i.index_no, i.kind, f.name, i.upto"
IndexSpec read_index_spec(const Rows& rows, int row, int column = 0);

// Reads by value: entries of the field index, day counts, and references to a blob. Each is one statement.

// See store.h.
Result<std::vector<IndexedRow>> index_page(Connection& connection, IndexNo index, const IndexRange& range, bool descending,
                                           std::int64_t limit);
Result<std::optional<std::string>> last_order_key(Connection& connection, StreamNo stream, const IndexRange& range);
Result<std::int64_t> index_count(Connection& connection, IndexNo index, const IndexRange& range, std::int64_t limit);
Result<std::int64_t> order_count(Connection& connection, StreamNo stream, const IndexRange& range, std::int64_t limit);
Result<std::vector<DayCount>> index_days(Connection& connection, IndexNo index, std::int64_t first, std::int64_t last);
Result<std::vector<RecordRow>> records_with_blob(Connection& connection, const Digest& blob, RecordNo after, std::int64_t limit);

}  // namespace ladder::store::postgres
