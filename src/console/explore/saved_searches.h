// The searches that the owner saved on the Search page: words and filters under a name.
#pragma once

#include "base/error/error.h"
#include "console/explore/explore.h"
#include "server/resource_server.h"

#include <string>
#include <vector>

namespace ladder::console {

struct SavedSearch {
  std::string key, name;
  ExploreQuery query;
};

Result<std::vector<SavedSearch>> saved_searches(server::ResourceServer& server, const server::Access& owner);  // oldest first
// Saves the query in the form's "search" under its "name", or under the words. kInvalidRequest for an empty search or a long
// name. A name that is taken is replaced.
Status save_search(server::ResourceServer& server, const server::Access& owner, const pages::Form& form);

// The menu of saved searches and the form that saves the present one.
html::Writer saved_search_bar(const std::vector<SavedSearch>& saved, const ExploreQuery& query, const std::string& csrf);

}  // namespace ladder::console
