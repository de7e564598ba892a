// All limits of the product that are not private to one file, each with its reason. Exceeding one is a typed error.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::limits {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;
inline constexpr std::size_t kGiB = 1024 * kMiB;

// Bounds of field windows (PDPP "field windows"), counted in code points.
inline constexpr std::int64_t kWindowDefaultChars = 4096;
inline constexpr std::int64_t kWindowMaxChars = 16384;
inline constexpr std::int64_t kContextDefaultChars = 2048;
inline constexpr std::int64_t kContextMaxChars = 8192;
inline constexpr std::size_t kQueryMaxChars = 1024;  // a literal `q`; longer ones are unlikely

// Storage (design D3).
inline constexpr std::size_t kRecordRowBytes = 16 * kKiB;        // of a record row; the rest is stored in chunks
inline constexpr std::int64_t kInlineStringChars = 3600;         // longer decoded strings are stored in chunks
inline constexpr std::size_t kInlineContainerBytes = 16 * kKiB;  // larger objects and arrays get chunks and a directory
inline constexpr std::size_t kChunkBytes = 3900;         // maximum size of a chunk: one SQLite page, two rows per PostgreSQL page
inline constexpr std::size_t kMaxValueBytes = 1 * kGiB;  // one value, decoded
// One NDJSON line; escapes may double the size of a value.
inline constexpr std::size_t kMaxLineBytes = 2 * kGiB - 64 * kKiB;
// Members of one object inside a record: its directory is sorted in memory.
inline constexpr std::size_t kMaxObjectMembers = 1 << 20;
inline constexpr std::size_t kMaxLongValues = 1 << 20;  // long values of one record

// Names and keys. PostgreSQL indexes at most 2,704 bytes of a key.
inline constexpr std::size_t kMaxRecordKeyBytes = 1024;
inline constexpr std::size_t kMaxNameBytes = 255;  // stream, field, source key, connection id, owner, client
inline constexpr std::size_t kMaxFieldPathBytes = 2048;
inline constexpr std::size_t kMaxPointerDepth = 64;

// Parsing of outside data.
inline constexpr std::size_t kMaxJsonDepth = 64;
// JSON text of a time in a record, with its quotes; longer text is not a time.
inline constexpr std::size_t kMaxTimeTextBytes = 192;
inline constexpr std::size_t kMaxDeclarationBytes = 4 * kMiB;
inline constexpr std::size_t kMaxHandleBytes = 64 * kKiB;  // the longest names, path and cursor with every byte escaped
inline constexpr std::size_t kMaxCursorBytes = 8 * kKiB;   // a next-match cursor contains its query
inline constexpr std::size_t kMaxTokenBytes = 512;

// Time.
inline constexpr int kWriteTransactionMs = 50;    // maximum duration of a write transaction (design D17)
inline constexpr int kWriterQueueMs = 30'000;     // how long a writer waits in the queue before it fails
inline constexpr int kRecheckAfterMs = 200;       // after this time a read checks the grant's access status again (design D16)
inline constexpr int kScanDeadlineMs = 30'000;    // a `q` read over one field
inline constexpr int kSearchDeadlineMs = 10'000;  // a search over everything granted
// Deletions are reported to changes_since requests for this many days; older changes_since tokens have expired (design
// D20).
inline constexpr int kTombstoneDays = 90;
inline constexpr int kStagingLeaseS = 60;  // staged values not touched for this long are abandoned

}  // namespace ladder::limits
