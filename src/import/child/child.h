// Plans an import: opens the paths as trees and assigns their files to formats.
#pragma once

#include "import/formats/format.h"
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

// A file that no format claims.
struct LeftFile {
  std::string path;
  std::string_view what;  // "a Telegram export"; "" if it is unknown
};

struct Plan {
  OpenedTrees opened;
  std::vector<PlannedPart> parts;
  std::vector<Refusal> refusals;  // from all trees, plus paths that cannot be opened
  std::vector<Refusal> known;     // known exports that are not read: the first file of each, and a sentence
  std::vector<LeftFile> left;     // at most kMaxListedLeft
  wire::PlanEnd end;
};

// The plan does not depend on the order of the paths. `as` names the format to use; "" tries all formats. Returns
// kInvalidRequest for an unknown format.
// `program`, if not null, reads everything instead of the built-in formats.
Result<Plan> make_plan(std::span<const std::string> paths, std::string_view as, const Request& request, const Heartbeat& alive,
                       const Format* program = nullptr);

wire::PlannedUnit describe(const PlannedPart& part, std::int64_t number);

// Runs ladder-extract as a function.
// `version` is Ladder's version; the parent process must have the same one. Returns the exit code.
int run_child(int argc, char** argv, std::string_view version);

}  // namespace ladder::imports
