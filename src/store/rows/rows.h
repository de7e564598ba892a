// The rows a store returns and accepts. Numbers are internal to the store and never leave the process (design D5).
#pragma once

#include "base/time/time.h"
#include "crypto/hash.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::store {

using OwnerNo = std::int64_t;
using SourceNo = std::int64_t;
using ConnectionNo = std::int64_t;
using StreamNo = std::int64_t;  // one stream of one connection
using FieldNo = std::int64_t;   // one declared top-level field of a source's stream
using RecordNo = std::int64_t;
using ValueId = std::int64_t;
using IndexNo = std::int64_t;  // one indexed field of one stream of one connection
using TokenNo = std::int64_t;
using GrantNo = std::int64_t;
using crypto::Digest;

// --- the catalog: the owner's configuration; changes rarely and has a version ---

// How much an owner may use, as the operator has set it. 0: no limit.
struct OwnerLimits {
  std::int64_t records = 0;
  std::int64_t bytes = 0;                // OwnerUsage::bytes
  std::int64_t requests_per_minute = 0;  // per process that serves
  std::int64_t requests_at_once = 0;     // per process that serves

  friend bool operator==(const OwnerLimits&, const OwnerLimits&) = default;
};

struct OwnerRow {
  OwnerNo no = 0;
  std::string name;
  Instant created_at = 0;
  std::int64_t catalog_version = 0;  // incremented by every change of the owner's sources and connections
  std::optional<Instant> suspended_at = {};
  OwnerLimits limits = {};
};

struct OwnerUsage {
  std::int64_t records = 0;
  std::int64_t bytes = 0;  // of records, long values, files and the word index, as stored
};

// The rows of an owner in a table of the store.
struct TableRows {
  std::string table;
  std::int64_t rows = 0;
};

struct SourceRow {
  SourceNo no = 0;
  std::string key;          // connector key, unique per owner
  std::string source_id;    // URI, unique per owner
  std::string version;      // declaration_version
  std::string declaration;  // JSON of the current declaration, members in declared order
  Instant added_at = 0;
};

struct ConnectionRow {
  ConnectionNo no = 0;
  SourceNo source = 0;
  std::string connection_id;  // unique per owner
  std::string display_name;   // empty when none
  std::string status;         // active, paused, revoked, draft
  Instant created_at = 0;
};

struct StreamRow {
  StreamNo no = 0;
  ConnectionNo connection = 0;
  std::string name;
};

struct FieldRow {
  FieldNo no = 0;
  SourceNo source = 0;
  std::string stream;
  std::string name;
};

enum class IndexKind : std::uint8_t {
  kTime = 1,    // an instant, and a count per UTC day
  kNumber = 2,  // by value
  kText = 3,    // for equality: a string, or the text of a number or boolean
  kDays = 4,    // a count per UTC day only
};

struct IndexRow {
  IndexNo no = 0;
  StreamNo stream = 0;
  FieldNo field = 0;
  IndexKind kind = IndexKind::kText;
  bool ready = false;  // every record is indexed
};

// A searchable field of a stream, and its column in the word index (word_search.h).
struct WordColumnRow {
  StreamNo stream = 0;
  FieldNo field = 0;
  int column = 0;
  bool ready = false;  // every record's text is indexed
};

struct Catalog {
  OwnerRow owner;
  std::vector<SourceRow> sources;
  std::vector<ConnectionRow> connections;
  std::vector<StreamRow> streams;
  std::vector<FieldRow> fields;
  std::vector<IndexRow> indexes;
  std::vector<WordColumnRow> word_columns = {};
};

// --- access ---

enum class TokenKind : std::uint8_t { kOwner = 0, kClient = 1 };

struct GrantRow {
  GrantNo no = 0;
  OwnerNo owner = 0;
  std::string grant_id;
  std::string client_id;
  std::string body;  // immutable JSON
  Instant issued_at = 0;
  std::optional<Instant> expires_at;  // also inside the body; here for listings
  std::optional<Instant> revoked_at;
  bool single_use = false;
  // Stored next to the grant; only grants() and find_grant() read these.
  std::string named = {};                    // NewGrant::named; empty for grants of older versions, which did not store it
  std::optional<Instant> last_used_at = {};  // with a precision of about an hour (GrantUse)
};

// A use of a grant. A use less than an hour after the recorded one is not written.
inline constexpr Instant kGrantUseStep = 3600 * kSecond;
struct GrantUse {
  OwnerNo owner = 0;
  GrantNo grant = 0;
  Instant at = 0;
};

struct TokenRow {
  TokenNo no = 0;
  OwnerNo owner = 0;
  std::string owner_name;
  TokenKind kind = TokenKind::kClient;
  std::string client_id;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::optional<Instant> revoked_at;
  std::vector<GrantRow> grants;  // of a client token, in the order they were made
  Digest hash{};                 // of the token's text
  bool owner_suspended = false;
};

struct BoundTokenRow {
  Digest hash{};
  TokenKind kind = TokenKind::kClient;
  std::string client_id;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
  std::vector<std::string> grant_ids;
};

// Conditions that must still hold when rows are read; verified in the same snapshot as the rows. Zero: not checked.
struct Guard {
  OwnerNo owner = 0;
  TokenNo token = 0;
  GrantNo grant = 0;

  friend bool operator==(const Guard&, const Guard&) = default;
};

struct AccessStatusRow {
  std::int64_t catalog_version = 0;  // of guard.owner; -1 when there is no such owner
  bool owner_suspended = false;
  bool token_found = false;
  std::optional<Instant> token_expires_at;
  bool token_revoked = false;
  bool grant_found = false;
  bool grant_revoked = false;
};

// --- records ---

struct RecordRow {
  RecordNo no = 0;
  StreamNo stream = 0;
  std::string key;
  std::string body;        // JSON text of `data`; long values are references (long_value.h)
  std::string emitted_at;  // as received
  std::string order_key;
  std::string field_versions;  // field_versions.h
  std::int64_t version = 0;
  Digest digest{};          // of the `data` bytes as received
  ValueId first_value = 0;  // ids of its long values: [first_value, first_value + value_count)
  std::int64_t value_count = 0;
  bool damaged = false;  // the checksum is wrong; only number, stream and key are set (row_sums.h)
};

struct GuardedRecords {
  AccessStatusRow access_status;
  std::vector<RecordRow> records;  // one per stream that has the key, in the order the streams were given
};

struct StreamCounters {
  std::int64_t records = 0;  // live ones
  std::int64_t max_version = 0;
};

struct ChangeRow {
  std::int64_t version = 0;
  std::int64_t created = 0;  // the version that created the record
  std::string key;
  bool deleted = false;
  // Set for deletions.
  std::optional<Instant> deleted_at;
  std::optional<Instant> consent_time;
};

// Entries e of an index, or order keys, with from <= e < to. An empty `to` means no upper bound.
struct IndexRange {
  std::string from, to;
};

struct IndexedRow {
  std::string entry;
  RecordRow record;
};

struct DayCount {
  std::int64_t day = 0;  // since 1970-01-01, UTC
  std::int64_t records = 0;

  friend bool operator==(const DayCount&, const DayCount&) = default;
};

struct BlobRow {
  Digest digest{};
  std::int64_t size_bytes = 0;
  std::string mime_type;
  ValueId value = 0;  // chunks of exactly kChunkBytes bytes each, except the last
};

// The report of one part of an import; the store does not interpret its text.
struct ImportRow {
  std::string unit;  // the name of the part, unique within a connection
  std::string body;
  Instant kept_at = 0;
};

}  // namespace ladder::store
