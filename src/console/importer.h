// Imports files that the owner drops on the console. Implemented with the code of `ladder import`, so both read the same
// formats in the same sandbox and report the same problems.
//
// Files arrive in parts and are stored in a private folder until they are imported or discarded. An upload is planned, then
// started by its owner. It can be paused, and continues after a restart of the server.
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
  std::string name;        // the dropped name, including folders
  std::int64_t bytes = 0;  // received so far
  std::int64_t size = 0;   // total size

  bool complete() const { return bytes >= size; }
};

struct LostItem {
  std::string file, reason;
  std::int64_t byte = -1;  // offset in the file; -1: the whole file
};

// A part of the plan: a mailbox, a chat, a folder of notes.
struct ImportPart {
  std::string what, file;
  std::string format;   // the key of its source
  std::string goes_to;  // display name of the source or connection
  bool is_new = false;  // the connection is created by this import
  std::int64_t files = 0, bytes = 0;
  enum class State : std::uint8_t { kWaits, kRuns, kDone, kBrokenOff };
  State state = State::kWaits;
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, lost = 0;
  std::vector<LostItem> losses = {};                               // the first ones
  std::string broken_off = {};                                     // why the import stopped early
  std::vector<std::pair<std::string, std::int64_t>> skipped = {};  // skipped items: reason and count
};

enum class UploadState : std::uint8_t {
  kArriving,  // files are still coming
  kLooking,   // the plan is being made
  kPlanned,   // waiting for the owner
  kRunning,
  kPaused,  // by the owner or by a shutdown
  kDone,
  kFailed,  // see `problem`; already imported records stay
};

struct Upload {
  std::string id;
  Instant begun_at = 0;
  UploadState state = UploadState::kArriving;
  std::vector<UploadedFile> files = {};
  std::vector<ImportPart> parts = {};     // parts of the plan
  std::vector<LostItem> refused = {};     // unreadable files of a supported format
  std::int64_t left_alone = 0;            // number of unsupported files
  std::string left_alone_kinds = {};      // ".jpg 12, .mov 3"
  std::vector<LostItem> left_files = {};  // the first of them, and what they are if that is known
  std::vector<LostItem> recognized = {};  // known exports that are not read, and what to do
  std::int64_t bytes_done = 0, bytes_all = 0, records_stored = 0;
  std::optional<std::int64_t> seconds_left = {};
  std::string problem = {};
  bool pausing = false;

  // Returns whether no step is left: everything is imported, or nothing can be.
  bool is_over() const { return state == UploadState::kDone || (state == UploadState::kPlanned && parts.empty()); }
  // Every file is complete.
  bool arrived() const { return std::ranges::all_of(files, &UploadedFile::complete); }
  std::int64_t bytes_here() const {
    std::int64_t sum = 0;
    for (const UploadedFile& file : files) sum += file.bytes;
    return sum;
  }
};

// All calls are limited to the uploads of `owner`; kNotFound for any other. Thread-safe.
class Importer {
 public:
  virtual ~Importer() = default;

  virtual Result<std::string> begin(const server::Access& owner) = 0;  // creates an upload; kResourceLimit if there are too many
  // Appends bytes and returns the new size. If `at` is not the current end, nothing is written and the current end is returned.
  // kInvalidRequest for an invalid name, kResourceLimit if the disk is full, kConflict if the upload is already planned.
  virtual Result<std::int64_t> append(const server::Access& owner, std::string_view id, std::string_view name, std::int64_t size,
                                      std::int64_t at, std::string_view bytes) = 0;
  virtual Status make_plan(const server::Access& owner, std::string_view id) = 0;  // plans in the background
  virtual Status start(const server::Access& owner,
                       std::string_view id) = 0;  // starts or resumes; kConflict while another upload runs
  virtual Status pause(const server::Access& owner, std::string_view id) = 0;
  virtual Status discard(const server::Access& owner, std::string_view id) = 0;  // stops it and deletes its files
  virtual Result<Upload> upload(const server::Access& owner, std::string_view id) = 0;
  virtual std::vector<Upload> uploads(
      const server::Access& owner) = 0;  // newest first, without those that have nothing to import
};

}  // namespace ladder::console
