// Prompts that people find in their host's menu, and completion of what they and resource templates ask for. A prompt is a text
// of ours that says which tools to call and how to cite; it reads nothing. Completion names what the grant allows, and nothing
// else.
#pragma once

#include "base/error/error.h"
#include "mcp/tools/tools.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

std::string prompts_array();  // prompts/list, JSON; the same for everybody

struct PromptText {
  std::string description, text;
};
using PromptArguments = std::map<std::string, std::string>;
// kNotFound for a name that there is none of, kInvalidArguments for an argument that is missing, unknown or too long.
Result<PromptText> prompt_text(std::string_view name, const PromptArguments& arguments);

// Completes an argument of a prompt or of a resource template that begins with `begun`.
struct Completion {
  std::vector<std::string> values;  // at most kMaxCompletions
  std::size_t total = 0;
};
inline constexpr std::size_t kMaxCompletions = 100;
// `known`: arguments that are given already, which narrow. Nothing for an argument that is free text.
Completion complete(const Context& context, std::string_view argument, std::string_view begun, const PromptArguments& known);

}  // namespace ladder::mcp
