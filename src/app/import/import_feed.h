// The time an import waits for an unavailable database server. It is shorter than for other writers, because a repeated import
// resumes where it stopped.
#pragma once

#include "app/import/import_account.h"
#include "app/stop_signal.h"
#include "base/error/error.h"
#include "base/mutex.h"
#include "import/wire/messages.h"
#include "server/ingest/ingest.h"
#include "server/shared/key_set.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace ladder::app {

inline constexpr std::chrono::seconds kImportRetryTime{20};

// One stream of an import: a producer adds lines, and an ingest on its own thread consumes them. The buffer is bounded; a
// producer that is faster than the store waits.

// Scans a JSON text that arrives in pieces and finds the end of its first object.
class ObjectBound {
 public:
  // Returns how many bytes belong to the object or its surrounding white space; fewer than given if other text follows.
  std::size_t take(std::string_view bytes);

 private:
  std::int64_t depth_ = 0;
  bool begun_ = false, in_string_ = false, escaped_ = false;
};

class ImportFeed final : public server::ByteSource, public server::IngestObserver {
 public:
  ImportFeed(server::Ingest& ingest, const server::Access& owner, server::IngestTarget target, const Stop& stop);
  ~ImportFeed() override { static_cast<void>(finish()); }
  ImportFeed(const ImportFeed&) = delete;
  ImportFeed& operator=(const ImportFeed&) = delete;

  // --- for the producer; an error is the reason why the ingest ended ---
  Status begin_line(const imports::wire::RecordHeader& head);  // the part before the data
  // Appends data. If it is not exactly one object, the line becomes invalid and the ingest rejects it: text after the object
  // would be parsed as members of the envelope.
  Status append(std::string_view bytes);
  Status end_line();
  std::int64_t lines() const { return lines_; }  // complete lines
  Status finish();                               // ends the input and waits until all lines are stored

  // Call these after finish().
  const server::KeySet& keys() const { return keys_; }                               // of all records
  const std::set<store::Digest>& left_out_blobs() const { return left_out_blobs_; }  // of records that the owner erased

  // --- from any thread ---
  struct Progress {
    std::int64_t durable = 0;     // lines stored or rejected
    server::IngestReport report;  // so far, without the list of rejections
  };
  Progress progress();
  struct Rejections {
    std::int64_t count = 0;
    std::vector<imports::wire::Loss> listed;  // the first ones
  };
  Rejections rejections_through(std::int64_t line);  // for lines up to this one

  // --- for the ingest ---
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;
  void durable_through(std::int64_t line, const server::IngestReport& so_far) override;
  bool wants_stop() override { return stop_.requested(); }
  bool in_bulk() const override { return true; }
  bool leaves_out_erased() const override { return true; }
  void saw_key(std::string_view key) override { keys_.add(key); }
  void left_out_blob(const store::Digest& blob) override {
    if (left_out_blobs_.size() < kMaxLeftOutBlobs) left_out_blobs_.insert(blob);
  }
  std::chrono::milliseconds retry_time() const override { return kImportRetryTime; }

 private:
  static constexpr std::size_t kMaxLeftOutBlobs = 100'000;  // about 8 MB; the rest is dropped by the next import

  void run();
  void lower_priority();
  Status put(std::string_view bytes);

  server::Ingest& ingest_;
  const server::Access& owner_;
  server::IngestTarget target_;
  const Stop& stop_;
  std::int64_t lines_ = 0;                  // used by the producer thread
  ObjectBound data_;                        // of the current line
  bool priority_lowered_ = false;           // used by the reading thread
  server::KeySet keys_;                     // used by the ingest
  std::set<store::Digest> left_out_blobs_;  // used by the ingest

  Mutex mutex_;
  Condition room_, more_;
  std::string buffer_
      LADDER_GUARDED_BY(mutex_);  // the bytes after the first taken_ are not consumed yet; there are some unless it is empty
  std::size_t taken_ LADDER_GUARDED_BY(mutex_) = 0;
  bool no_more_ LADDER_GUARDED_BY(mutex_) = false, ended_ LADDER_GUARDED_BY(mutex_) = false;
  Status outcome_ LADDER_GUARDED_BY(mutex_);
  std::deque<imports::wire::FileLocation> places_
      LADDER_GUARDED_BY(mutex_);  // of lines that are not durable yet; the first belongs to line first_place_
  std::size_t place_bytes_ LADDER_GUARDED_BY(mutex_) = 0;  // of their file names
  std::int64_t first_place_ LADDER_GUARDED_BY(mutex_) = 1;
  std::size_t seen_rejections_ LADDER_GUARDED_BY(mutex_) = 0;
  Progress progress_ LADDER_GUARDED_BY(mutex_);
  std::vector<std::pair<std::int64_t, imports::wire::Loss>> rejections_
      LADDER_GUARDED_BY(mutex_);                               // with their lines; the reason is empty for those not listed
  std::size_t rejection_bytes_ LADDER_GUARDED_BY(mutex_) = 0;  // of the listed ones
  std::thread thread_;
};

}  // namespace ladder::app
