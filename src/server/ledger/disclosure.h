// A disclosure: what one answer shows of which records, to the char. It is worked out from the answer itself, so that it cannot
// name less than what is given out. It holds places and digests, never text.
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

// [start, end) of a value, in the unit of its field.
struct ShownRange {
  std::int64_t start = 0, end = 0;
  friend auto operator<=>(const ShownRange&, const ShownRange&) = default;
};

// Ascending, apart from each other and not empty.
using ShownRanges = std::vector<ShownRange>;

void add_range(ShownRanges& ranges, ShownRange added);
std::int64_t length_of(const ShownRanges& ranges);

// kRecords: an aggregate over so many records, of which none is named.
enum class Unit : std::uint8_t { kChars = 0, kBytes = 1, kRecords = 2 };
std::string_view word_of(Unit unit);

struct ShownField {
  std::string path;  // as model/field_path.h writes it
  Unit unit = Unit::kChars;
  std::optional<crypto::Digest> digest = {};  // of the whole value: its UTF-8 bytes, or the blob's
  std::int64_t size = 0;                      // of the whole value
  ShownRanges ranges = {};                    // empty: the value was named, and nothing of it was shown

  friend bool operator==(const ShownField&, const ShownField&) = default;
};

// Without a record_id: the stream as a whole.
struct ShownRecord {
  model::RecordRef record;
  std::vector<ShownField> fields = {};

  // The entry of that value, made when there is none. The reference holds until the next call.
  ShownField& field(std::string_view path, Unit unit, const std::optional<crypto::Digest>& digest, std::int64_t size);
  std::int64_t total(Unit unit) const;

  friend bool operator==(const ShownRecord&, const ShownRecord&) = default;
};

// The amount that an answer counts against a budget: characters of text, and bytes of blobs that are not text.
struct ReadAmount {
  std::int64_t chars = 0, bytes = 0;

  friend bool operator==(const ReadAmount&, const ReadAmount&) = default;
  friend ReadAmount operator+(const ReadAmount& a, const ReadAmount& b) { return {a.chars + b.chars, a.bytes + b.bytes}; }
  friend ReadAmount operator-(const ReadAmount& a, const ReadAmount& b) { return {a.chars - b.chars, a.bytes - b.bytes}; }
};

struct Disclosure {
  std::string kind;        // window, record, records, changes, search, aggregate or blob
  std::string query = {};  // the words that were looked for; kept only where the owner wants that
  std::vector<ShownRecord> records = {};
  // These two are for the budget and are not stored. `counted` is what the answer counts where that is not the length of its
  // ranges: a text that belongs to several records is shown once. `ahead` is what the caller is going to ask for next.
  std::optional<ReadAmount> counted = {};
  ReadAmount ahead = {};

  ShownRecord& record(const model::RecordRef& ref);
  std::int64_t total(Unit unit) const;

  friend bool operator==(const Disclosure&, const Disclosure&) = default;
};

// The disclosure of a window, one range of one field. It refers to the answer instead of copying it: a window is read in a few
// microseconds, of which its entry may take a twentieth.
struct ShownWindow {
  const api::FieldWindow& window;
  std::optional<crypto::Digest> digest;

  std::string_view query() const { return window.match ? std::string_view(window.match->q) : std::string_view(); }
  ShownRange range() const { return {window.start_chars, std::max(window.start_chars, window.end_chars)}; }
  Disclosure whole() const;
};

inline constexpr std::string_view kWindowKind = "window";

ShownWindow disclose(const api::FieldWindow& window);
Disclosure disclose(const api::Record& record);
Disclosure disclose(const api::RecordsPage& page, std::string_view kind);
Disclosure disclose(const api::SearchPage& page, std::string_view query);
// `holder` is the record through which the blob is seen; `to_follow` are the bytes that the caller reads next.
Disclosure disclose(const api::Blob& blob, const model::RecordRef& holder, std::int64_t to_follow = 0);

}  // namespace ladder::server
