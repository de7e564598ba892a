#include "app/import/console_importer.h"

#include "base/text/format.h"
#include "crypto/random.h"

#include <algorithm>

namespace ladder::app {
namespace {

using console::Upload;
using console::UploadState;

constexpr std::size_t kMaxUploads = 16;    // per owner, including finished ones
constexpr std::size_t kMaxFiles = 20'000;  // per upload
constexpr Instant kForgottenAfter = 7 * kDay;
constexpr std::size_t kShownLosses = 1000;

console::LostItem lost_item(const imports::wire::Loss& loss) { return {loss.place.file, loss.reason, loss.place.byte}; }

void fill(console::ImportPart& part, const UnitAccount& account) {
  part.state = account.complete() ? console::ImportPart::State::kDone : console::ImportPart::State::kBrokenOff;
  const StreamAccount total = account.total();
  part.read = total.read;
  part.added = total.added;
  part.changed = total.changed;
  part.unchanged = total.unchanged;
  part.skipped.clear();
  for (const auto& [name, stream] : account.streams) {
    for (const auto& [reason, count] : stream.skipped) part.skipped.emplace_back(reason, count);
  }
  part.lost = account.lost;
  part.broken_off = account.broken_off;
  part.losses.clear();
  for (const imports::wire::Loss& loss : account.losses) {
    if (part.losses.size() < kShownLosses) part.losses.push_back(lost_item(loss));
  }
}

}  // namespace

// Copies a run's progress into the upload that the console shows.
class ConsoleImporter::Watcher final : public ImportWatcher {
 public:
  Watcher(ConsoleImporter& importer, Job& job) : importer_(importer), job_(job) {}

  void note(std::string_view /*line*/) override {}
  void begins(const ImportPlan& /*plan*/, const ImportCounters& counters) override {
    const MutexLock lock(importer_.mutex_);
    job_.counters = &counters;
  }
  bool is_done(const imports::wire::PlannedUnit& unit) override {
    const MutexLock lock(importer_.mutex_);
    if (at_ >= job_.shown.parts.size()) return false;
    console::ImportPart& part = job_.shown.parts[at_];
    if (part.file != unit.file || part.state != console::ImportPart::State::kDone) return false;
    ++at_;
    return true;
  }
  void unit_begins(const imports::wire::PlannedUnit& /*unit*/) override {
    const MutexLock lock(importer_.mutex_);
    if (at_ < job_.shown.parts.size()) job_.shown.parts[at_].state = console::ImportPart::State::kRuns;
  }
  void stored(std::int64_t records) override {
    const MutexLock lock(importer_.mutex_);
    job_.shown.records_stored = stored_before_ + records;
  }
  void unit_done(const UnitAccount& account) override {
    const MutexLock lock(importer_.mutex_);
    if (at_ < job_.shown.parts.size()) fill(job_.shown.parts[at_], account);
    ++at_;
  }
  void ended() override {
    const MutexLock lock(importer_.mutex_);
    if (job_.counters != nullptr) job_.bytes_before += job_.counters->bytes_before + job_.counters->bytes;
    job_.counters = nullptr;
    stored_before_ = job_.shown.records_stored;
  }

