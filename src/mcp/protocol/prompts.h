// Prompts for the host's menu, and completion of their arguments and of resource templates. A prompt is a fixed text that names
// the tools to call and how to cite; it reads no data. Completion suggests only what the grant allows.
#pragma once

#include "base/error/error.h"
#include "mcp/context.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

std::string prompts_array();  // prompts/list as JSON; the same for every caller

struct PromptText {
  std::string description, text;
};
using PromptArguments = std::map<std::string, std::string>;
// Returns kNotFound for an unknown name, kInvalidArguments for a missing, unknown or too long argument.
Result<PromptText> prompt_text(std::string_view name, const PromptArguments& arguments);

// The completion of an argument of a prompt or resource template, whose value so far is `begun`.
struct Completion {
  std::vector<std::string> values;  // at most kMaxCompletions
  std::size_t total = 0;
};
inline constexpr std::size_t kMaxCompletions = 100;
// `known` contains the arguments given so far, which narrow the suggestions. Returns nothing for free text.
Completion complete(const Context& context, std::string_view argument, std::string_view begun, const PromptArguments& known);

}  // namespace ladder::mcp
