#include "cli/did_you_mean.h"

#include "base/nearest.h"
#include "cli/command_line.h"
#include "cli/store_names.h"

#include <algorithm>

namespace ladder::cli {

std::string did_you_mean(const std::vector<std::string>& words, const Context& context) {
  if (std::ranges::any_of(words, [](const std::string& word) { return word == "--token" || word.starts_with("--token="); }))
    return {};
  StoreNames store(context, words);
  for (const NamedValue& value : named_values(words)) {
    std::vector<std::string> names = value.choices;
    // Ids of grants and tokens are random: a near one is another, and nobody should revoke that by a keystroke.
    const bool any = value.values == Values::kText || value.values == Values::kFiles || value.values == Values::kFolders;
    const bool told_already = value.values == Values::kFormats;  // by who knows them
    if (any || told_already || value.values == Values::kGrants || value.values == Values::kTokens) continue;
    if (value.values != Values::kChoices) {
      for (Candidate& one : store.find(value.values, value.before)) names.push_back(std::move(one.text));
    }
    if (std::ranges::find(names, value.text) != names.end()) continue;
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const std::string_view near = nearest(value.text, views); !near.empty()) return std::string(near);
  }
  return {};
}

}  // namespace ladder::cli
