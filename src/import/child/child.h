// Plans an import: the trees of the paths, and which format reads which part of them.
#pragma once

#include "import/child/format.h"
#include "import/tree/tree.h"
#include "import/wire/messages.h"

#include <memory>
#include <string>
#include <string_view>
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
  imports::wire::PlanEnd end;
};

// The same paths in any order give the same plan. `as` names the one format to use; "" lets all of them look.
// kInvalidRequest for a name that no format has.
Result<Plan> make_plan(std::span<const std::string> paths, std::string_view as, const Request& request, const SignOfLife& alive);

imports::wire::PlannedUnit describe(const PlannedPart& part, std::int64_t number);

// Runs ladder-extract as a function.

// `version` is Ladder's: whoever started this must be of the same. The exit code.
int run_child(int argc, char** argv, std::string_view version);

}  // namespace ladder::imports
