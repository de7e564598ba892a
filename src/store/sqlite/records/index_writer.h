// Keeps the field index, the days and the blob references in step with the records of one stream during a transaction.
// Only differences are written. Day counts are written once, at the end. The entries of new records are written at the
// end in index order, because neighboring entries usually share a page.
#pragma once

#include "store/index/field_index.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

Result<std::vector<IndexSpec>> load_indexes(Connection& connection, StreamNo stream);

class IndexWriter {
 public:
  explicit IndexWriter(Connection& connection) : connection_(connection) {}

  // The part of a record that determines its entries, besides its key.
  struct Source {
    std::string_view order_key, body;
  };

  Status load(StreamNo stream);
  Status add(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body);
  Status replace(RecordNo no, std::string_view key, const Source& old, const Source& now);
  Status remove(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body);
  // Adds an existing record to these indexes only, whatever its key.
  Status index(std::span<const IndexSpec> indexes, RecordNo no, const Source& record);
  Status flush();  // writes the buffered entries of new records
  Status save();   // writes everything that is buffered

 private:
  struct NewEntry {
    IndexEntry entry;
    RecordNo record = 0;
  };

  Status write(RecordNo no, const IndexRows& old, const IndexRows& now);
  Status write_blob(RecordNo no, const std::optional<Digest>& old, const std::optional<Digest>& now);
  Status add_entry(const IndexEntry& entry, RecordNo no);
  Status drop_entry(const IndexEntry& entry);

  Connection& connection_;
  std::vector<IndexSpec> indexes_;
  std::vector<NewEntry> new_;
  std::map<IndexDay, std::int64_t> days_;  // the change of each count
};

}  // namespace ladder::store::sqlite
