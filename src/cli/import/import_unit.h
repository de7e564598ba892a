// One unit of an import, from the child's frames into the store: records to the ingests of their streams, blobs to the store,
// losses and skips to the account, positions kept when everything before them is on disk.
//
// The child may have been taken over by a file: every frame is checked, and what is kept of them is bounded whatever comes.
#pragma once

#include "base/error/error.h"
#include "cli/import/import_account.h"
#include "cli/import/import_blobs.h"
#include "cli/import/import_feed.h"
#include "import/wire/frame.h"
#include "server/resource_server.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace ladder::cli {

// State that the parts of an import share; shown while it runs.
struct ImportCounters {
  std::atomic<std::int64_t> bytes_before = 0;  // of units that are done
  std::atomic<std::int64_t> bytes = 0;         // of the unit at hand
};

class ImportUnit {
 public:
  using Keep = std::function<Status(const UnitAccount&)>;  // writes the account down, with its position

  // `target.streams` are those of the source's declaration; records of others are refused. `account` is what earlier, unfinished
  // runs of the unit have come to; it is gone on with.
  struct Target {
    std::string connection_id;
    std::set<std::string> streams;
  };
  ImportUnit(imports::wire::FrameSource& extractor, server::ResourceServer& server, const server::Access& owner, Target target,
             UnitAccount account, ImportCounters& counters, const Stop& stop, Keep keep,
             std::function<void(std::int64_t)> stored);

  // Takes frames until the unit ends. An error is one of the store or a stop; what the child did wrong stands in the account.
  Status run();

  const UnitAccount& account() const { return account_; }
  std::int64_t stored() const;  // records accepted so far
  bool child_is_gone() const { return child_is_gone_; }

 private:
  struct Mark {
    std::string position;
    std::map<std::string, std::int64_t> lines;  // that every stream had before it
    std::map<std::string, StreamAccount> own;   // what only the child tells: skips and times
    std::int64_t lost = 0;
    std::size_t losses = 0;
    std::int64_t bytes = 0;
  };

  Status take(imports::wire::Frame& frame);
  Status take_record(const imports::wire::Frame& frame);
  Status take_more(std::string_view bytes);
  Status pass(const imports::wire::RecordHead& head, std::string_view data);
  Status keep_what_is_durable();
  void keep_at_the_end();
  std::size_t durable_marks();
  Result<ImportFeed*> feed_of(const std::string& stream);
  bool may_name(const std::string& stream) const;
  Status finish_feeds();
  UnitAccount account_at(const Mark& mark);
  std::int64_t count(const std::string& name, ImportFeed& feed, std::int64_t lines, UnitAccount& account) const;
  std::int64_t ahead_before(const std::string& stream) const;

  imports::wire::FrameSource& extractor_;
  server::ResourceServer& server_;
  const server::Access& owner_;
  const Target target_;
  const UnitAccount before_;  // of earlier runs
  UnitAccount account_;
  ImportCounters& counters_;
  const Stop& stop_;
  Keep keep_;
  std::map<std::string, std::unique_ptr<ImportFeed>> feeds_;
  ImportBlobs blobs_;
  enum class Arriving : std::uint8_t { kNothing, kFed, kHeld };
  Arriving arriving_ = Arriving::kNothing;  // a record: straight to its stream, or held back behind blobs
  ImportFeed* open_ = nullptr;              // the stream it is fed to
  std::uint64_t bytes_missing_ = 0;         // of it
  std::vector<Mark> marks_;                 // positions not kept yet, oldest first
  std::optional<Mark> kept_mark_;           // the position that was kept last
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
  std::function<void(std::int64_t)> tell_stored_;
  bool ended_ = false, child_is_gone_ = false;
};

}  // namespace ladder::cli
