// Imports one unit from the child's frames: records go to the ingests of their streams, blobs to the store, losses and skips to
// the report. A position is saved when everything before it is on disk.
//
// A malicious file may have taken over the child, so every frame is checked and everything kept from frames is bounded.
#pragma once

#include "app/import/import_account.h"
#include "app/import/import_blobs.h"
#include "app/import/import_feed.h"
#include "base/error/error.h"
#include "import/wire/frame.h"
#include "server/ingest/ingest.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace ladder::app {

// Progress counters shared by the parts of an import.
struct ImportCounters {
  std::atomic<std::int64_t> bytes_before = 0;  // of finished units
  std::atomic<std::int64_t> bytes = 0;         // of the current unit
};

class ImportUnit {
 public:
  using Keep = std::function<Status(const UnitAccount&)>;  // saves the report with its position
  // Receives the header of every record and the beginning of its data.
  using SeeRecord = std::function<void(const imports::wire::RecordHeader& head, std::string_view data)>;

  // `target.streams` are the streams of the source's declaration; records of other streams are refused. `account` is the report
  // of earlier, unfinished runs of the unit, which this run continues.
  struct Target {
    std::string connection_id;
    std::set<std::string> streams;
  };
  ImportUnit(imports::wire::FrameSource& extractor, server::Ingest& ingest, const server::Access& owner, Target target,
             UnitAccount account, ImportCounters& counters, const Stop& stop, Keep keep,
             std::function<void(std::int64_t)> stored);

  // Receives the key of every record that its source has deleted.
  using SeeGone = std::function<void(const std::string& stream, const std::string& key)>;

  // Call these before run().
  void see_records(SeeRecord see) { see_record_ = std::move(see); }
  void see_gone(SeeGone see) { see_gone_ = std::move(see); }
  // Processes frames until the unit ends. Returns an error of the store or a stop; failures of the child are in the report.
  Status run();

  const UnitAccount& account() const { return account_; }
  std::int64_t stored() const;  // records accepted so far
  bool child_has_ended() const { return child_has_ended_; }
  bool is_complete() const { return is_complete_; }  // it sent every record of its source
  const std::string& last_position() const { return last_position_; }
  const std::map<std::string, server::KeySet>& seen_keys() const { return seen_keys_; }  // by stream, after run()

 private:
  struct Mark {
    std::string position;
    std::map<std::string, std::int64_t> lines;  // lines of each stream before the mark
    std::map<std::string, StreamAccount> own;   // reported by the child only: skips and times
    std::int64_t lost = 0;
    std::size_t losses = 0;
    std::int64_t bytes = 0;
  };

  Status take(imports::wire::Frame& frame);
  Status take_record(const imports::wire::Frame& frame);
  Status take_more(std::string_view bytes);
  Status pass(const imports::wire::RecordHeader& head, std::string_view data);
  Status save_durable_position();
  void save_final_position();
  std::size_t durable_marks();
  Result<ImportFeed*> feed_of(const std::string& stream);
  bool may_name(const std::string& stream) const;
  Status finish_feeds();
  UnitAccount account_at(const Mark& mark);
  std::int64_t count(const std::string& name, ImportFeed& feed, std::int64_t lines, UnitAccount& account) const;
  std::int64_t ahead_before(const std::string& stream) const;

  imports::wire::FrameSource& extractor_;
  server::Ingest& ingest_;
  const server::Access& owner_;
  const Target target_;
  const UnitAccount before_;  // from earlier runs
  UnitAccount account_;
  ImportCounters& counters_;
  const Stop& stop_;
  Keep keep_;
  SeeRecord see_record_;
  SeeGone see_gone_;
  std::string last_position_;
  bool is_complete_ = false;
  std::map<std::string, std::unique_ptr<ImportFeed>> feeds_;
  ImportBlobs blobs_;
  enum class Arriving : std::uint8_t { kNothing, kFed, kHeld };
  Arriving arriving_ = Arriving::kNothing;  // whether a record goes straight to its stream or waits for blobs
  ImportFeed* open_ = nullptr;              // the stream that receives it
  std::uint64_t bytes_missing_ = 0;         // remaining bytes of it
  std::vector<Mark> marks_;                 // positions not saved yet, oldest first
  std::optional<Mark> saved_mark_;          // the last saved position
  std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
  std::map<std::string, server::KeySet> seen_keys_;
  std::function<void(std::int64_t)> report_stored_;
  bool ended_ = false, child_has_ended_ = false;
};

}  // namespace ladder::app
