// Records as a statement selects them.
#pragma once

#include "store/postgres/connection.h"
#include "store/row_sums.h"

#include <string_view>
#include <vector>

namespace ladder::store::postgres {

#define LADDER_PG_RECORD_COLUMNS                                                                         \
  "r.record_no, r.stream_no, r.version, r.emitted_at, r.order_key, r.digest, r.field_versions, r.body, " \
  "r.consent_time, r.first_value, r.value_count, r.sum"
inline constexpr int kRecordColumns = 12;

inline RecordHead read_head(const Rows& rows, int row, int column, std::string_view key) {
  return {.no = rows.int8(row, column),
          .stream = rows.int8(row, column + 1),
          .key = key,
          .order_key = rows.bytes(row, column + 4),
          .version = rows.int8(row, column + 2),
          .digest = rows.bytes(row, column + 5),
          .emitted_at = rows.bytes(row, column + 3),
          .consent_time = rows.maybe_int8(row, column + 8),
          .field_versions = rows.bytes(row, column + 6),
          .first_value = rows.int8(row, column + 9),
          .value_count = rows.int8(row, column + 10)};
}

inline RecordRow read_record(const Rows& rows, int row, int column, std::string_view key) {
  const RecordHead head = read_head(rows, row, column, key);
  const RowSum sum = rows.maybe_int8(row, column + 11);
  RecordRow record;
  record.no = head.no;
  record.stream = head.stream;
  record.key = key;
  record.version = head.version;
  record.emitted_at = head.emitted_at;
  record.order_key = head.order_key;
  record.digest = crypto::to_digest(head.digest);
  record.field_versions = head.field_versions;
  record.body = rows.text(row, column + 7);
  record.first_value = head.first_value;
  record.value_count = head.value_count;
  if (!head_holds(sum, head) || !body_holds(sum, head.no, key, record.body)) withhold(record);
  return record;
}

// Rows of the record columns and the key.
inline std::vector<RecordRow> read_page(const Rows& rows) {
  std::vector<RecordRow> page;
  page.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) page.push_back(read_record(rows, row, 0, rows.bytes(row, kRecordColumns)));
  return page;
}

}  // namespace ladder::store::postgres
