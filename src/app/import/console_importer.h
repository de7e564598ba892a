// The importer of the console: runs the same import as `ladder import` over files that were dropped on a page, in the
// background of `ladder serve`. Stopping the server interrupts an import as Ctrl-C does; it is then paused until its owner
// resumes it.
#pragma once

#include "app/import/import_run.h"
#include "app/import/upload_folder.h"
#include "base/mutex.h"
#include "console/importer.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ladder::app {

class ConsoleImporter final : public console::Importer {
 public:
  // `folder` holds the uploads. Those of an earlier server are found again, or removed if they are old.
  ConsoleImporter(const server::ImportRoles& roles, ExtractorProgram extractor, std::filesystem::path folder, const Clock& clock);
  ~ConsoleImporter() override;  // interrupts running imports
  ConsoleImporter(const ConsoleImporter&) = delete;
  ConsoleImporter& operator=(const ConsoleImporter&) = delete;

  Result<std::string> begin(const server::Access& owner) override;
  Result<std::int64_t> append(const server::Access& owner, std::string_view id, std::string_view name, std::int64_t size,
                              std::int64_t at, std::string_view bytes) override;
  Status make_plan(const server::Access& owner, std::string_view id) override;
  Status start(const server::Access& owner, std::string_view id) override;
  Status pause(const server::Access& owner, std::string_view id) override;
  Status discard(const server::Access& owner, std::string_view id) override;
  Result<console::Upload> upload(const server::Access& owner, std::string_view id) override;
  std::vector<console::Upload> uploads(const server::Access& owner) override;

 private:
  // An upload and the thread that imports it. Other threads access everything except the thread's own state with mutex_ held.
  struct Job {
    std::string owner;
    console::Upload shown;
    Instant touched_at = 0;
    std::map<std::string, std::size_t, std::less<>> places = {};  // index of each file, by name
    std::unique_ptr<StopRequest> stop = {};
    std::thread thread = {};
    bool running = false;   // the thread is running
    bool given_up = false;  // removed when the thread has ended
    const ImportCounters* counters = nullptr;
    std::int64_t bytes_before = 0;  // of finished runs
    std::int64_t bytes_at_start = 0;
    std::chrono::steady_clock::time_point started_at = {};
  };
  class Watcher;

  Result<Job*> find(const server::Access& owner, std::string_view id) LADDER_REQUIRES(mutex_);
  void remove_finished() LADDER_REQUIRES(mutex_);  // joins finished threads and forgets old uploads
  console::Upload shown(const Job& job) const LADDER_REQUIRES(mutex_);
  void set_off(Job& job, const server::Access& owner, bool brings_in) LADDER_REQUIRES(mutex_);
  void run(Job& job, const server::Access& owner, bool brings_in);
  Status work(Job& job, const server::Access& owner, Watcher& watcher, bool brings_in);
  std::vector<console::ImportPart> parts_of(const server::Access& owner, const std::deque<ImportRun>& runs);

  const server::ImportRoles roles_;
  const ImportRun::Settings settings_;
  const UploadFolder folder_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>, std::less<>> jobs_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::app
