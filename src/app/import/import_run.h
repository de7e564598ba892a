// One run of an import over some paths: plan, units and reports. `ladder import` and the console use the same code.
#pragma once

#include "app/import/extractor.h"
#include "app/import/import_account.h"
#include "app/import/import_mirror.h"
#include "app/import/import_plan.h"
#include "app/import/import_unit.h"
#include "app/import/shipped_sources.h"
#include "app/stop_signal.h"
#include "base/error/error.h"
#include "server/import_roles.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::app {

struct ImportWords {
  std::optional<std::string> as, manifest, encoding, connection, name;
  bool separate = false;  // one connection per archive in a folder
  bool again = false;     // read unchanged files again
  MirrorRequest mirror = {};
  std::optional<std::string> with;      // a program of the owner that reads the only path
  bool net = false;                     // it may use the network
  std::set<std::string> existing = {};  // connections that an earlier run of a sync filled: an erased one is not filled again
  std::string synced_by = {};           // the name of the synced source that runs the import
  std::optional<std::string> position = {};  // with `with`: where the program continues, instead of the last interrupted import
  bool staged = false;                       // mail that a sync fetched: the names of folders are percent-encoded
};

// Receives progress from the thread that runs the import.
class ImportWatcher {
 public:
  virtual ~ImportWatcher() = default;
  virtual void note(std::string_view line) = 0;  // a message for the user
  // The counters live as long as the run, and may be read from any thread.
  virtual void begins(const ImportPlan& /*plan*/, const ImportCounters& /*counters*/) {}
  virtual bool is_done(const imports::wire::PlannedUnit& /*unit*/) { return false; }  // true: an earlier run imported it
  virtual void unit_begins(const imports::wire::PlannedUnit& /*unit*/) {}
  virtual void unit_goes_to(const std::string& /*connection*/) {}  // after unit_begins
  // The header of a record that was read and the beginning of its data.
  virtual void record_read(const imports::wire::RecordHeader& /*head*/, std::string_view /*data*/) {}
  virtual void record_gone(const std::string& /*stream*/, const std::string& /*key*/) {}  // its source has deleted it
  // Everything before the position is stored; with `with` only.
  virtual Status position_reached(const std::string& /*position*/) { return {}; }
  virtual void stored(std::int64_t /*records*/) {}  // so far, over all units
  virtual void unit_done(const UnitAccount& account) = 0;
  virtual void ended() {}
  virtual void announce(const GoneRecords& /*gone*/) {}  // before they are deleted
};

class ImportRun {
 public:
  struct Settings {
    ImportWords words = {};
    ExtractorProgram extractor;
  };

  // All arguments must outlive this object.
  ImportRun(const Settings& settings, ImportWatcher& watcher, const Stop& stop)
      : settings_(settings), words_(settings.words), watcher_(watcher), stop_(stop) {}

  // Builds the plan. kRsUnreachable, kRsProtocol and kRsTimeout are failures of the child.
  Status make_plan(const std::vector<std::string>& paths);
  // Deletes nothing that is not in the files, because the run does not read all of them.
  void set_incomplete(std::string reason) { incomplete_ = std::move(reason); }
  // Imports everything in the plan. Returns kCancelled if it was stopped; running it again resumes it.
  Status import_all(const server::ImportRoles& roles, const server::Access& owner);

  const ImportPlan& plan() const { return plan_; }
  const std::vector<UnitAccount>& accounts() const { return accounts_; }
  const std::set<std::string>& connections() const { return connections_; }
  std::map<std::string, SeenConnection>& seen() { return seen_; }  // by connection
  const std::vector<GoneRecords>& gone() const { return gone_; }   // of connections that have records that are not in the files

 private:
  Status start_child();
  Status import_units(const server::ImportRoles& roles, const server::Access& owner);
  Result<std::string> declaration_of(const imports::wire::PlannedUnit& unit, UnitAccount& account);
  Result<std::string> source_key(const server::ImportRoles& roles, const server::Access& owner, const std::string& declaration,
                                 const std::string& asked);
  Status read_connections(const server::ImportRoles& roles, const server::Access& owner);
  Result<PastImports*> kept_in(const server::ImportRoles& roles, const server::Access& owner, const std::string& connection);
  Result<std::string> connection_for(const server::ImportRoles& roles, const server::Access& owner, const std::string& key,
                                     const imports::wire::PlannedUnit& unit);
  Result<std::string> place_of(const imports::wire::PlannedUnit& unit);
  Result<imports::wire::PlannedUnit> with_unique_account(const server::ImportRoles& roles, const server::Access& owner,
                                                         const std::string& key, const imports::wire::PlannedUnit& unit,
                                                         const std::string& place);
  Status import_unit(const server::ImportRoles& roles, const server::Access& owner, const imports::wire::PlannedUnit& unit);
  Status record_failure(UnitAccount account, const Error& error);
  Status record_lost_child(UnitAccount account, const Error& error);
  Status report_unit(UnitAccount account);
  Status find_all_gone(const server::ImportRoles& roles, const server::Access& owner);
  Status sweep(const server::ImportRoles& roles, const server::Access& owner) const;

  const Settings& settings_;
  const ImportWords& words_;
  ImportWatcher& watcher_;
  const Stop& stop_;
  std::vector<std::string> paths_;
  std::string incomplete_;
  std::unique_ptr<Extractor> child_;
  ImportPlan plan_;
  std::vector<UnitAccount> accounts_;
  std::set<std::string> connections_;
  std::map<std::string, std::string> places_;                // archives that go to a named connection: name → path
  std::map<std::string, std::string> keys_;                  // declaration → source key
  std::map<std::string, std::set<std::string>> streams_;     // declaration → streams
  std::optional<std::map<std::string, std::string>> known_;  // the store's connections, read once: id → source key
  std::map<std::string, PastImports> kept_;                  // for the connections looked up so far, read once each
  std::map<std::string, SeenConnection> seen_;
  std::vector<GoneRecords> gone_;
  ImportCounters counters_;
  std::int64_t stored_ = 0;
};

// Scans all paths together, so that the parts of one export are matched. If the child crashes, it scans each path separately;
// the faulty one is added to `failed` and the others continue, without deleting anything.
Status scan_paths(const ImportRun::Settings& settings, ImportWatcher& watcher, const Stop& stop,
                  const std::vector<std::string>& paths, std::deque<ImportRun>& runs, std::vector<imports::wire::Loss>& failed);

}  // namespace ladder::app
