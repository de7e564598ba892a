// What the child found: the parent's side of the plan.
#pragma once

#include "base/result.h"
#include "extract/frame.h"
#include "extract/messages.h"
#include "json/writer.h"

#include <string>
#include <vector>

namespace ladder::cli {

struct ImportPlan {
  std::vector<extract::PlannedUnit> units;
  std::vector<extract::Loss> refusals;  // what is wrong, and would have come in otherwise
  std::vector<extract::Loss> links;     // not followed; nothing of the tree itself is lost by it
  extract::PlanEnd end;
};

// Reads frames up to the end of the plan, which is bounded in number and bytes. The child's own complaint ("there is no format
// …") is kInvalidRequest.
Result<ImportPlan> read_plan(extract::FrameSource& extractor);

std::string plan_text(const ImportPlan& plan);  // for people
void write(json::Writer& out, const ImportPlan& plan);

// A part's name in the store: the same for the same export, whoever unpacked it where.
std::string unit_name(const extract::PlannedUnit& unit);
// The id of the connection a unit goes to when none is named: "notes-my-vault".
std::string connection_id_for(std::string_view source_key, const extract::PlannedUnit& unit);

}  // namespace ladder::cli
