// Records as a statement selects them.
#pragma once

#include "store/postgres/connection.h"
#include "store/rows.h"

#include <string_view>
#include <vector>

namespace ladder::store::postgres {

#define LADDER_PG_RECORD_COLUMNS \
  "r.record_no, r.stream_no, r.version, r.emitted_at, r.order_key, r.digest, r.field_versions, r.body"
inline constexpr int kRecordColumns = 8;

inline RecordRow read_record(const Rows& rows, int row, int column, std::string_view key) {
  RecordRow record;
  record.no = rows.int8(row, column);
  record.stream = rows.int8(row, column + 1);
  record.version = rows.int8(row, column + 2);
  record.emitted_at = rows.text(row, column + 3);
  record.order_key = rows.text(row, column + 4);
  record.digest = crypto::to_digest(rows.bytes(row, column + 5));
  record.field_versions = rows.text(row, column + 6);
  record.body = rows.text(row, column + 7);
  record.key = key;
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
