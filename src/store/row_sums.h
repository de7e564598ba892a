// The checksums that rows carry, alike on both engines: made when a row is written, checked when it is read. A row that was
// written before there were checksums has none and is taken as it is. Damage is kDamagedData; who knows the record and the field
// adds their names.
//
// A record's sum has two halves, so that a window read needs the body alone: the upper one is that of its other columns, the
// lower one that of its body. Columns of the word index are in neither, since reindexing writes them by themselves.
#pragma once

#include "base/error.h"
#include "store/rows.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder::store {

using RowSum = std::optional<std::int64_t>;  // absent: the row has none

struct RecordHead {
  RecordNo no = 0;
  StreamNo stream = 0;
  std::string_view key, order_key;
  std::int64_t version = 0;
  std::string_view digest, emitted_at;
  std::optional<Instant> consent_time;
  std::string_view field_versions;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
};

std::int64_t record_sum(const RecordHead& head, std::string_view body);
bool head_holds(RowSum sum, const RecordHead& head);
bool body_holds(RowSum sum, RecordNo no, std::string_view key, std::string_view body);

std::int64_t chunk_sum(ValueId value, std::int64_t chunk_no, std::string_view bytes);
std::int64_t page_sum(ValueId value, std::int64_t first, std::string_view page);  // of a directory
std::int64_t blob_sum(OwnerNo owner, const BlobRow& blob);

inline bool holds(RowSum sum, std::int64_t expected) { return !sum || *sum == expected; }

// The message names nothing, and the log says which row; whoever knows what the caller may hear adds the names. The key of a
// record is in the details.
Error damaged_record(RecordNo no, std::string_view key = {});
Error damaged_value(ValueId value);
Error damaged_blob();

// What is handed out in place of a damaged record: its number, stream and key, no data.
void withhold(RecordRow& record);

}  // namespace ladder::store
