// A disclosure lists which records a response shows, and exactly which characters of them. It is computed from the
// response itself, so it can't list less than was sent. It contains positions and digests, never text.
#pragma once

#include "api/blob.h"
#include "api/field_window.h"
#include "api/records.h"
#include "api/search.h"
#include "crypto/hash.h"
#include "model/record_id.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A range [start, end) of a value, in the unit of its field.
struct ShownRange {
  std::int64_t start = 0, end = 0;
  friend auto operator<=>(const ShownRange&, const ShownRange&) = default;
};

// Ascending, non-adjacent and non-empty.
using ShownRanges = std::vector<ShownRange>;

void add_range(ShownRanges& ranges, ShownRange added);
std::int64_t length_of(const ShownRanges& ranges);

// kRecords: an aggregate over this many records, which are not listed individually.
enum class Unit : std::uint8_t { kChars = 0, kBytes = 1, kRecords = 2 };
std::string_view word_of(Unit unit);

struct ShownField {
  std::string path;  // in the format of model/field_path.h
  Unit unit = Unit::kChars;
  std::optional<crypto::Digest> digest = {};  // of the complete value: its UTF-8 bytes, or the blob's
  std::int64_t size = 0;                      // of the complete value
  ShownRanges ranges = {};                    // empty: the value was mentioned, but none of it was shown

  friend bool operator==(const ShownField&, const ShownField&) = default;
};

// An empty record_id refers to the stream itself.
struct ShownRecord {
  model::RecordRef record;
  std::vector<ShownField> fields = {};

  // Returns the entry of that value, creating it if needed. The reference is valid until the next call.
  ShownField& field(std::string_view path, Unit unit, const std::optional<crypto::Digest>& digest, std::int64_t size);
  void add(const std::vector<ShownField>& more);  // merges the ranges
  std::int64_t total(Unit unit) const;

  friend bool operator==(const ShownRecord&, const ShownRecord&) = default;
};

// The amount a response counts toward a budget: characters of text, and bytes of non-text blobs.
struct ReadAmount {
  std::int64_t chars = 0, bytes = 0;

  friend bool operator==(const ReadAmount&, const ReadAmount&) = default;
  friend ReadAmount operator+(const ReadAmount& a, const ReadAmount& b) { return {a.chars + b.chars, a.bytes + b.bytes}; }
  friend ReadAmount operator-(const ReadAmount& a, const ReadAmount& b) { return {a.chars - b.chars, a.bytes - b.bytes}; }
};

struct Disclosure {
  std::string kind;        // window, record, records, changes, search, aggregate or blob
  std::string query = {};  // the search words; stored only if the owner enabled it
  std::vector<ShownRecord> records = {};
  // Used for budgets and not stored. `counted` overrides the sum of the ranges, for text that belongs to several
  // records but is sent once. `ahead` is the amount that the caller will request next.
  std::optional<ReadAmount> counted = {};
  ReadAmount ahead = {};

  ShownRecord& record(const model::RecordRef& ref);
  std::int64_t total(Unit unit) const;

  friend bool operator==(const Disclosure&, const Disclosure&) = default;
};

// The disclosure of a window: one range of one field. It refers to the response instead of copying it, because
// recording may take only a small part of the few microseconds of a window read.
struct ShownWindow {
  const api::FieldWindow& window;
  std::optional<crypto::Digest> digest;

  std::string_view query() const { return window.match ? std::string_view(window.match->q) : std::string_view(); }
  ShownRange range() const { return {window.start_chars, std::max(window.start_chars, window.end_chars)}; }
  Disclosure full_disclosure() const;
};

inline constexpr std::string_view kWindowKind = "window";

ShownWindow disclose(const api::FieldWindow& window);
Disclosure disclose(const api::Record& record);
Disclosure disclose(const api::RecordsPage& page, std::string_view kind);
Disclosure disclose(const api::SearchPage& page, std::string_view query);
// `holder` is the record that makes the blob visible; `to_follow` is the number of bytes that the caller reads next.
Disclosure disclose(const api::Blob& blob, const model::RecordRef& holder, std::int64_t to_follow = 0);

}  // namespace ladder::server
