// The importer of the console: what `ladder import` runs, over files that were dropped on a page, in the background of `ladder
// serve`. The end of the server breaks an import off as Ctrl-C does; it is then paused and goes on when its owner says so.
#pragma once

#include "base/mutex.h"
#include "cli/import/import_run.h"
#include "cli/import/upload_folder.h"
#include "console/sources/importer.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ladder::cli {

class ConsoleImporter final : public console::Importer {
 public:
  // `folder` is where uploads lie; what an earlier server left there is found again, or removed when it is old.
  ConsoleImporter(server::ResourceServer& server, ExtractorPlace extractor, std::filesystem::path folder, const Clock& clock);
  ~ConsoleImporter() override;  // breaks off what runs
  ConsoleImporter(const ConsoleImporter&) = delete;
  ConsoleImporter& operator=(const ConsoleImporter&) = delete;

  Result<std::string> begin(const server::Access& owner) override;
  Result<std::int64_t> append(const server::Access& owner, std::string_view id, std::string_view name, std::int64_t size,
                              std::int64_t at, std::string_view bytes) override;
  Status look(const server::Access& owner, std::string_view id) override;
  Status start(const server::Access& owner, std::string_view id) override;
  Status pause(const server::Access& owner, std::string_view id) override;
  Status give_up(const server::Access& owner, std::string_view id) override;
  Result<console::Upload> upload(const server::Access& owner, std::string_view id) override;
  std::vector<console::Upload> uploads(const server::Access& owner) override;

 private:
  // An upload and what runs for it. Everything but the thread's own is touched with mutex_ held.
  struct Job {
    std::string owner;
    console::Upload shown;
    Instant touched_at = 0;
    std::map<std::string, std::size_t, std::less<>> places = {};  // of its files, by name
    std::unique_ptr<StopRequest> stop = {};
    std::thread thread = {};
    bool running = false;   // the thread is at work
    bool given_up = false;  // it goes as soon as the thread has ended
    const ImportCounters* counters = nullptr;
    std::int64_t bytes_before = 0;  // of runs that are done
    std::int64_t bytes_at_start = 0;
    std::chrono::steady_clock::time_point started_at = {};
  };
  class Watcher;

  Result<Job*> find(const server::Access& owner, std::string_view id) LADDER_REQUIRES(mutex_);
  void tidy() LADDER_REQUIRES(mutex_);  // ends threads that are done, and forgets what is old
  console::Upload shown(const Job& job) const LADDER_REQUIRES(mutex_);
  void set_off(Job& job, const server::Access& owner, bool brings_in) LADDER_REQUIRES(mutex_);
  void run(Job& job, const server::Access& owner, bool brings_in);
  Status work(Job& job, const server::Access& owner, Watcher& watcher, bool brings_in);
  std::vector<console::ImportPart> parts_of(const server::Access& owner, const std::deque<ImportRun>& runs);

  server::ResourceServer& server_;
  const ImportRun::Settings settings_;
  const UploadFolder folder_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>, std::less<>> jobs_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::cli
