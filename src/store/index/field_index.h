// The field index: for each field that the declaration marks as useful to index, one entry per record with a value,
// ordered by value and then in stream order. This file defines the entries of a record for both engines. When a record
// changes, its old entries are computed again from the old row, so they need not be stored with it.
//
//   entry = value | order key      value = time, 8 bytes   or   number, 16 bytes   or   text (put_sorted_text)
//
// A time index also counts records per UTC day. A stream's cursor field has only the day counts, since the stream
// itself is in its order.
#pragma once

#include "json/scan/scan.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// The parts of an index that a write needs.
struct IndexSpec {
  IndexNo no = 0;
  IndexKind kind = IndexKind::kText;
  std::string field;
  std::optional<std::string> upto;  // while building: only records with keys up to this one have entries; nullopt: all do
};

struct IndexEntry {
  IndexNo index = 0;
  std::string bytes;

  friend auto operator<=>(const IndexEntry&, const IndexEntry&) = default;
};

struct IndexDay {
  IndexNo index = 0;
  std::int64_t day = 0;  // since 1970-01-01, UTC

  friend auto operator<=>(const IndexDay&, const IndexDay&) = default;
};

// The index rows of one record.
struct IndexRows {
  std::vector<IndexEntry> entries;  // sorted
  std::vector<IndexDay> days;       // sorted
  std::optional<Digest> blob;       // the blob named by blob_ref
};

IndexRows index_rows(std::span<const IndexSpec> indexes, std::string_view key, std::string_view order_key, std::string_view body);

// The value part of an entry. A text of over 64 bytes is stored as its digest, which supports equality but not order.
std::string index_value(Instant time);
std::string index_number(std::string_view number);  // JSON
std::string index_text(std::string_view decoded);
// The value of a stored member; nullopt when an index of this kind cannot hold it.
std::optional<std::string> index_value(IndexKind kind, const json::Value& stored);

// All entries that begin with the value. Values are self-delimiting, so the range contains no other entries.
IndexRange entries_with(const std::string& value);
// Returns the first byte string after all strings that begin with `prefix`; empty when there is none.
std::string after_all(std::string prefix);

std::int64_t day_of(Instant time);

// The member of a record that names its blob.
inline constexpr std::string_view kBlobField = "blob_ref";
// The digest named by a blob id ("blob_sha256_…"); nullopt when it is not a blob id.
std::optional<Digest> blob_digest(std::string_view blob_id);
std::string blob_id(const Digest& digest);

}  // namespace ladder::store
