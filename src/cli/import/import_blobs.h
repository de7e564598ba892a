// Blobs of an import on their way into the store. Small ones are gathered and stored together, since a transaction for each would
// cost a wait for the disk; records that come behind them wait until they are there, so that none names a blob that is absent.
// Some lots are on their way to the store while the next one is gathered, so that the child reads on while the store is busy.
#pragma once

#include "base/error/error.h"
#include "cli/app/stop_signal.h"
#include "cli/import/import_feed.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"
#include "server/resource_server.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace ladder::cli {

class ImportBlobs final : private server::IngestObserver {
 public:
  using Pass = std::function<Status(const imports::wire::RecordHead& head, std::string_view data)>;

  ImportBlobs(imports::wire::FrameSource& extractor, server::ResourceServer& server, const server::Access& owner,
              const Stop& stop, Pass pass)
      : extractor_(extractor), server_(server), owner_(owner), stop_(stop), pass_(std::move(pass)) {}

  // The blob whose first frame has come; the rest of its frames are taken.
  Status take(const std::string& mime_type);

  // While blobs wait or are being stored, records must be given here.
  bool waiting() const { return !under_way_.empty() || !lot_.blobs.empty() || !lot_.records.empty(); }
  bool holds(std::size_t record_bytes) const;  // room for one more; else flush first
  void hold(const imports::wire::RecordHead& head);
  void append(std::string_view bytes);
  void drop_last() { lot_.records.pop_back(); }      // a record that will not be complete
  std::int64_t held(std::string_view stream) const;  // its records that are not passed on yet

  Status advance();  // begins to store what is enough by now, and passes on what is behind blobs that are stored
  Status flush();    // all of it, here and now

 private:
  struct Held {
    imports::wire::RecordHead head;
    std::string data;

    std::size_t bytes() const {
      return sizeof(Held) + head.stream.size() + head.place.file.size() + head.key.size() + head.emitted_at.size() + data.size();
    }
  };

  struct Lot {
    std::vector<server::ResourceServer::NewBlob> blobs;
    std::vector<Held> records;   // behind them
    std::size_t bytes = 0;       // of the blobs
    std::future<Status> stored;  // last: it is waited for before the others go
  };

  bool is_full() const;
  void send_off();  // the lot that was gathered
  Status settle();  // waits for the oldest lot under way, and passes on the records behind it
  Status pass_on(const std::vector<Held>& records);

  void durable_through(std::int64_t /*line*/, const server::IngestReport& /*so_far*/) override {}
  bool wants_stop() override { return stop_.requested(); }
  std::chrono::milliseconds retry_time() const override { return kImportRetryTime; }

  imports::wire::FrameSource& extractor_;
  server::ResourceServer& server_;
  const server::Access& owner_;
  const Stop& stop_;
  Pass pass_;
  Lot lot_;  // being gathered
  std::deque<Lot> under_way_;
  std::size_t bytes_under_way_ = 0;
  std::size_t record_bytes_ = 0;  // that are held, heads included
};

}  // namespace ladder::cli
