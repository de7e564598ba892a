// The parent's side of the plan that the child process reports.
#pragma once

#include "base/error/error.h"
#include "cli/app/session.h"
#include "cli/commands/completions.h"
#include "cli/import/import_account.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"
#include "json/writer.h"
#include "store/store.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ladder::cli {

struct ImportPlan {
  std::vector<imports::wire::PlannedUnit> units;
  std::vector<imports::wire::Loss> refusals;  // what is wrong, and would have come in otherwise
  std::vector<imports::wire::Loss> links;     // not followed; nothing of the tree itself is lost by it
  imports::wire::PlanEnd end;
};

// Reads frames up to the end of the plan, which is bounded in number and bytes. The child's own complaint ("there is no format
// …") is kInvalidRequest.
Result<ImportPlan> read_plan(imports::wire::FrameSource& extractor);

std::string plan_text(const ImportPlan& plan);  // for people
void write(json::Writer& out, const ImportPlan& plan);

// A part's name in the store: the same for the same export, wherever it was unpacked. read_plan() makes the names of a plan's
// units differ, by changing `part` where need be, so that no account replaces another.
std::string unit_name(const imports::wire::PlannedUnit& unit);
// The id of the connection a unit goes to when none is named: "notes-my-vault".
std::string connection_id_for(std::string_view source_key, const imports::wire::PlannedUnit& unit);

// The formats that ladder-extract reads, as it tells them itself: nothing here knows one.

// Their names and what each reads; none when ladder-extract cannot be asked.
std::vector<Candidate> import_formats(const Context& context);

// Records of notes are known by their paths, and their connection by the name of the folder or archive alone, so that a vault may
// move. Two of one name would write over each other's records: this tells them apart. A folder whose name is taken is refused; an
// archive, of which many may lie in one folder, goes to a connection that is called after the folders around it as well.

// Says whether the unit's records are known by their place in the folder or archive, which the connection is called after.
bool is_called_after_its_tree(const imports::wire::PlannedUnit& unit);

// Lists the names for an archive's connection, by preference: its name, then with more and more of the folders it lies in.
std::vector<std::string> archive_accounts(const imports::wire::PlannedUnit& unit);

// The folder that the unit's connection is called after, from the paths that were given; "" when it is called after something
// else. kConflict when two of the folders given have that name.
Result<std::string> folder_of(const std::vector<std::string>& paths, const imports::wire::PlannedUnit& unit);

// The accounts that earlier imports left with a connection.
struct KeptImports {
  std::set<std::string> places;                   // the folders and archives whose records it holds
  std::map<std::string, UnitAccount> unfinished;  // by the name of the unit
};
KeptImports read_kept(const std::vector<store::ImportRow>& rows);

// kConflict when the connection holds what came from another folder or archive that is still there.
Status check_place(const std::string& place, const std::string& connection_id, const KeptImports& kept);

}  // namespace ladder::cli
