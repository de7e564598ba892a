// The passages that may answer a question: the best hits of a search, each as one numbered quotation with its place.
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "server/search/search.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::ask {

struct Passage {
  int number = 0;  // 1, 2, …
  api::SearchHit hit;
  std::string text;  // the windows of the hit, as a model gets them
};

struct Passages {
  std::vector<Passage> passages;  // best first, at most limits::kAskPassages
  std::int64_t found = 0;         // records that match; a lower bound unless `exact`
  bool exact = true;
  std::vector<api::Warning> warnings;
};

// Searches with the rights of `access`. kInvalidRequest for an empty or very long question. `connections` as in
// api::SearchRequest.
Result<Passages> find_passages(server::Search& search, const server::Access& access, const std::string& question,
                               std::vector<std::string> connections = {});

}  // namespace ladder::ask
