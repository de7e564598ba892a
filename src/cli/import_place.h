// Records of notes are known by their paths, and their connection by the name of the folder alone, so that a vault may move. Two
// folders of one name would write over each other's records: this tells them apart.
#pragma once

#include "base/result.h"
#include "extract/messages.h"
#include "store/store.h"

#include <string>
#include <vector>

namespace ladder::cli {

// The folder that the unit's connection is called after, from the paths that were given; "" when it is called after something
// else. kConflict when two of the folders given have that name.
Result<std::string> folder_of(const std::vector<std::string>& paths, const extract::PlannedUnit& unit);

// kConflict when the connection holds what came from another folder that is still there.
Status check_folder(const std::string& folder, const std::string& connection_id, const std::vector<store::ImportRow>& kept);

}  // namespace ladder::cli
