#include "app/sync/program_sync.h"

#include "app/sync/synced_records.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/removals.h"

#include <chrono>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace ladder::app {
namespace {

constexpr std::string_view kFolder = "program";
constexpr auto kSaveEvery = std::chrono::seconds(2);
constexpr std::size_t kMaxGone = 1'000'000;  // of a run

// The state of the source has one entry for the program, and one for every record that is gone and not removed yet.
class State {
 public:
  State(sync::SyncStore& store, const server::Access& owner, const sync::Source& source)
      : store_(store), owner_(owner), source_(source) {}

  Status load() {
    LADDER_TRY(folders_, store_.folders(owner_, source_.name));
    sync::FolderState& folder = sync::state_of(folders_, std::string(kFolder), std::string(kFolder));
    LADDER_CHECK(store_.load_entries(owner_, source_.name, folder));
    folder.each([&](const sync::Entry& entry) {
      if (entry.gone) gone_.insert(entry.records.begin(), entry.records.end());
      return false;
    });
    return {};
  }

  std::string position() const { return folders_.front().token; }
  const std::set<sync::RecordKey>& gone() const { return gone_; }

  Status add_gone(sync::RecordKey record) {
    if (gone_.size() >= kMaxGone) return fail(Code::kResourceLimit, format("the program deletes more than {} records", kMaxGone));
    if (gone_.insert(record).second) {
      sync::FolderState& folder = folders_.front();
      folder.add({folder.uid_next++, {}, {std::move(record)}, true, {}, {}});
    }
    return {};
  }

  // Forgets those of the records that are gone for which `is_done` returns true.
  template <class IsDone>
  void forget(IsDone is_done) {
    std::erase_if(gone_, is_done);
    for (sync::Chunk& chunk : folders_.front().chunks) {
      const auto is_over = [&](const sync::Entry& entry) { return entry.gone && !gone_.contains(entry.records.front()); };
      chunk.changed = std::erase_if(chunk.entries, is_over) > 0 || chunk.changed;
    }
  }

  // Keeps the position together with everything that is gone before it.
  Status save(std::string position) {
    sync::FolderState& folder = folders_.front();
    if (folder.chunks.empty()) folder.add({folder.uid_next++, {}, {}, false, std::string(kFolder), {}});
    folder.uid_validity = 1;
    folder.token = std::move(position);
    return store_.save(owner_, source_.name, folder);
  }

 private:
  sync::SyncStore& store_;
  const server::Access& owner_;
  const sync::Source& source_;
  std::vector<sync::FolderState> folders_;
  std::set<sync::RecordKey> gone_;
};

class Watcher final : public ImportWatcher {
 public:
  explicit Watcher(State& state) : state_(state) {}

  void note(std::string_view) override {}
  void unit_done(const UnitAccount& account) override { accounts.push_back(account); }
  void record_gone(const std::string& stream, const std::string& key) override {
    if (problem_) problem_ = state_.add_gone({stream, key});
  }
  Status position_reached(const std::string& position) override {
    LADDER_CHECK(problem_);
    reached = position;
    const auto now = std::chrono::steady_clock::now();
    if (now - saved_ < kSaveEvery) return {};
    saved_ = now;
    return state_.save(position);
  }
  const Status& problem() const { return problem_; }

  std::vector<UnitAccount> accounts;
  std::string reached;

 private:
  State& state_;
  Status problem_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

class ProgramRun {
 public:
  ProgramRun(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner, const sync::Source& source,
             ProgramSync settings, const sync::RunOptions& options, const std::stop_token& stop)
      : server_(server),
        store_(store),
        owner_(owner),
        source_(source),
        settings_(std::move(settings)),
        options_(options),
        stop_(stop),
        state_(store, owner, source) {}

  Result<sync::RunReport> run() {
    std::error_code error;
    if (!std::filesystem::exists(source_.address, error))
      return fail(Code::kNotFound, format("'{}', which the program reads, is missing", visible_label(source_.address)), "--path");
    LADDER_CHECK(state_.load());
    StopRequest request;
    const std::stop_callback<std::function<void()>> pass_on(stop_, [&] { request.request(); });
    ImportRun::Settings settings{{}, settings_.extractor};
    settings.words.with = source_.program;
    settings.words.net = source_.net;
    settings.words.connection = source_.connection;
    settings.words.name = source_.name;
    settings.words.synced_by = source_.name;
    settings.words.position = state_.position();
    if (settings_.has_records) settings.words.existing.insert(source_.connection);
    Watcher watcher(state_);
    watcher.reached = state_.position();
    ImportRun import(settings, watcher, request);
    LADDER_CHECK(import.make_plan({source_.address}));
    const Status done = import.import_all(server_.import_roles(), owner_);
    // Records that a run has stored count, even if it ended too early.
    if (!watcher.accounts.empty()) LADDER_CHECK(keep_account(import, watcher.accounts.front()));
    LADDER_CHECK(watcher.problem());
    LADDER_CHECK(done);
    if (watcher.accounts.empty()) return fail(Code::kInvalidRequest, "the program read nothing", "--with");
    const UnitAccount& account = watcher.accounts.front();
    if (!account.broken_off.empty()) return fail(Code::kInvalidRequest, account.broken_off, "--with");
    count(account);
    LADDER_CHECK(find_gone(import, account));
    LADDER_CHECK(remove());
    LADDER_CHECK(state_.save(watcher.reached));
    return report_;
  }

