// The plan that the child process reports, as the parent sees it.
#pragma once

#include "app/import/import_account.h"
#include "base/error/error.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"
#include "json/writer.h"
#include "store/store.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ladder::app {

struct ImportPlan {
  std::vector<imports::wire::PlannedUnit> units;
  std::vector<imports::wire::Loss> refusals;  // files with problems that would otherwise be imported
  std::vector<imports::wire::Loss> links;     // not followed; the tree itself loses no data
  std::vector<imports::wire::Loss> known;     // known exports that are not read, and what to do
  std::vector<imports::wire::Loss> left;      // files of no format: the first ones, and what they are if that is known
  imports::wire::PlanEnd end;
};

// Reads frames up to the end of the plan, which is bounded in count and bytes. An error that the child reports itself ("there
// is no format …") is kInvalidRequest.
Result<ImportPlan> read_plan(imports::wire::FrameSource& extractor);

std::string plan_text(const ImportPlan& plan);  // for people
void write(json::Writer& out, const ImportPlan& plan);

// Returns the unit's name in the store. It is the same for the same export, wherever it was unpacked. read_plan() makes the
// names unique within a plan, by changing `part` if needed, so that no report replaces another.
std::string unit_name(const imports::wire::PlannedUnit& unit);
// Returns the id of the connection that a unit is imported into if none is named: "notes-my-vault".
std::string connection_id_for(std::string_view source_key, const imports::wire::PlannedUnit& unit);

// The keys of notes are their paths, and the connection is named after the folder or archive only, so that a vault can be
// moved. Two trees of the same name would overwrite each other's records. This prevents it: a second folder of the same name is
// refused, and a second archive, since many may be in one folder, gets a connection that is also named after the parent
// folders.

// Reports whether the unit's records are identified by their path in the folder or archive, which names the connection.
bool is_named_after_tree(const imports::wire::PlannedUnit& unit);

// Returns names for an archive's connection, best first: its name, then with more and more parent folders.
std::vector<std::string> archive_accounts(const imports::wire::PlannedUnit& unit);

// Returns the folder that names the unit's connection, from the given paths, or "" if another name is used. Returns kConflict
// if two of the given folders have that name.
Result<std::string> folder_of(const std::vector<std::string>& paths, const imports::wire::PlannedUnit& unit);

// The reports that earlier imports stored with a connection.
struct PastImports {
  std::set<std::string> places;                             // the folders and archives that its records came from
  std::map<std::string, UnitAccount> unfinished, finished;  // by unit name
};
PastImports read_kept(const std::vector<store::ImportRow>& rows);

// Returns kConflict if the connection holds records of another folder or archive that still exists.
Status check_place(const std::string& place, const std::string& connection_id, const PastImports& kept);

}  // namespace ladder::app
