// Stores the blobs of an import. Small blobs are stored in batches, since a transaction for each would wait for the disk.
// Records that follow them wait until they are stored, so that no record names a missing blob. Several batches are stored in
// the background while the next one is filled, so that the child keeps reading while the store is busy.
#pragma once

#include "app/import/import_feed.h"
#include "app/stop_signal.h"
#include "base/error/error.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"
#include "server/ingest/ingest.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <set>
#include <string>
#include <vector>

namespace ladder::app {

class ImportBlobs final : private server::IngestObserver {
 public:
  using Pass = std::function<Status(const imports::wire::RecordHeader& head, std::string_view data)>;

  ImportBlobs(imports::wire::FrameSource& extractor, server::Ingest& ingest, const server::Access& owner, const Stop& stop,
              Pass pass)
      : extractor_(extractor), ingest_(ingest), owner_(owner), stop_(stop), pass_(std::move(pass)) {}

  // Takes the blob whose first frame has arrived, and reads its remaining frames.
  Status take(const std::string& mime_type);

  // While blobs wait or are being stored, records must be passed here.
  bool waiting() const { return !under_way_.empty() || !batch_.blobs.empty() || !batch_.records.empty(); }
  bool holds(std::size_t record_bytes) const;  // has room for one more record; else call flush() first
  void hold(const imports::wire::RecordHeader& head);
  void append(std::string_view bytes);
  void drop_last() { batch_.records.pop_back(); }    // removes an incomplete record
  std::int64_t held(std::string_view stream) const;  // records of the stream not passed on yet

  Status advance();  // starts storing a full batch, and passes on records whose blobs are stored
  Status flush();    // stores everything and waits for it
  Status drop_unused(const std::set<store::Digest>& blobs);  // those that no record refers to

 private:
  struct Held {
    imports::wire::RecordHeader head;
    std::string data;

    std::size_t bytes() const {
      return sizeof(Held) + head.stream.size() + head.place.file.size() + head.key.size() + head.emitted_at.size() + data.size();
    }
  };

  struct Batch {
    std::vector<server::NewBlob> blobs;
    std::vector<Held> records;   // the records that follow the blobs
    std::size_t bytes = 0;       // of the blobs
    std::future<Status> stored;  // last: its destructor waits before the other members are destroyed
  };

  bool is_full() const;
  void start_storing();  // starts storing the current batch
  Status settle();       // waits for the oldest running batch and passes on its records
  Status pass_on(const std::vector<Held>& records);

  void durable_through(std::int64_t /*line*/, const server::IngestReport& /*so_far*/) override {}
  bool wants_stop() override { return stop_.requested(); }
  std::chrono::milliseconds retry_time() const override { return kImportRetryTime; }

  imports::wire::FrameSource& extractor_;
  server::Ingest& ingest_;
  const server::Access& owner_;
  const Stop& stop_;
  Pass pass_;
  Batch batch_;  // the batch being filled
  std::deque<Batch> under_way_;
  std::size_t bytes_under_way_ = 0;
  std::size_t record_bytes_ = 0;  // of held records, including their heads
};

}  // namespace ladder::app
