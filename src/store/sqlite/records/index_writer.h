// Keeps the field index, the days and the blob references in step with the records of one stream while a transaction writes them.
// Only what differs is written; a day's count once, at the end, and the entries of new records then, too, in their order: the
// next one most often goes where the last one went.
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

  // The part of a record that decides its entries, beside its key.
  struct Source {
    std::string_view order_key, body;
  };

  Status load(StreamNo stream);
  Status add(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body);
  Status replace(RecordNo no, std::string_view key, const Source& old, const Source& now);
  Status remove(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body);
  // A record that is there already comes into these indexes alone, whatever its key.
  Status index(std::span<const IndexSpec> indexes, RecordNo no, const Source& record);
  Status flush();  // the entries of new records, so far
  Status save();   // what is left for the end

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
  std::map<IndexDay, std::int64_t> days_;  // how much each count grows
};

}  // namespace ladder::store::sqlite
