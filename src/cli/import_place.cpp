#include "cli/import_place.h"

#include "base/format.h"
#include "cli/import_account.h"
#include "cli/visible_text.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ladder::cli {

namespace fs = std::filesystem;

bool is_called_after_its_tree(const extract::PlannedUnit& unit) {
  return !unit.account.empty() && unit.account == unit.tree && unit.connection_id.empty();
}

std::vector<std::string> archive_accounts(const extract::PlannedUnit& unit) {
  std::vector<std::string> accounts = {unit.account};
  const fs::path folder = fs::path(unit.place).parent_path().relative_path();
  for (auto part = folder.end(); part != folder.begin();) {
    --part;
    accounts.push_back(format("{}/{}", part->string(), accounts.back()));
  }
  accounts.push_back(unit.place);
  return accounts;
}

bool came_from(const std::string& archive, const std::vector<store::ImportRow>& kept) {
  return std::ranges::any_of(kept, [&](const store::ImportRow& row) {
    const auto account = read_account(row.body);
    return account && account->folder == archive;
  });
}

Result<std::string> folder_of(const std::vector<std::string>& paths, const extract::PlannedUnit& unit) {
  if (!is_called_after_its_tree(unit)) return std::string();
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

Status check_place(const std::string& place, const std::string& connection_id, const std::vector<store::ImportRow>& kept) {
  if (place.empty()) return {};
  for (const store::ImportRow& row : kept) {
    const auto account = read_account(row.body);
    std::error_code error;
    if (!account || account->folder.empty() || account->folder == place || !fs::exists(account->folder, error)) continue;
    return fail(Code::kConflict,
                format("the connection {0} holds what came from {1}, and this would write over it: --connection ID imports it "
                       "into another, --connection {0} into this one all the same",
                       visible_label(connection_id), visible_label(account->folder)));
  }
  return {};
}

}  // namespace ladder::cli
