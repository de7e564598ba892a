// The payloads of frames: hello, a planned unit, a record header, a loss. Both sides of the pipe use these readers and
// writers.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::wire {

// A location in the owner's files, as shown in reports and errors.
struct FileLocation {
  std::string file = {};   // path inside the given folder or archive
  std::int64_t byte = -1;  // offset in the uncompressed file; -1: the whole file
};

// Limits on the parts of a message. The writer truncates names and sentences; the reader rejects longer ones.
inline constexpr std::size_t kMaxFileBytes = 8 * 1024;  // a 4 KiB path in Windows-1252 can double in UTF-8
inline constexpr std::size_t kMaxReasonBytes = 4 * 1024;
inline constexpr std::size_t kMaxStreamBytes = 255;
inline constexpr std::size_t kMaxKeyBytes = 8 * 1024;  // JSON of a 1 KiB key with every byte escaped
inline constexpr std::size_t kMaxTimeTextBytes = 64;
inline constexpr std::size_t kMaxPositionBytes = 4 * 1024;
inline constexpr std::int64_t kMaxUnitBytes = std::int64_t{1} << 56;

// Increment when the contents or the order of frames change. The parent then detects a child of a different build, even
// one of the same version.
inline constexpr std::int64_t kProtocol = 8;

// The first message of the child. Every later version can read it, so that any two versions can detect a mismatch.
struct Hello {
  std::int64_t protocol = kProtocol;
  std::string version;  // Ladder's version: printable ASCII, at most kMaxVersionBytes
};
inline constexpr std::size_t kMaxVersionBytes = 64;
std::string to_json(const Hello& hello);
Result<Hello> read_hello(std::string_view json);

// A layer of the child's sandbox, and whether this machine supports it.
struct Protection {
  std::string name;  // "landlock"
  bool held = false;
  std::string detail;  // what it protects, or why it is unavailable
};
std::string to_json(const Protection& protection);
Result<Protection> read_protection(std::string_view json);

// A unit as the parent sees it.
struct PlannedUnit {
  std::int64_t number = 0;  // for "read N"
  std::string format;       // the key of its source
  std::string what;         // "a Slack export of 12 channels"
  std::string file;         // its name: the first of its files, or the folder or archive
  std::string tree;         // the folder or archive it is in
  std::string account;      // "" if all units of the format share a connection
  std::int64_t files = 0, bytes = 0;
  std::string fingerprint;  // of the files' names, sizes and times: a position is valid only for the same files
  // The destination that the files name for their records; empty if Ladder chooses.
  std::string connection_id = {}, display_name = {}, source_key = {};
  std::int64_t only_source = 0;  // 1: only a declaration
  std::string place = {};        // path of the archive or of its first piece; "" for a folder or single files
  std::string part = {};         // distinguishes it from other multi-file units of the tree
  std::string hint = {};         // a sentence for the plan: how to read the files as another format
  std::int64_t newest = 0;       // the newest time of a change of its files; 0 if a file has none, so that changes go unnoticed
};
std::string to_json(const PlannedUnit& unit);
Result<PlannedUnit> read_unit(std::string_view json);

// The end of the plan.
struct PlanEnd {
  std::int64_t units = 0;
  std::int64_t unclaimed = 0;   // files that no format claims
  std::string unclaimed_kinds;  // ".jpg 12, .mov 3"
};
std::string to_json(const PlanEnd& end);
Result<PlanEnd> read_plan_end(std::string_view json);

// Reads a payload that is only a sentence (kUnitEnd, kFailed). Truncates it and makes it valid UTF-8.
std::string read_sentence(std::string_view bytes);

struct Loss {
  FileLocation place;
  std::string reason;
};
std::string to_bytes(const Loss& loss);
Result<Loss> read_loss(std::string_view bytes);

// Everything of a record except its data, whose length it states.
struct RecordHeader {
  std::string stream;
  FileLocation place;
  std::optional<Instant> time;
  std::uint64_t data_bytes = 0;
  std::string key = {};         // JSON; empty: built from the data
  std::string emitted_at = {};  // empty: now
};
void append_record_header(std::string& out, const RecordHeader& head);
// Returns true if the reader accepts it: stream, key and time are within their limits.
bool fits(const RecordHeader& head);
// Reads one and moves `bytes` to the data after it.
Result<RecordHeader> read_record_header(std::string_view& bytes);

}  // namespace ladder::imports::wire
