// Receives the text of long values while a record is split. Engines have two implementations: one buffers in memory and
// is written with the record, the other stages values that are too large for one short transaction.
#pragma once

#include "base/error/error.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

class ValueSink {
 public:
  virtual ~ValueSink() = default;
  // Announces that the next chunks are the text of this member of the record: a long string that is not base64.
  virtual Status begin_text(ValueId /*value*/, std::string_view /*field*/) { return {}; }
  virtual Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) = 0;
  // A page of the directory of a large object or array; `first` is the smallest key (index, or name hash) in it.
  virtual Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) = 0;
};

struct ChunkRow {
  ValueId value = 0;
  std::int64_t chunk_no = 0;
  std::string bytes;
};

struct DirectoryRow {
  ValueId value = 0;
  std::int64_t first = 0;
  std::string page;
};

// Keeps everything in memory.
class BufferedValues final : public ValueSink {
 public:
  Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) override {
    chunks.push_back({value, chunk_no, std::string(bytes)});
    return {};
  }
  Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) override {
    directory.push_back({value, first, std::string(page)});
    return {};
  }

  std::vector<ChunkRow> chunks;
  std::vector<DirectoryRow> directory;
};

// Writes in short transactions under value ids that no record references yet. Values that no record attaches are swept
// later.
class Staging : public ValueSink {
 public:
  virtual Status finish() = 0;  // makes everything put so far durable
};

}  // namespace ladder::store
