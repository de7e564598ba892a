// What is where: the trees of the paths, and which format reads which part of them.
#pragma once

#include "extract/messages.h"
#include "import/format.h"
#include "import/trees.h"

#include <memory>
#include <string>
#include <vector>

namespace ladder::imports {

struct PlannedPart {
  const Format* format = nullptr;
  Tree* tree = nullptr;
  Unit unit;
};

struct Plan {
  OpenedTrees opened;
  std::vector<PlannedPart> parts;
  std::vector<Refusal> refusals;  // of all trees, and paths that cannot be opened
  extract::PlanEnd end;
};

// The same paths in any order give the same plan. `as` names the one format to use; "" lets all of them look.
// kInvalidRequest for a name that no format has.
Result<Plan> make_plan(std::span<const std::string> paths, std::string_view as, const Request& request, const SignOfLife& alive);

extract::PlannedUnit describe(const PlannedPart& part, std::int64_t number);

}  // namespace ladder::imports
