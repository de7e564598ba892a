// Completes the word at the cursor of a command line, for the scripts of `ladder completions`.
#pragma once

#include "cli/invocation/command_table.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct Candidate {
  std::string text;
  std::string help;  // one line; may be empty
};

struct Completion {
  enum class Files { kNone, kFiles, kFolders };
  Files files = Files::kNone;  // file names are added by the shell
  std::vector<Candidate> candidates;
};

// Looks up values in the store or through ladder-extract. `before` is the context of the value: the record or stream for
// kFieldOf and kFieldFilter, else the text of the word so far.
using Lookup = std::function<std::vector<Candidate>(Values values, std::string_view before)>;

// A word of a command line that names something.
struct NamedValue {
  Values values = Values::kText;
  std::string text;
  std::string before;                // as for Lookup
  std::vector<std::string> choices;  // for kChoices
};
std::vector<NamedValue> named_values(const std::vector<std::string>& words);

// `words` are the words after `ladder` up to the cursor; the last one is being typed and may be empty.
Completion complete(const std::vector<std::string>& words, const Lookup& lookup);

}  // namespace ladder::cli