 private:
  ConsoleImporter& importer_;
  Job& job_;
  std::size_t at_ = 0;  // index of the running part, over all runs
  std::int64_t stored_before_ = 0;
};

ConsoleImporter::ConsoleImporter(const server::ImportRoles& roles, ExtractorProgram extractor, std::filesystem::path folder,
                                 const Clock& clock)
    : roles_(roles), settings_{{}, std::move(extractor)}, folder_(std::move(folder)), clock_(clock) {
  const MutexLock lock(mutex_);
  for (UploadFolder::Kept& kept : folder_.kept()) {
    if (kept.owner.empty()) {
      folder_.remove(kept.id);
      continue;
    }
    auto job = std::make_unique<Job>();
    job->owner = kept.owner;
    job->touched_at = kept.touched_at;
    job->shown.id = kept.id;
    job->shown.begun_at = kept.begun_at;
    job->shown.state = kept.started ? UploadState::kPaused : UploadState::kArriving;
    if (kept.started) job->shown.problem = "The server was stopped during the import.";
    for (console::UploadedFile& file : kept.files) {
      job->places[file.name] = job->shown.files.size();
      job->shown.files.push_back(std::move(file));
    }
    jobs_.emplace(kept.id, std::move(job));
  }
  remove_finished();
}

ConsoleImporter::~ConsoleImporter() {
  std::vector<std::thread> ending;
  {
    const MutexLock lock(mutex_);
    for (auto& [id, job] : jobs_) {
      if (job->stop) job->stop->request();
      if (job->thread.joinable()) ending.push_back(std::move(job->thread));
    }
  }
  for (std::thread& thread : ending) thread.join();
  const MutexLock lock(mutex_);
  remove_finished();  // removes discarded uploads
}

Result<ConsoleImporter::Job*> ConsoleImporter::find(const server::Access& owner, std::string_view id) {
  remove_finished();
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->owner != owner.owner_name() || found->second->given_up) {
    return fail(Code::kNotFound, "unknown import; it was discarded, or ended before the server was restarted");
  }
  return found->second.get();
}

void ConsoleImporter::remove_finished() {
  const Instant now = clock_.now();
  std::erase_if(jobs_, [&](auto& entry) {
    Job& job = *entry.second;
    if (job.running) return false;
    if (job.thread.joinable()) job.thread.join();  // the thread has finished its work
    const bool is_old = now - job.touched_at > kForgottenAfter;
    if (!job.given_up && !is_old) return false;
    folder_.remove(entry.first);
    return true;
  });
}

Result<std::string> ConsoleImporter::begin(const server::Access& owner) {
  const MutexLock lock(mutex_);
  remove_finished();
  std::vector<Job*> own;
  for (auto& [id, job] : jobs_) {
    if (job->owner == owner.owner_name()) own.push_back(job.get());
  }
  if (own.size() >= kMaxUploads) {
    // The oldest finished one is removed to make room.
    std::ranges::sort(own, {}, [](const Job* job) { return job->shown.begun_at; });
    const auto done = std::ranges::find_if(own, [](const Job* job) { return job->shown.is_over(); });
    if (done == own.end()) return fail(Code::kResourceLimit, "too many imports are waiting; finish or discard one first");
    (*done)->given_up = true;
    remove_finished();
  }
  std::string id = crypto::random_hex(8);
  LADDER_CHECK(folder_.make(id, owner.owner_name(), clock_.now()));
  auto job = std::make_unique<Job>();
  job->owner = owner.owner_name();
  job->shown.id = id;
  job->shown.begun_at = job->touched_at = clock_.now();
  jobs_.emplace(id, std::move(job));
  return id;
}

Result<std::int64_t> ConsoleImporter::append(const server::Access& owner, std::string_view id, std::string_view name,
                                             std::int64_t size, std::int64_t at, std::string_view bytes) {
  const MutexLock lock(mutex_);
  LADDER_TRY(Job* const job, find(owner, id));
  if (job->shown.state != UploadState::kArriving) {
    return fail(Code::kConflict, "this import accepts no more files; start another one");
  }
  auto place = job->places.find(name);
  if (place == job->places.end()) {
    if (job->shown.files.size() == kMaxFiles) {
      return fail(Code::kResourceLimit,
                  format("an import can have at most {} files; upload a larger folder as an archive", kMaxFiles));
    }
    LADDER_CHECK(folder_.add(id, name, size));
    place = job->places.emplace(name, job->shown.files.size()).first;
    job->shown.files.push_back({std::string(name), 0, size});
  }
  console::UploadedFile& file = job->shown.files[place->second];
  if (file.size != size)
    return fail(Code::kConflict, "a file with this name and a different size was already uploaded; discard it first");
  if (at != file.bytes || bytes.empty()) return file.bytes;
  if (std::ssize(bytes) > size - at) return fail(Code::kInvalidRequest, "the file is larger than announced");
  LADDER_CHECK(folder_.write(id, name, at, bytes));
  file.bytes += std::ssize(bytes);
  job->touched_at = clock_.now();
  return file.bytes;
}

