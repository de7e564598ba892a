#include "cli/import_place.h"

#include "base/format.h"
#include "cli/import_account.h"
#include "cli/visible_text.h"

#include <filesystem>
#include <set>

namespace ladder::cli {

namespace fs = std::filesystem;

Result<std::string> folder_of(const std::vector<std::string>& paths, const extract::PlannedUnit& unit) {
  if (unit.account.empty() || unit.account != unit.tree || !unit.connection_id.empty()) return std::string();
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path whole = fs::canonical(path, error);
    if (error) continue;
    const fs::path folder = fs::is_directory(whole, error) ? whole : whole.parent_path();
    if (folder.filename() == unit.tree) folders.insert(folder.string());
  }
  if (folders.size() > 1) {
    return fail(Code::kConflict, format("several folders are called {}, and what is in one would write over the other: import "
                                        "them one by one, each with its own --connection ID",
                                        visible_label(unit.tree)));
  }
  return folders.empty() ? std::string() : *folders.begin();
}

Status check_folder(const std::string& folder, const std::string& connection_id, const std::vector<store::ImportRow>& kept) {
  if (folder.empty()) return {};
  for (const store::ImportRow& row : kept) {
    const auto account = read_account(row.body);
    std::error_code error;
    if (!account || account->folder.empty() || account->folder == folder || !fs::is_directory(account->folder, error)) continue;
    return fail(Code::kConflict,
                format("the connection {0} holds what came from {1}, and this would write over it: --connection ID imports it "
                       "into another, --connection {0} into this one all the same",
                       visible_label(connection_id), visible_label(account->folder)));
  }
  return {};
}

}  // namespace ladder::cli