 private:
  void count(const UnitAccount& account) {
    report_.folders = 1;
    report_.is_incomplete = account.lost > 0;
    for (const auto& [name, stream] : account.streams) report_.fetched += stream.added + stream.changed;
    if (report_.fetched == 0) report_.unchanged = 1;
  }

  // A record that the program sent in this run is not gone.
  Status find_gone(ImportRun& import, const UnitAccount& account) {
    SeenConnection& seen = import.seen()[source_.connection];
    for (auto& [stream, keys] : seen.keys()) keys.finish();
    state_.forget([&](const sync::RecordKey& record) {
      const auto keys = seen.keys().find(record.stream);
      return keys != seen.keys().end() && keys->second.contains(record.key);
    });
    if (!seen.is_complete() || account.lost > 0) return {};
    LADDER_TRY(const server::MissingRecords missing, server_.imports().missing(owner_, source_.connection, seen.keys()));
    for (const auto& [stream, keys] : missing.keys) {
      for (const std::string& key : keys) LADDER_CHECK(state_.add_gone({stream, key}));
    }
    return {};
  }

  // The import stored the report of this run; the total is put in its place.
  Status keep_account(const ImportRun& import, UnitAccount run) {
    UnitAccount total = std::move(settings_.account);
    total.what = run.what;
    total.file = run.file;
    total.synced_by = source_.name;
    total.broken_off = run.broken_off;
    total.at = run.at;
    total.add(std::move(run));
    LADDER_CHECK(server_.imports().put(owner_, source_.connection, unit_name(import.plan().units.front()), to_json(total)));
    return settings_.keep(total);
  }

  Result<std::int64_t> records_here() {
    LADDER_TRY(const server::ConnectionSummary summary, server_.sources().connection(owner_, source_.connection));
    std::int64_t records = 0;
    for (const auto& stream : summary.streams) records += stream.records;
    return records;
  }

  Status remove() {
    LADDER_TRY(report_.messages, records_here());
    if (source_.keep_deleted) state_.forget([](const sync::RecordKey&) { return true; });
    if (state_.gone().empty() || report_.is_incomplete) return {};
    LADDER_TRY(const bool is_filled, store_.is_filled_by_another(owner_, source_.name, source_.connection));
    SyncedRecords records(
        server_, owner_, {source_.connection, source_.name, "", source_.address, settings_.extractor, is_filled}, {},
        [](const UnitAccount&) -> Status { return {}; }, stop_);
    LADDER_TRY(const bool is_shared, records.is_shared());
    const std::int64_t gone = std::ssize(state_.gone());
    if (gone > options_.confirmed_removals && (is_shared || sync::are_many(gone, report_.messages, options_.removed_recently))) {
      report_.waiting_removals = gone;
      return {};
    }
    const std::vector<sync::RecordKey> keys(state_.gone().begin(), state_.gone().end());
    LADDER_CHECK(records.remove(keys));
    state_.forget([](const sync::RecordKey&) { return true; });
    LADDER_TRY(const std::int64_t left, records_here());
    report_.removed = std::exchange(report_.messages, left) - left;  // the program may have named records that are not here
    return {};
  }

  server::ResourceServer& server_;
  sync::SyncStore& store_;
  const server::Access& owner_;
  const sync::Source& source_;
  ProgramSync settings_;
  const sync::RunOptions& options_;
  const std::stop_token& stop_;
  State state_;
  sync::RunReport report_;
};

}  // namespace

Result<sync::RunReport> run_synced_program(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner,
                                           const sync::Source& source, ProgramSync settings, const sync::RunOptions& options,
                                           const std::stop_token& stop) {
  return ProgramRun(server, store, owner, source, std::move(settings), options, stop).run();
}

}  // namespace ladder::app