void ConsoleImporter::set_off(Job& job, const server::Access& owner, bool brings_in) {
  job.stop = std::make_unique<StopRequest>();
  job.running = true;
  job.touched_at = clock_.now();
  job.shown.problem.clear();
  job.shown.pausing = false;
  job.shown.state = brings_in ? UploadState::kRunning : UploadState::kLooking;
  job.thread = std::thread([this, &job, owner, brings_in] { run(job, owner, brings_in); });
}

Status ConsoleImporter::make_plan(const server::Access& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  LADDER_TRY(Job* const job, find(owner, id));
  if (job->running || job->shown.state == UploadState::kPlanned) return {};
  if (job->shown.state != UploadState::kArriving) return fail(Code::kConflict, "this import has already been reviewed");
  if (job->shown.files.empty() || !job->shown.arrived()) return fail(Code::kConflict, "the upload is not complete");
  set_off(*job, owner, false);
  return {};
}

Status ConsoleImporter::start(const server::Access& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  LADDER_TRY(Job* const job, find(owner, id));
  if (job->running) return {};
  const UploadState state = job->shown.state;
  if (state != UploadState::kPlanned && state != UploadState::kPaused && state != UploadState::kFailed) {
    return fail(Code::kConflict, "this import has no plan to start");
  }
  const bool busy = std::ranges::any_of(
      jobs_, [](const auto& entry) { return entry.second->running && entry.second->shown.state == UploadState::kRunning; });
  if (busy) return fail(Code::kConflict, "another import is running; start this one when it is done or paused");
  LADDER_CHECK(folder_.note_start(id));
  set_off(*job, owner, true);
  return {};
}

Status ConsoleImporter::pause(const server::Access& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  LADDER_TRY(Job* const job, find(owner, id));
  if (!job->running || job->shown.state != UploadState::kRunning) return {};
  job->shown.pausing = true;
  job->stop->request();
  return {};
}

Status ConsoleImporter::discard(const server::Access& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  LADDER_TRY(Job* const job, find(owner, id));
  job->given_up = true;
  if (job->stop) job->stop->request();
  remove_finished();
  return {};
}

Result<Upload> ConsoleImporter::upload(const server::Access& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  LADDER_TRY(const Job* const job, find(owner, id));
  return shown(*job);
}

std::vector<Upload> ConsoleImporter::uploads(const server::Access& owner) {
  const MutexLock lock(mutex_);
  remove_finished();
  std::vector<Upload> all;
  for (const auto& [id, job] : jobs_) {
    const bool has_task = !job->given_up && (job->shown.state == UploadState::kDone || !job->shown.is_over());
    if (job->owner == owner.owner_name() && has_task) all.push_back(shown(*job));
  }
  std::ranges::sort(all, std::greater{}, &Upload::begun_at);
  return all;
}

Upload ConsoleImporter::shown(const Job& job) const {
  Upload now = job.shown;
  now.bytes_done = job.bytes_before + (job.counters ? job.counters->bytes_before + job.counters->bytes : 0);
  if (now.state == UploadState::kDone) now.bytes_done = now.bytes_all;
  now.bytes_done = std::min(now.bytes_done, now.bytes_all);
  const std::int64_t done = now.bytes_done - job.bytes_at_start;
  if (now.state == UploadState::kRunning && done > 0) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - job.started_at;
    now.seconds_left =
        static_cast<std::int64_t>(took.count() * static_cast<double>(now.bytes_all - now.bytes_done) / static_cast<double>(done));
  }
  return now;
}

void ConsoleImporter::run(Job& job, const server::Access& owner, bool brings_in) {
  Watcher watcher(*this, job);
  const Status done = work(job, owner, watcher, brings_in);
  const MutexLock lock(mutex_);
  job.counters = nullptr;
  job.shown.pausing = false;
  if (done) {
    job.shown.state = brings_in ? UploadState::kDone : UploadState::kPlanned;
    if (brings_in || job.shown.parts.empty()) folder_.remove(job.shown.id);  // nothing else can be done with the files
  } else if (done.error().code == Code::kCancelled && brings_in) {
    job.shown.state = UploadState::kPaused;
    for (console::ImportPart& part : job.shown.parts) {
      if (part.state == console::ImportPart::State::kRuns || part.broken_off.starts_with("stopped"))
        part.state = console::ImportPart::State::kWaits;
    }
  } else {
    job.shown.state = UploadState::kFailed;
    job.shown.problem = done.error().message;
  }
  job.touched_at = clock_.now();
  job.running = false;
}

