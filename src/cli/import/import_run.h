// One run of an import over some paths: plan, units, accounts. `ladder import` and the pages' importer run the same.
#pragma once

#include "base/error/error.h"
#include "cli/app/stop_signal.h"
#include "cli/import/extractor.h"
#include "cli/import/import_account.h"
#include "cli/import/import_plan.h"
#include "cli/import/import_unit.h"
#include "cli/import/shipped_sources.h"
#include "server/resource_server.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct ImportWords {
  std::optional<std::string> as, manifest, encoding, connection, name;
  bool separate = false;  // a connection for every archive in a folder
};

// Told how a run goes on, from the thread that runs it.
class ImportWatcher {
 public:
  virtual ~ImportWatcher() = default;
  virtual void note(std::string_view line) = 0;  // something to know on the way
  // The counters live as long as the run, and may be read from any thread.
  virtual void begins(const ImportPlan& /*plan*/, const ImportCounters& /*counters*/) {}
  virtual bool is_done(const imports::wire::PlannedUnit& /*unit*/) { return false; }  // by an earlier run: it is passed over
  virtual void unit_begins(const imports::wire::PlannedUnit& /*unit*/) {}
  virtual void stored(std::int64_t /*records*/) {}  // so far, over all units
  virtual void unit_done(const UnitAccount& account) = 0;
  virtual void ended() {}
};

class ImportRun {
 public:
  struct Settings {
    ImportWords words = {};
    ExtractorPlace extractor;
  };

  // All of them must outlive it.
  ImportRun(const Settings& settings, ImportWatcher& watcher, const Stop& stop)
      : settings_(settings), words_(settings.words), watcher_(watcher), stop_(stop) {}

  // Makes the plan. kRsUnreachable, kRsProtocol and kRsTimeout are faults of the child.
  Status look(const std::vector<std::string>& paths);
  // Everything of the plan. kCancelled when it was stopped: the same again goes on.
  Status bring_in(server::ResourceServer& server, const server::Access& owner);

  const ImportPlan& plan() const { return plan_; }
  const std::vector<UnitAccount>& accounts() const { return accounts_; }
  const std::set<std::string>& connections() const { return connections_; }

 private:
  Status start_child();
  Status bring_in_units(server::ResourceServer& server, const server::Access& owner);
  Result<std::string> declaration_of(const imports::wire::PlannedUnit& unit, UnitAccount& account);
  Result<std::string> source_key(server::ResourceServer& server, const server::Access& owner, const std::string& declaration,
                                 const std::string& asked);
  Status read_connections(server::ResourceServer& server, const server::Access& owner);
  Result<KeptImports*> kept_in(server::ResourceServer& server, const server::Access& owner, const std::string& connection);
  Result<std::string> connection_for(server::ResourceServer& server, const server::Access& owner, const std::string& key,
                                     const imports::wire::PlannedUnit& unit);
  Result<std::string> place_of(const imports::wire::PlannedUnit& unit);
  Result<imports::wire::PlannedUnit> called_apart(server::ResourceServer& server, const server::Access& owner,
                                                  const std::string& key, const imports::wire::PlannedUnit& unit,
                                                  const std::string& place);
  Status bring_in_unit(server::ResourceServer& server, const server::Access& owner, const imports::wire::PlannedUnit& unit);
  Status not_taken(UnitAccount account, const Error& error);
  Status lost_child(UnitAccount account, const Error& error);
  Status told(UnitAccount account);
  Status sweep(server::ResourceServer& server, const server::Access& owner) const;

  const Settings& settings_;
  const ImportWords& words_;
  ImportWatcher& watcher_;
  const Stop& stop_;
  std::vector<std::string> paths_;
  std::unique_ptr<Extractor> child_;
  ImportPlan plan_;
  std::vector<UnitAccount> accounts_;
  std::set<std::string> connections_;
  std::map<std::string, std::string> places_;                // of archives that go to a connection that was named: name → path
  std::map<std::string, std::string> keys_;                  // declaration → key of its source
  std::map<std::string, std::set<std::string>> streams_;     // declaration → its streams
  std::optional<std::map<std::string, std::string>> known_;  // connections of the store, read once: id → key of the source
  std::map<std::string, KeptImports> kept_;                  // of the connections that were looked at, read once
  ImportCounters counters_;
  std::int64_t stored_ = 0;
};

// Looks at all paths together, so that parts of one export find each other. When the child does not survive that, at each by
// itself: then the one at fault is in `failed` and the others go on.
Status look_at(const ImportRun::Settings& settings, ImportWatcher& watcher, const Stop& stop,
               const std::vector<std::string>& paths, std::deque<ImportRun>& runs, std::vector<imports::wire::Loss>& failed);

}  // namespace ladder::cli
