// Searches everything that the caller may read. Thread-safe.
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "server/search/search_plan.h"
#include "server/shared/shared_state.h"

#include <stop_token>

namespace ladder::server {

class Search {
 public:
  explicit Search(SharedState& shared) : shared_(shared) {}

  // Returns hits, best first, with the text that matched. kInvalidRequest for words that can't be searched,
  // kStreamNotAllowed, kConnectionNotFound, kDeadline; cursors as for records.
  Result<api::SearchPage> find(const Access& access, const api::SearchRequest& request, std::stop_token stop = {});

 private:
  SharedState& shared_;
  SearchPlans plans_;
};

}  // namespace ladder::server
