// A place in the owner's files, as accounts and errors name it.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::wire {

struct Place {
  std::string file = {};   // path inside the folder or archive that was given
  std::int64_t byte = -1;  // offset in the file, uncompressed; -1: the file as a whole
};

// The contents of frames: who speaks, a planned unit, a record's head, a loss. Each is written and read here, on both sides of
// the pipe.

// How long the parts of a message may be. The writing side cuts names and sentences; the reading side refuses what is longer.
inline constexpr std::size_t kMaxFileBytes = 8 * 1024;  // a path of 4 KiB in Windows-1252 can double
inline constexpr std::size_t kMaxReasonBytes = 4 * 1024;
inline constexpr std::size_t kMaxStreamBytes = 255;
inline constexpr std::size_t kMaxKeyBytes = 8 * 1024;  // JSON of a key of 1 KiB, every byte escaped
inline constexpr std::size_t kMaxTimeTextBytes = 64;
inline constexpr std::size_t kMaxPositionBytes = 4 * 1024;
inline constexpr std::int64_t kMaxUnitBytes = std::int64_t{1} << 56;

// To be raised with every change of what frames hold or in which order they come: programs of two builds of one version, as
// developers have them, then notice it, too.
inline constexpr std::int64_t kProtocol = 5;

// The first words of the child. Read by every later version, so that any two can tell each other apart.
struct Hello {
  std::int64_t protocol = kProtocol;
  std::string version;  // of Ladder: printable ASCII, kMaxVersionBytes at most
};
inline constexpr std::size_t kMaxVersionBytes = 64;
std::string to_json(const Hello& hello);
Result<Hello> read_hello(std::string_view json);

// A layer of the child's sandbox, and whether this machine grants it.
struct Protection {
  std::string name;  // "landlock"
  bool held = false;
  std::string detail;  // what it gives, or why it cannot be had
};
std::string to_json(const Protection& protection);
Result<Protection> read_protection(std::string_view json);

// A unit as the parent sees it.
struct PlannedUnit {
  std::int64_t number = 0;  // for "read N"
  std::string format;       // the key of its source
  std::string what;         // "a Slack export of 12 channels"
  std::string file;         // what it is called: the first of its files, or the folder or archive
  std::string tree;         // the folder or archive it is in
  std::string account;      // "" when all units of the format share a connection
  std::int64_t files = 0, bytes = 0;
  std::string fingerprint;  // of its files' names, sizes and times: a position is only good for the same ones
  // The destination that the files themselves name for their records; empty when Ladder chooses.
  std::string connection_id = {}, display_name = {}, source_key = {};
  std::int64_t only_source = 0;  // 1: nothing but a declaration
  std::string place = {};        // where the archive lies, or its first piece; "" when it is a folder or some files
  std::string part = {};         // what tells it from other units of the tree that have several files
  std::string hint = {};         // a sentence for the plan: how to have the files read as something else
};
std::string to_json(const PlannedUnit& unit);
Result<PlannedUnit> read_unit(std::string_view json);

// The end of the plan.
struct PlanEnd {
  std::int64_t units = 0;
  std::int64_t unclaimed = 0;   // files that no format takes
  std::string unclaimed_kinds;  // ".jpg 12, .mov 3"
};
std::string to_json(const PlanEnd& end);
Result<PlanEnd> read_plan_end(std::string_view json);

// A sentence that came by itself (kUnitEnd, kFailed): its beginning, and valid UTF-8 whatever was sent.
std::string read_sentence(std::string_view bytes);

struct Loss {
  Place place;
  std::string reason;
};
std::string to_bytes(const Loss& loss);
Result<Loss> read_loss(std::string_view bytes);

// Everything of a record but its data, whose length it tells.
struct RecordHead {
  std::string stream;
  Place place;
  std::optional<Instant> time;
  std::uint64_t data_bytes = 0;
  std::string key = {};         // JSON; empty: made from the data
  std::string emitted_at = {};  // empty: now
};
void append_head(std::string& out, const RecordHead& head);
// Says whether the reading side takes it: stream, key and time are within their limits.
bool fits(const RecordHead& head);
// Reads one and leaves `bytes` at the data behind it.
Result<RecordHead> take_head(std::string_view& bytes);

}  // namespace ladder::imports::wire
