#include "store/sqlite/engine/record_rows.h"

#include "base/limits.h"

#include <algorithm>

namespace ladder::store::sqlite {

RecordMetadata head_of(const Statement& row, StreamNo stream, std::string_view key) {
  return {.no = row.integer_at(0),
          .stream = stream,
          .key = key,
          .order_key = row.bytes_at(4),
          .version = row.integer_at(1),
          .digest = row.bytes_at(2),
          .emitted_at = row.bytes_at(3),
          .consent_time = row.maybe_integer_at(7),
          .field_versions = row.bytes_at(5),
          .first_value = row.integer_at(8),
          .value_count = row.integer_at(9)};
}

RecordRow record_of(const Statement& row, StreamNo stream, std::string_view key) {
  const RecordMetadata head = head_of(row, stream, key);
  const RowSum sum = row.maybe_integer_at(kSumColumn);
  RecordRow record;
  record.no = head.no;
  record.stream = stream;
  record.key = key;
  record.version = head.version;
  if (head.digest.size() == record.digest.size()) std::ranges::copy(head.digest, record.digest.begin());
  record.emitted_at = head.emitted_at;
  record.order_key = head.order_key;
  record.field_versions = head.field_versions;
  record.first_value = head.first_value;
  record.value_count = head.value_count;
  const bool readable = read_body(row, kBodyColumn, kRawSizeColumn, record.body);
  if (!readable || !metadata_matches(sum, head) || !body_matches(sum, head.no, key, record.body)) strip_damaged(record);
  return record;
}

bool read_body(const Statement& row, int body_column, int raw_size_column, std::string& body) {
  return read_raw(stored_at(row, body_column, raw_size_column), limits::kRecordRowBytes, body);
}

}  // namespace ladder::store::sqlite
