// Records of notes are known by their paths, and their connection by the name of the folder or archive alone, so that a vault may
// move. Two of one name would write over each other's records: this tells them apart. A folder whose name is taken is refused; an
// archive, of which many may lie in one folder, goes to a connection that is called after the folders around it as well.
#pragma once

#include "base/result.h"
#include "extract/messages.h"
#include "store/store.h"

#include <string>
#include <vector>

namespace ladder::cli {

// Whether the unit's records are known by their place in the folder or archive, which the connection is called after.
bool is_called_after_its_tree(const extract::PlannedUnit& unit);

// Lists the names for an archive's connection, by preference: its name, then with more and more of the folders it lies in.
std::vector<std::string> archive_accounts(const extract::PlannedUnit& unit);

// Whether the connection holds what came from that archive.
bool came_from(const std::string& archive, const std::vector<store::ImportRow>& kept);

// The folder that the unit's connection is called after, from the paths that were given; "" when it is called after something
// else. kConflict when two of the folders given have that name.
Result<std::string> folder_of(const std::vector<std::string>& paths, const extract::PlannedUnit& unit);

// kConflict when the connection holds what came from another folder or archive that is still there.
Status check_place(const std::string& place, const std::string& connection_id, const std::vector<store::ImportRow>& kept);

}  // namespace ladder::cli
