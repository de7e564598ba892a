// Completes the word at the cursor of a command line; the scripts of `ladder completions` ask for it through `ladder complete`.
#pragma once

#include "cli/app/command_table.h"

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
  Files files = Files::kNone;  // what the shell adds by itself
  std::vector<Candidate> candidates;
};

// Asked only for what must come from the store or from ladder-extract. `before` is what the value depends on: the record or
// stream for kFieldOf and kFieldFilter, else the part of the word that stands already.
using Lookup = std::function<std::vector<Candidate>(Values values, std::string_view before)>;

// A word of a command line that names something.
struct NamedValue {
  Values values = Values::kText;
  std::string text;
  std::string before;                // as for Lookup
  std::vector<std::string> choices;  // of kChoices
};
std::vector<NamedValue> named_values(const std::vector<std::string>& words);

// `words` are those after `ladder` up to the cursor; the last is the one being typed and may be empty.
Completion complete(const std::vector<std::string>& words, const Lookup& lookup);

}  // namespace ladder::cli
