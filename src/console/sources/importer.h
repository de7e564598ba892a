// Files that the owner drops on the console, on their way into the store. The program implements it with what `ladder import`
// runs, so that both read the same formats, in the same sandbox, with the same account of losses.
//
// Files arrive in parts and lie in a private folder until they are imported or given up. An upload is looked at (the plan), begun
// by its owner, may be paused, and goes on where it was, after a restart of the server, too.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

struct UploadedFile {
  std::string name;        // as it was dropped, with the folders it lay in
  std::int64_t bytes = 0;  // that are here
  std::int64_t size = 0;   // of the whole

  bool complete() const { return bytes >= size; }
};

struct LostItem {
  std::string file, reason;
  std::int64_t byte = -1;  // where in the file; -1: the file as a whole
};

// A part of the plan: a mailbox, a chat, a folder of notes.
struct ImportPart {
  std::string what, file;
  std::string format;   // the key of its source
  std::string goes_to;  // the source or connection, as people know it
  bool is_new = false;  // that is made for it
  std::int64_t files = 0, bytes = 0;
  enum class State : std::uint8_t { kWaits, kRuns, kDone, kBrokenOff };
  State state = State::kWaits;
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, lost = 0;
  std::vector<LostItem> losses = {};                               // the first of them by name
  std::string broken_off = {};                                     // why not all of it was read
  std::vector<std::pair<std::string, std::int64_t>> skipped = {};  // left out on purpose: why, how often
};

enum class UploadState : std::uint8_t {
  kArriving,  // files are still coming
  kLooking,   // the plan is being made
  kPlanned,   // the owner is asked
  kRunning,
  kPaused,  // by its owner, or by the end of the server
  kDone,
  kFailed,  // `problem` says why; what came in before stays
};

struct Upload {
  std::string id;
  Instant begun_at = 0;
  UploadState state = UploadState::kArriving;
  std::vector<UploadedFile> files = {};
  std::vector<ImportPart> parts = {};  // of the plan
  std::vector<LostItem> refused = {};  // what is wrong, and would come in otherwise
  std::int64_t left_alone = 0;         // files of other kinds,
  std::string left_alone_kinds = {};   // ".jpg 12, .mov 3"
  std::int64_t bytes_done = 0, bytes_all = 0, records_stored = 0;
  std::optional<std::int64_t> seconds_left = {};
  std::string problem = {};
  bool pausing = false;

  // Every file is whole.
  bool arrived() const { return std::ranges::all_of(files, &UploadedFile::complete); }
  std::int64_t bytes_here() const {
    std::int64_t sum = 0;
    for (const UploadedFile& file : files) sum += file.bytes;
    return sum;
  }
};

// Every call is about uploads of this owner; kNotFound for another's. Safe from any thread.
class Importer {
 public:
  virtual ~Importer() = default;

  virtual Result<std::string> begin(const server::Access& owner) = 0;  // a new upload; kResourceLimit when there are too many
  // Puts bytes behind those that are here and says how many there are then. `at` that is not the end changes nothing and tells
  // the end. kInvalidRequest for a name that cannot be one, kResourceLimit when the disk has no room, kConflict once it is
  // planned.
  virtual Result<std::int64_t> append(const server::Access& owner, std::string_view id, std::string_view name, std::int64_t size,
                                      std::int64_t at, std::string_view bytes) = 0;
  virtual Status look(const server::Access& owner, std::string_view id) = 0;   // makes the plan, in the background
  virtual Status start(const server::Access& owner, std::string_view id) = 0;  // or goes on; kConflict while another one runs
  virtual Status pause(const server::Access& owner, std::string_view id) = 0;
  virtual Status give_up(const server::Access& owner, std::string_view id) = 0;  // ends it and removes its files
  virtual Result<Upload> upload(const server::Access& owner, std::string_view id) = 0;
  virtual std::vector<Upload> uploads(const server::Access& owner) = 0;  // newest first
};

}  // namespace ladder::console
