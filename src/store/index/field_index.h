// The field index: for each field that a declaration makes worth it, one entry per record that has a value, ordered by the value
// and then like the stream. What the entries of a record are is decided here, for both engines; old entries are worked out again
// from the old row when it changes, so nothing needs to remember them.
//
//   entry = value | ordering key      value = time, 8 bytes   or   number, 16 bytes   or   text (put_sorted_text)
//
// A time index also counts records per UTC day. A stream's cursor field is ordered by the stream itself, so it has the days only.
#pragma once

#include "json/scan/scan.h"
#include "store/rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// An index as a write needs it.
struct IndexSpec {
  IndexNo no = 0;
  IndexKind kind = IndexKind::kText;
  std::string field;
  std::optional<std::string> upto;  // being built: only records with keys up to this one have entries; nullopt: all have
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

// Everything beside its own row that finds a record.
struct IndexRows {
  std::vector<IndexEntry> entries;  // sorted
  std::vector<IndexDay> days;       // sorted
  std::optional<Digest> blob;       // that its blob_ref names
};

IndexRows index_rows(std::span<const IndexSpec> indexes, std::string_view key, std::string_view order_key, std::string_view body);

// The value part of an entry. A text of over 64 bytes stands there by its digest: for equality, not for order.
std::string index_value(Instant time);
std::string index_number(std::string_view number);  // JSON
std::string index_text(std::string_view decoded);
// Of a stored member; nullopt when it has no place in an index of this kind.
std::optional<std::string> index_value(IndexKind kind, const json::Value& stored);

// All entries that begin with the value. Since values end themselves, nothing else lies between.
IndexRange entries_with(const std::string& value);
// The first bytes after everything that begins with `prefix`; empty when there is nothing after it.
std::string after_all(std::string prefix);

std::int64_t day_of(Instant time);

// The member of a record that names its blob.
inline constexpr std::string_view kBlobField = "blob_ref";
// The digest that a blob id ("blob_sha256_…") names; nullopt when it is none.
std::optional<Digest> blob_digest(std::string_view blob_id);
std::string blob_id(const Digest& digest);

}  // namespace ladder::store
