#include "app/sync/folder_import.h"

#include "app/sync/record_key.h"
#include "app/sync/synced_records.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/removals.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

// The records of a unit that was read in this run, by file.
struct ReadUnit {
  std::string name, connection;
  std::map<std::string, std::vector<sync::RecordKey>> files;
  std::int64_t records = 0;  // that were read
  bool is_tracked = true;    // every record's key is known
};

class Watcher final : public ImportWatcher {
 public:
  void note(std::string_view) override {}
  void unit_begins(const imports::wire::PlannedUnit& unit) override { now_ = {unit_name(unit), "", {}, 0, true}; }
  void unit_goes_to(const std::string& connection) override { now_.connection = connection; }
  void record_read(const imports::wire::RecordHeader& head, std::string_view data) override {
    ++now_.records;
    std::string key = record_key(head, data);
    if (key.empty()) now_.is_tracked = false;
    else now_.files[head.place.file].push_back({head.stream, std::move(key)});
  }
  void unit_done(const UnitAccount& account) override {
    if (!account.complete() || account.lost > 0) is_complete = false;
    for (const auto& [stream, counts] : account.streams) {
      added += counts.added + counts.changed;
      // A unit that was continued has records that an earlier run read.
      if (!account.was_unchanged) now_.records -= counts.read;
    }
    if (account.was_unchanged) unchanged.insert(now_.name);
    else if (now_.records != 0) knows_records = false;
    else read.push_back(std::exchange(now_, {}));
  }

  std::vector<ReadUnit> read;
  std::set<std::string> unchanged;
  std::int64_t added = 0;
  bool is_complete = true;    // nothing was lost
  bool knows_records = true;  // those of every unit

 private:
  ReadUnit now_;
};

std::string entry_name(const ReadUnit& unit, const std::string& file) { return unit.name + '\n' + file; }
std::string unit_of(const std::string& entry) { return entry.substr(0, entry.find('\n')); }

// Replaces the files of the unit by those that were read. Files whose records are the same keep their entry.
void take_unit(sync::FolderState& folder, const ReadUnit& unit) {
  std::map<std::string, const std::vector<sync::RecordKey>*> now;
  for (const auto& [file, records] : unit.files) now.emplace(entry_name(unit, file), &records);
  folder.each([&](sync::Entry& entry) {
    if (entry.gone || unit_of(entry.name) != unit.name) return false;
    const auto found = now.find(entry.name);
    const bool is_same = found != now.end() && *found->second == entry.records;
    if (is_same) now.erase(found);
    return !is_same && !std::exchange(entry.gone, true);
  });
  for (const auto& [name, records] : now) folder.add({folder.uid_next++, "", *records, false, name, ""});
}

class FolderRun {
 public:
  FolderRun(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner, const sync::Source& source,
            const ExtractorProgram& extractor, const sync::RunOptions& options, const std::stop_token& stop)
      : server_(server), store_(store), owner_(owner), source_(source), extractor_(extractor), options_(options), stop_(stop) {}

  Result<sync::RunReport> run() {
    std::error_code error;
    if (!fs::is_directory(source_.address, error))
      return fail(Code::kNotFound, format("the folder '{}' is missing; is its disk connected?", visible_label(source_.address)),
                  "--path");
    LADDER_TRY(folders_, store_.folders(owner_, source_.name));
    StopRequest request;
    const std::stop_callback<std::function<void()>> pass_on(stop_, [&] { request.request(); });
    ImportRun::Settings settings{{}, extractor_};
    settings.words.synced_by = source_.name;
    // Without complete knowledge of the records everything is read again.
    settings.words.again =
        folders_.empty() || std::ranges::any_of(folders_, [](const auto& folder) { return folder.token.empty(); });
    for (const sync::FolderState& folder : folders_) {
      if (folder.chunk_count > 0) settings.words.existing.insert(folder.wire_name);
    }
    Watcher watcher;
    ImportRun import(settings, watcher, request);
    LADDER_CHECK(import.make_plan({source_.address}));
    LADDER_CHECK(import.import_all(server_.import_roles(), owner_));
    // Records may come from files behind links, which are not followed.
    const bool is_complete = watcher.is_complete && import.plan().refusals.empty() && import.plan().links.empty();
    report_.is_incomplete = !is_complete || !watcher.knows_records;
    LADDER_CHECK(take(watcher, import));
    if (!report_.is_incomplete) LADDER_CHECK(remove());
    report_.fetched = watcher.added;
    report_.folders = std::ssize(import.plan().units);
    report_.unchanged = std::ssize(watcher.unchanged);
    return report_;
  }

 private:
  Status take(const Watcher& watcher, const ImportRun& import) {
    for (const ReadUnit& unit : watcher.read) {
      if (!unit.is_tracked) continue;
      sync::FolderState& folder = sync::state_of(folders_, unit.connection, unit.connection);
      LADDER_CHECK(store_.load_entries(owner_, source_.name, folder));
      folder.uid_validity = 1;
      take_unit(folder, unit);
    }
    std::set<std::string> planned;
    for (const auto& unit : import.plan().units) planned.insert(unit_name(unit));
    for (sync::FolderState& folder : folders_) {
      LADDER_CHECK(store_.load_entries(owner_, source_.name, folder));
      if (!report_.is_incomplete)
        folder.each(
            [&](sync::Entry& entry) { return !planned.contains(unit_of(entry.name)) && !std::exchange(entry.gone, true); });
      folder.token = watcher.knows_records ? "complete" : "";
      folder.messages = folder.live();
      report_.messages += static_cast<std::int64_t>(folder.messages);
      LADDER_CHECK(store_.save(owner_, source_.name, folder));
    }
    return {};
  }

  // Removes the records of missing files, connection by connection.
  Status remove() {
    std::int64_t removed = 0, waiting = 0;
    for (sync::FolderState& folder : folders_) {
      LADDER_TRY(const bool is_shared, store_.is_filled_by_another(owner_, source_.name, folder.wire_name));
      SyncedRecords records(
          server_, owner_, {folder.wire_name, source_.name, "", source_.address, extractor_, is_shared}, {},
          [](const UnitAccount&) -> Status { return {}; }, stop_);
      LADDER_TRY(sync::Staging staging, sync::Staging::open(options_.staging));
      sync::RunReport report;
      sync::RunParts parts{source_, store_, owner_, records, staging, report, {}};
      std::vector<sync::FolderState> one;
      one.push_back(std::move(folder));
      LADDER_CHECK(sync::remove_gone(parts, one, options_.confirmed_removals, options_.removed_recently));
      removed += report.removed;
      waiting += report.waiting_removals;
    }
    report_.removed = removed;
    report_.waiting_removals = waiting;
    return {};
  }

  server::ResourceServer& server_;
  sync::SyncStore& store_;
  const server::Access& owner_;
  const sync::Source& source_;
  const ExtractorProgram& extractor_;
  const sync::RunOptions& options_;
  const std::stop_token& stop_;
  std::vector<sync::FolderState> folders_;
  sync::RunReport report_;
};

}  // namespace

Result<sync::RunReport> import_synced_folder(server::ResourceServer& server, sync::SyncStore& store, const server::Access& owner,
                                             const sync::Source& source, const ExtractorProgram& extractor,
                                             const sync::RunOptions& options, const std::stop_token& stop) {
  return FolderRun(server, store, owner, source, extractor, options, stop).run();
}

}  // namespace ladder::app
