// Blobs of an import on their way into the store. Small ones are gathered and stored together, since a transaction for each would
// cost a wait for the disk; records that come behind them wait until they are there, so that none names a blob that is absent.
// One batch is stored while the next one is gathered.
#pragma once

#include "base/result.h"
#include "cli/extractor.h"
#include "cli/import_patience.h"
#include "cli/stop_signal.h"
#include "extract/messages.h"
#include "rs/resource_server.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace ladder::cli {

class ImportBlobs final : private rs::IngestObserver {
 public:
  using Pass = std::function<Status(const extract::RecordHead& head, std::string_view data)>;

  ImportBlobs(Extractor& extractor, rs::ResourceServer& server, const rs::Access& owner, const StopSignal& stop, Pass pass)
      : extractor_(extractor), server_(server), owner_(owner), stop_(stop), pass_(std::move(pass)) {}

  // The blob whose first frame has come; the rest of its frames are taken.
  Status take(const std::string& mime_type);

  // While blobs wait or are being stored, records must be given here.
  bool waiting() const { return writing_.valid() || !blobs_.empty() || !records_.empty(); }
  bool holds(std::size_t record_bytes) const;  // room for one more; else flush first
  void hold(const extract::RecordHead& head) { records_.push_back({head, {}}); }
  void append(std::string_view bytes);
  void drop_last() { records_.pop_back(); }          // a record that will not be complete
  std::int64_t held(std::string_view stream) const;  // its records that are not passed on yet

  Status advance();  // begins to store what is enough by now, and passes on what is behind blobs that are stored
  Status flush();    // all of it, here and now

 private:
  struct Held {
    extract::RecordHead head;
    std::string data;
  };

  Status settle();  // waits for what is being stored, and passes on the records behind it
  Status pass_on(const std::vector<Held>& records);

  void durable_through(std::int64_t /*line*/, const rs::IngestReport& /*so_far*/) override {}
  bool wants_stop() override { return stop_.requested(); }
  std::chrono::milliseconds patience() const override { return kImportPatience; }

  Extractor& extractor_;
  rs::ResourceServer& server_;
  const rs::Access& owner_;
  const StopSignal& stop_;
  Pass pass_;
  std::vector<rs::ResourceServer::NewBlob> blobs_;
  std::vector<Held> records_;  // behind blobs_
  std::size_t blob_bytes_ = 0, record_bytes_ = 0;
  std::vector<rs::ResourceServer::NewBlob> written_blobs_;  // being stored by writing_
  std::vector<Held> next_records_;                          // behind those
  std::future<Status> writing_;                             // last: it is waited for before the others go
};

}  // namespace ladder::cli