Status ConsoleImporter::work(Job& job, const server::Access& owner, Watcher& watcher, bool brings_in) {
  std::string id;
  {
    const MutexLock lock(mutex_);
    id = job.shown.id;
  }
  std::deque<ImportRun> runs;
  std::vector<imports::wire::Loss> failed;
  LADDER_CHECK(scan_paths(settings_, watcher, *job.stop, folder_.paths(id), runs, failed));
  const auto parts = parts_of(owner, runs);
  {
    const MutexLock lock(mutex_);
    Upload& shown = job.shown;
    // Parts imported by an earlier run keep their results.
    std::vector<console::ImportPart> before = std::exchange(shown.parts, parts);
    for (std::size_t i = 0; i < std::min(before.size(), shown.parts.size()); ++i) {
      const bool same = before[i].file == shown.parts[i].file && before[i].bytes == shown.parts[i].bytes;
      if (same && before[i].state == console::ImportPart::State::kDone) shown.parts[i] = std::move(before[i]);
    }
    shown.refused.clear();
    shown.left_alone = shown.bytes_all = 0;
    shown.left_alone_kinds.clear();
    // Uses the names under which the files were dropped.
    const std::string prefix = folder_.dropped(id).string() + "/";
    const auto add = [&](std::vector<console::LostItem>& list, const std::vector<imports::wire::Loss>& files) {
      for (const imports::wire::Loss& file : files) {
        if (list.size() == kShownLosses) return;
        list.push_back(lost_item(file));
        std::string& path = list.back().file;
        if (path.starts_with(prefix)) path.erase(0, prefix.size());
      }
    };
    shown.left_files.clear();
    shown.recognized.clear();
    add(shown.refused, failed);
    for (const ImportRun& run : runs) {
      add(shown.refused, run.plan().refusals);
      add(shown.recognized, run.plan().known);
      add(shown.left_files, run.plan().left);
      shown.left_alone += run.plan().end.unclaimed;
      if (shown.left_alone_kinds.empty()) shown.left_alone_kinds = run.plan().end.unclaimed_kinds;
    }
    for (const console::ImportPart& part : shown.parts) shown.bytes_all += part.bytes;
    job.bytes_before = 0;
    job.bytes_at_start = 0;
    for (const console::ImportPart& part : shown.parts) {
      if (part.state == console::ImportPart::State::kDone) job.bytes_at_start += part.bytes;
    }
    shown.records_stored = 0;
    job.started_at = std::chrono::steady_clock::now();
  }
  if (!brings_in) return {};
  for (ImportRun& run : runs) LADDER_CHECK(run.import_all(roles_, owner));
  return {};
}

std::vector<console::ImportPart> ConsoleImporter::parts_of(const server::Access& owner, const std::deque<ImportRun>& runs) {
  const auto connections = roles_.sources.connections(owner);
  std::vector<console::ImportPart> parts;
  for (const ImportRun& run : runs) {
    for (const imports::wire::PlannedUnit& unit : run.plan().units) {
      console::ImportPart& part = parts.emplace_back();
      part.what = unit.what;
      part.file = unit.file;
      part.format = unit.source_key.empty() ? unit.format : unit.source_key;
      part.files = unit.files;
      part.bytes = unit.bytes;
      const std::string id = unit.connection_id.empty() ? connection_id_for(part.format, unit) : unit.connection_id;
      part.goes_to = id;
      part.is_new = true;
      if (!connections) continue;
      const auto known = std::ranges::find(*connections, id, &server::ConnectionSummary::connection_id);
      part.is_new = known == connections->end();
      if (!part.is_new && !known->display_name.empty()) part.goes_to = known->display_name;
    }
  }
  return parts;
}

}  // namespace ladder::app
